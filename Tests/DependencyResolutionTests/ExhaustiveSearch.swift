import HostBasics

@testable import DependencyResolution

/// Tries every selection of small sets of candidates, for comparison.
struct ExhaustiveSearch {
    /// A candidate's number for each identifier, or nil.
    typealias Selection = [String: Int]

    private let candidates: [ResolutionCandidate]
    private let pinned: [String: PluginVersion]
    /// Every selection in which all requirements are met and nothing requires itself in a circle.
    private(set) var selections: [Selection] = []

    init(_ candidates: [ResolutionCandidate], pinned: [String: PluginVersion] = [:]) {
        self.candidates = candidates
        self.pinned = pinned
        let byIdentifier = Dictionary(grouping: candidates, by: \.identifier).sorted { $0.key < $1.key }
        tryAll(byIdentifier.map { ($0.key, $0.value) }[...], [:])
    }

    private mutating func tryAll(_ rest: ArraySlice<(String, [ResolutionCandidate])>, _ selection: Selection) {
        guard let (identifier, choices) = rest.first else {
            if isValid(selection) { selections.append(selection) }
            return
        }
        if pinned[identifier] == nil { tryAll(rest.dropFirst(), selection) }
        for choice in choices where pinned[identifier].map({ $0 == choice.version }) ?? true {
            var next = selection
            next[identifier] = choice.number
            tryAll(rest.dropFirst(), next)
        }
    }

    private func isValid(_ selection: Selection) -> Bool {
        guard selection.values.allSatisfy({ unmet($0, selection).isEmpty }) else { return false }
        // Everything without further requirements is removed again and again; the rest is a circle.
        var rest = selection
        while let free = rest.first(where: { requires($0.value).allSatisfy { rest[$0.identifier] == nil } }) {
            rest[free.key] = nil
        }
        return rest.isEmpty
    }

    func requires(_ number: Int) -> [(identifier: String, range: VersionRange)] {
        pinned[candidates[number].identifier] == nil ? candidates[number].requires : []
    }

    /// The requirements of a candidate that a selection does not meet.
    func unmet(_ number: Int, _ selection: Selection) -> [String] {
        requires(number).filter { identifier, range in
            let version = pinned[identifier] ?? selection[identifier].map { candidates[$0].version }
            return !(version.map(range.contains) ?? false)
        }
        .map(\.identifier)
    }

    /// How many candidates of its identifier are preferred to one.
    func place(_ number: Int) -> Int {
        let one = candidates[number]
        return candidates.count {
            $0.identifier == one.identifier
                && ($0.version > one.version
                    || $0.version == one.version && ($0.rank, $0.number) < (one.rank, one.number))
        }
    }
}

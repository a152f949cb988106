import HostBasics

/// The candidates of a resolution as numbers: the identifiers in alphabetical order, the choices for each one, and
/// their requirements.
struct RequirementGraph {
    /// A version of an identifier.
    struct Choice {
        let identifier: Int
        /// The caller's number; nil for a loaded version that is not a candidate.
        let number: Int?
        let version: PluginVersion
        /// Ascending.
        var requirements: [Int] = []
        /// Whether it requires its own identifier, in any version.
        var requiresItself = false
    }

    /// An identifier in a range of versions.
    ///
    /// Choices with equal requirements share one `Requirement`.
    struct Requirement {
        let target: Int
        let range: VersionRange
        /// The choices of the target that are in the range, numbered from the target's first choice.
        let fitting: ChoiceSet
        /// The choices that require it.
        var dependents: [Int] = []
    }

    private(set) var identifiers: [String] = []
    /// The choices of all identifiers, one identifier after the other, the most preferred choice first.
    private(set) var choices: [Choice] = []
    /// Where the choices of each identifier begin, followed by the end.
    private var starts: [Int] = [0]
    private(set) var requirements: [Requirement] = []
    /// For each identifier, the requirements that refer to it.
    private(set) var requirementsOfTarget: [[Int]] = []
    /// The loaded version of each identifier.
    private(set) var loaded: [PluginVersion?] = []
    /// Candidates that never became choices, because another version is loaded or an equal one is preferred.
    private(set) var replaced: [Int: Resolution.Replacement] = [:]

    init(_ candidates: [ResolutionCandidate], pinned: [String: PluginVersion]) {
        var byIdentifier: [String: [Int]] = Dictionary(minimumCapacity: candidates.count)
        for (place, candidate) in candidates.enumerated() {
            byIdentifier[candidate.identifier, default: []].append(place)
            for (target, _) in candidate.requires where byIdentifier[target] == nil { byIdentifier[target] = [] }
        }
        for identifier in pinned.keys where byIdentifier[identifier] == nil { byIdentifier[identifier] = [] }
        let sorted = byIdentifier.sorted { $0.key < $1.key }
        identifiers = sorted.map { $0.key }
        loaded = identifiers.map { pinned[$0] }
        requirementsOfTarget = Array(repeating: [], count: identifiers.count)

        var origins: [Int?] = []
        origins.reserveCapacity(candidates.count)
        choices.reserveCapacity(candidates.count)
        starts.reserveCapacity(identifiers.count + 1)
        for (identifier, group) in sorted.enumerated() {
            origins += addChoices(identifier, of: group.value, candidates)
            starts.append(choices.count)
        }
        addRequirements(origins, candidates)
    }

    /// Adds the choices of an identifier, and returns the index of each among the candidates.
    private mutating func addChoices(_ identifier: Int, of places: [Int], _ candidates: [ResolutionCandidate]) -> [Int?]
    {
        let preferred =
            places.count < 2
            ? places
            : places.sorted { candidates[$0].isPreferred(to: candidates[$1]) }
        guard let version = loaded[identifier] else {
            for place in preferred {
                choices.append(
                    Choice(identifier: identifier, number: candidates[place].number, version: candidates[place].version)
                )
            }
            return preferred
        }
        let same = preferred.first { candidates[$0].version == version }
        let number = same.map { candidates[$0].number }
        // The requirements of a loaded version are already met.
        choices.append(Choice(identifier: identifier, number: number, version: version))
        for place in preferred where place != same {
            let rule: Resolution.Replacement.Rule = candidates[place].version == version ? .earlierRank : .loaded
            replaced[candidates[place].number] = Resolution.Replacement(replacement: number, rule: rule)
        }
        return [nil]
    }

    private mutating func addRequirements(_ origins: [Int?], _ candidates: [ResolutionCandidate]) {
        struct Key: Hashable {
            let target: Int
            let range: String
        }
        var known: [Key: Int] = [:]
        var numbers: [String: Int] = [:]
        for (choice, origin) in origins.enumerated() {
            guard let origin, !candidates[origin].requires.isEmpty else { continue }
            if numbers.isEmpty {
                numbers = Dictionary(uniqueKeysWithValues: zip(identifiers, identifiers.indices))
            }
            var own: Set<Int> = []
            for (name, range) in candidates[origin].requires {
                let target = numbers[name]!
                if target == choices[choice].identifier {
                    choices[choice].requiresItself = true
                    continue
                }
                let key = Key(target: target, range: range.description)
                let requirement =
                    known[key] ?? add(Requirement(target: target, range: range, fitting: fitting(target, range)))
                known[key] = requirement
                if own.insert(requirement).inserted { requirements[requirement].dependents.append(choice) }
            }
            choices[choice].requirements = own.sorted {
                (requirements[$0].target, $0) < (requirements[$1].target, $1)
            }
        }
    }

    private mutating func add(_ requirement: Requirement) -> Int {
        requirements.append(requirement)
        requirementsOfTarget[requirement.target].append(requirements.count - 1)
        return requirements.count - 1
    }

    /// The choices whose versions are in a range, found by binary search, because they are sorted by version.
    private func fitting(_ target: Int, _ range: VersionRange) -> ChoiceSet {
        let all = self.choices(of: target)
        /// The first choice whose version is not above a cut.
        func end(_ cut: VersionRange.Cut) -> Int {
            all.partitioningIndex { !cut.isBelow(choices[$0].version) } - all.lowerBound
        }
        var result = ChoiceSet(0..<0)
        for interval in range.intervals.reversed() {
            result.append((interval.upper.map(end) ?? 0)..<end(interval.lower))
        }
        return result
    }

    // MARK: Reading

    /// The choices of an identifier, the most preferred one first.
    func choices(of identifier: Int) -> Range<Int> { starts[identifier]..<starts[identifier + 1] }

    /// The choices of a requirement's target that are in its range, the most preferred one first.
    func fitting(_ requirement: Int) -> some Sequence<Int> {
        let start = starts[requirements[requirement].target]
        return requirements[requirement].fitting.members.lazy.joined().map { $0 + start }
    }

    /// Whether a choice is in the range of a requirement of its identifier.
    func fits(_ choice: Int, _ requirement: Int) -> Bool {
        requirements[requirement].fitting.contains(choice - starts[choices[choice].identifier])
    }

    /// The identifiers that some choices require, in ascending order.
    func targets(of choices: some Sequence<Int>) -> [Int] {
        var targets: [Int] = []
        for choice in choices {
            targets += self.choices[choice].requirements.lazy.map { requirements[$0].target }
        }
        return targets.count < 2 ? targets : Set(targets).sorted()
    }
}

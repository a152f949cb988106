import HostBasics
import TestSupport
import Testing

@testable import DependencyResolution

/// Compares resolutions with all possible selections, on small random sets.
@Suite struct ResolverAgreementTests {
    private static let ranges = [
        "*", "*", "1", "2", "3", ">=2", "<2", "<3", "=1", "=2", "=3", ">=2 <3", "1...2", "1 || 3", "~1.1", ">=1.1",
    ]
    private static let narrow = ["=1", "=2", "=3", "<2", "3", "1", ">=2 <3", "1...2", "*"]
    private static let versions = ["1", "1.1", "2", "2-beta", "3"]

    private static func candidates(_ generator: inout SeededGenerator) throws -> Candidates {
        let identifiers = ["a", "b", "c", "d", "e", "f"].prefix(Int.random(in: 2...6, using: &generator))
        // With few requirements much fits, with many little does; with circles there is nothing left to contradict.
        let most = Int.random(in: 1...4, using: &generator)
        let hasCircles = Int.random(in: 0..<4, using: &generator) == 0
        var lines: [String] = []
        for (place, identifier) in identifiers.enumerated() {
            let targets = hasCircles ? identifiers : identifiers.dropFirst(place + 1)
            // Without circles, the last ones have the usual versions and require nothing, so that the first ones can be used and
            // can contradict each other.
            let isLast = !hasCircles && place + 3 > identifiers.count
            for round in 0..<(isLast ? 3 : Int.random(in: 1...(hasCircles ? 3 : 2), using: &generator)) {
                if isLast {
                    lines.append("\(identifier) \(round + 1)")
                    continue
                }
                let version = versions.randomElement(using: &generator)!
                let requires = (0..<Int.random(in: 0...most, using: &generator)).compactMap { _ in
                    // Now and then an identifier that does not exist.
                    let isMissing = Int.random(in: 0..<40, using: &generator) == 0
                    let target = isMissing ? "x" : targets.randomElement(using: &generator)
                    return target.map { "\($0) \((hasCircles ? ranges : narrow).randomElement(using: &generator)!)" }
                }
                lines.append("\(identifier) \(version): \(requires.joined(separator: "; "))")
            }
        }
        return try Candidates(lines)
    }

    @Test(arguments: [UInt64(2018), 1972, 7, 42])
    func theBestSelectionIsFound(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var full = 0
        var conflicts = 0
        var largest = 0
        var circles = 0
        for round in 0..<400 {
            let candidates = try Self.candidates(&generator)
            var pinned: [String: PluginVersion] = [:]
            if Int.random(in: 0..<4, using: &generator) == 0 {
                let loaded = candidates.list.randomElement(using: &generator)!
                pinned[loaded.identifier] = loaded.version
            }
            let text = candidates.list.map { candidate in
                let requires = candidate.requires.map { "\($0.identifier) \($0.range)" }.joined(separator: "; ")
                return "\(candidate.identifier) \(candidate.version): \(requires)"
            }
            let place: Comment = "seed \(seed), round \(round), \(text), loaded: \(pinned)"
            let resolution = resolve(candidates.list, pinned: pinned)
            let search = ExhaustiveSearch(candidates.list, pinned: pinned)
            check(resolution, candidates, search, place)
            if search.selections.contains(where: { $0.count == Set(candidates.list.map(\.identifier)).count }) {
                full += 1
            }
            if search.selections.map(\.count).max() == resolution.chosen.count { largest += 1 }
            for failure in resolution.failures.values {
                if case .conflict = failure.reason { conflicts += 1 }
                if case .circle = failure.reason { circles += 1 }
            }
        }
        // The sets are useful only if they include every kind.
        #expect(full > 20 && conflicts > 20 && circles > 20, "\(full) full, \(conflicts) conflicts, \(circles) circles")
        #expect(largest > 360, "\(largest) of 400 with as many identifiers as possible, seed \(seed)")
    }

    private func check(
        _ resolution: Resolution, _ candidates: Candidates, _ search: ExhaustiveSearch, _ place: Comment
    ) {
        let numbers = resolution.chosen + resolution.failures.keys + resolution.passedOver.keys
        #expect(numbers.sorted() == Array(candidates.list.indices), place)
        #expect(!resolution.reachedLimit, place)

        var chosen: ExhaustiveSearch.Selection = [:]
        for number in resolution.chosen {
            for (target, _) in search.requires(number) {
                #expect(chosen[target] != nil, "load order; \(place)")
            }
            let earlier = chosen.updateValue(number, forKey: candidates.list[number].identifier)
            #expect(earlier == nil, "two of one identifier; \(place)")
        }
        #expect(search.selections.contains(chosen), "not valid; \(place)")

        // No more identifiers, and with the same ones no better version of any without a worse version of another.
        for other in search.selections {
            let isSuperset = chosen.keys.allSatisfy { other[$0] != nil }
            guard isSuperset else { continue }
            #expect(other.count == chosen.count, "\(other) has more; \(place)")
            let isAsGood = chosen.allSatisfy { search.place(other[$0.key]!) <= search.place($0.value) }
            #expect(!isAsGood || other == chosen, "\(other) is better; \(place)")
        }
        for (number, failure) in resolution.failures {
            let isPossible = search.selections.contains { $0[candidates.list[number].identifier] == number }
            switch failure.reason {
            case .missing, .otherVersions, .otherVersionLoaded:
                #expect(!isPossible, "\(failure); \(place)")
                #expect(failure.sentence.hasPrefix("\(candidates.name(number)) needs "), "\(failure); \(place)")
            case .circle:
                #expect(!isPossible || failure.sentence.contains("with the others"), "\(failure); \(place)")
            case .conflict(let names):
                #expect(names.contains(candidates.list[number].identifier), "\(failure); \(place)")
            case .undecided: Issue.record("undecided; \(place)")
            }
            #expect(failure.sentence.hasSuffix(".") && failure.remedy.hasSuffix("."), "\(failure); \(place)")
        }
    }

    @Test func theOrderOfCandidatesIsWithoutConsequence() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<100 {
            let candidates = try Self.candidates(&generator)
            let first = resolve(candidates.list)
            let second = resolve(candidates.list.shuffled(using: &generator))
            #expect(first.chosen == second.chosen)
            #expect(first.failures == second.failures)
            #expect(first.passedOver == second.passedOver)
        }
    }
}

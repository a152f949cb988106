import HostBasics
import TestSupport
import Testing

@testable import DependencyResolution

/// Large or difficult sets: the result must arrive, and be valid.
@Suite struct ResolverLimitTests {
    private static let count = 10_000

    private static func identifier(_ number: Int) -> String { "p" + String(100_000 + number).dropFirst() }

    private func candidate(_ number: Int, _ identifier: Int, _ version: Int, _ requires: [(Int, String)]) throws
        -> ResolutionCandidate
    {
        ResolutionCandidate(
            number: number, identifier: Self.identifier(identifier), version: try #require(PluginVersion("\(version)")),
            requires: try requires.map { (Self.identifier($0.0), try VersionRange($0.1)) }, rank: number)
    }

    private func expectValid(_ resolution: Resolution, _ candidates: [ResolutionCandidate]) {
        var versions: [String: PluginVersion] = [:]
        var broken = 0
        for candidate in resolution.chosen.map({ candidates[$0] }) {
            if !candidate.requires.allSatisfy({ versions[$0.identifier].map($0.range.contains) ?? false }) {
                broken += 1
            }
            if versions.updateValue(candidate.version, forKey: candidate.identifier) != nil { broken += 1 }
        }
        #expect(broken == 0)
        #expect(resolution.chosen.count + resolution.failures.count + resolution.passedOver.count == candidates.count)
    }

    @Test func aChainOfTenThousandIsLoadedFromItsEnd() throws {
        let candidates = try (0..<Self.count).map { number in
            try candidate(number, number, 1, number + 1 < Self.count ? [(number + 1, "1")] : [])
        }
        #expect(resolve(candidates).chosen == Array((0..<Self.count).reversed()))
    }

    @Test func aBrokenChainOfTenThousandIsToldInShort() throws {
        let candidates = try (0..<Self.count).map { try candidate($0, $0, 1, [($0 + 1, "1")]) }
        let result = resolve(candidates)
        #expect(result.chosen.isEmpty)
        let sentence = """
            p00000 1 needs p00001 from 1 to below 2, which needs p00002 from 1 to below 2, which needs p00003 from 1 to \
            below 2, which needs p00004 from 1 to below 2, and so on through 9995 more to p09999 1, which needs p10000 \
            from 1 to below 2; p10000 is not installed.
            """
        #expect(result.failures[0]?.sentence == sentence)
    }

    @Test func aRingOfTenThousandIsACircle() throws {
        let candidates = try (0..<Self.count).map { try candidate($0, $0, 1, [(($0 + 1) % Self.count, "1")]) }
        let result = resolve(candidates)
        #expect(result.chosen.isEmpty && result.failures.count == Self.count)
        let sentence = """
            p00007 1 can never be loaded: p00007 needs p00008, which needs p00009, which needs p00010, and so on through \
            9995 more to p00006, which needs p00007, in a circle.
            """
        #expect(result.failures[7]?.sentence == sentence)
    }

    @Test func tenThousandWithTenRequirementsEachAreAllChosen() throws {
        var generator = SeededGenerator(seed: 10)
        let candidates = try (0..<Self.count).map { number in
            let targets = number < 10 ? [] : (0..<10).map { _ in Int.random(in: 0..<number, using: &generator) }
            return try candidate(number, number, 1, targets.map { ($0, "1") })
        }
        let result = resolve(candidates)
        #expect(result.chosen.count == Self.count)
        expectValid(result, candidates)
    }

    /// Plug-ins that each need one of some places alone, with one plug-in more than there are places.
    ///
    /// This is the pigeonhole problem, for which no such search is fast. All plug-ins but one fit.
    private func pigeons(_ holes: Int) throws -> [ResolutionCandidate] {
        var candidates: [ResolutionCandidate] = []
        for pigeon in 0...holes {
            for hole in 1...holes {
                candidates.append(try candidate(candidates.count, pigeon, hole, [(1000 + hole, "=\(pigeon)")]))
            }
        }
        for hole in 1...holes {
            for pigeon in 0...holes { candidates.append(try candidate(candidates.count, 1000 + hole, pigeon, [])) }
        }
        return candidates
    }

    @Test func aHardSetIsSearchedToItsEnd() throws {
        let candidates = try pigeons(4)
        let result = resolve(candidates)
        #expect(!result.reachedLimit)
        #expect(result.chosen.count == 8)
        expectValid(result, candidates)
    }

    @Test func theSearchEndsAtItsLimitAndSaysSo() throws {
        let hard = try pigeons(20)
        // A small contradiction, with letters that come after the others.
        let small = try Candidates(["x 1: z 1", "y 1: z 2", "z 1", "z 2"]).list.map { candidate in
            var candidate = candidate
            candidate.number += hard.count
            return candidate
        }
        let result = resolve(hard + small, limit: 200_000)
        #expect(result.reachedLimit)
        expectValid(result, hard + small)
        #expect(result.failures.values.contains { $0.reason == .undecided })
        // A part that can be solved alone is not left out because something else is hard.
        #expect(
            result.failures[hard.count + 1]?.sentence
                == "y 1 needs z from 2 to below 3, but x 1 needs z from 1 to below 2; z 2 and 1 are installed.")
        let again = resolve(hard + small, limit: 200_000)
        #expect(again.chosen == result.chosen && again.failures == result.failures)
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func aSetFullOfContradictionsEnds(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let candidates = try (0..<1_000).map { number in
            let requires = (0..<5).map { _ in
                let lowest = Int.random(in: 1...3, using: &generator)
                return (Int.random(in: 0..<200, using: &generator), "\(lowest)...\(lowest + 1)")
            }
            return try candidate(number, number / 5, number % 5 + 1, number % 5 == 0 ? [] : requires)
        }
        let result = resolve(candidates, limit: 300_000)
        expectValid(result, candidates)
    }
}

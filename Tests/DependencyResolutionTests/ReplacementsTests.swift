import Testing

@testable import DependencyResolution

@Suite struct ReplacementsTests {
    private func newer(_ claims: [String: Set<String>]) -> [String: String] {
        Replacements(claims).newer.mapValues(\.identifier)
    }

    @Test func theLastOneOfAChainTakesThePlaceOfAll() {
        #expect(newer(["b": ["a"], "c": ["b"]]) == ["a": "c", "b": "c"])
        #expect(Replacements(["b": ["a"], "c": ["b"]]).newer["a"]?.claim == "b")
        // Each version names all older identifiers, as an author would.
        #expect(newer(["b": ["a"], "c": ["a", "b"]]) == ["a": "c", "b": "c"])
        #expect(newer(["c": ["a", "b"]]) == ["a": "c", "b": "c"])
        #expect(newer([:]) == [:])
    }

    @Test("replaces itself, two claimants, a circle, a long chain", .fault(678)) func anUncertainClaimHasNoEffect() {
        #expect(newer(["a": ["a"]]) == [:] && Replacements(["a": ["a"]]).faults == [:])
        #expect(newer(["b": ["a"], "c": ["a"]]) == [:])
        #expect(Replacements(["b": ["a"], "c": ["a"]]).faults == ["a": .claimedBy(["b", "c"])])
        #expect(newer(["b": ["a"], "a": ["b"]]) == [:])
        #expect(Replacements(["b": ["a"], "a": ["b"]]).faults == ["a": .circle, "b": .circle])
        let chain = { (length: Int) in
            Dictionary(uniqueKeysWithValues: (1...length).map { ("p\($0)", Set(["p\($0 - 1)"])) })
        }
        #expect(newer(chain(8))["p0"] == "p8")
        #expect(newer(chain(9))["p0"] == nil && Replacements(chain(9)).faults["p0"] == .tooManySteps)
    }

    @Test func otherClaimsKeepTheirEffect() {
        #expect(newer(["b": ["a"], "c": ["a"], "e": ["d"]]) == ["d": "e"])
    }
}

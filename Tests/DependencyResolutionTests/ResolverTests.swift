import HostBasics
import Testing

@testable import DependencyResolution

@Suite struct ResolverTests {
    // MARK: What is chosen

    @Test func withoutRequirementsTheHighestVersionOfEachIsChosen() throws {
        let result = try resolved("b 1", "a 1.9", "a 1.10", "a 1.10-beta", "c 3")
        #expect(result.chosen == ["a 1.10", "b 1", "c 3"])
        #expect(result.passedOver == ["a 1.9": .higherVersion, "a 1.10-beta": .higherVersion])
        #expect(result.failures.isEmpty)
    }

    @Test(.fault(19)) func ofEqualVersionsTheLowerRankIsChosenAndTheOtherReported() throws {
        var candidates = try Candidates(["a 1.0", "a 1"])
        #expect(candidates.resolved().passedOver == ["a 1": .earlierRank])
        candidates = try Candidates(["a 1", "a 1.0"])
        let result = candidates.resolved().resolution
        #expect(result.passedOver == [1: Resolution.Replacement(replacement: 0, rule: .earlierRank)])
    }

    @Test func ofEqualVersionsTheUsableOneIsChosen() throws {
        let result = try resolved("a 1.0: x", "a 1")
        #expect(result.chosen == ["a 1"])
        #expect(result.failures.keys.sorted() == ["a 1.0"])
    }

    @Test func nothingIsResolvedToNothing() throws {
        let result = resolve([])
        #expect(result.chosen.isEmpty && result.failures.isEmpty && result.passedOver.isEmpty)
    }

    @Test func aLowerVersionIsChosenIfTheHigherCannotBeUsed() throws {
        let result = try resolved("a 2: x", "a 1", "b 1: a")
        #expect(result.chosen == ["a 1", "b 1"])
        #expect(result.sentences == ["a 2": "a 2 needs x; x is not installed."])
    }

    @Test func theHighestCompatibleVersionWins() throws {
        let result = try resolved("a 1: c <3", "b 1: c >=1.5", "c 1", "c 2", "c 2.5", "c 3")
        #expect(result.chosen == ["c 2.5", "a 1", "b 1"])
        #expect(
            result.passedOver == [
                "c 1": .higherVersion, "c 2": .higherVersion, "c 3": .requirements("a 1 needs c below 3."),
            ])
        #expect(result.failures.isEmpty)
    }

    @Test func aRequiringBundleGetsItsHighestVersionBeforeARequiredOne() throws {
        let result = try resolved("z 2: a 1", "z 1: a", "a 1", "a 2")
        #expect(result.chosen == ["a 1", "z 2"])
    }

    @Test func requirementsComeFirstOtherwiseTheAlphabetDecides() throws {
        let result = try resolved("d 1", "c 1: b; e", "b 1", "a 1: z", "z 1", "e 1: d")
        #expect(result.chosen == ["z 1", "a 1", "b 1", "d 1", "e 1", "c 1"])
    }

    // MARK: What is missing

    @Test func missingBundlesAreNamed() throws {
        let failure = try #require(try resolved("org.a 1.0: org.b >=2").failures["org.a 1.0"])
        #expect(failure.reason == .missing(identifier: "org.b"))
        #expect(failure.sentence == "org.a 1.0 needs org.b 2 or later; org.b is not installed.")
        #expect(failure.remedy == "Install org.b (2 or later).")
    }

    @Test func theWholeChainIsNamed() throws {
        let result = try resolved("org.a 1.0: org.b >=2", "org.b 2.0: org.c <3", "org.c 3.1")
        #expect(result.chosen == ["org.c 3.1"])
        let failure = try #require(result.failures["org.a 1.0"])
        let installed = [try #require(PluginVersion("3.1"))]
        #expect(failure.reason == .otherVersions(identifier: "org.c", installed: installed, .tooNew))
        #expect(
            failure.sentence
                == "org.a 1.0 needs org.b 2 or later, which needs org.c below 3; org.c 3.1 is installed.")
        #expect(
            failure.remedy == "Install org.c (below 3), or a version of org.b that works with what is installed.")
        #expect(result.sentences["org.b 2.0"] == "org.b 2.0 needs org.c below 3; org.c 3.1 is installed.")
    }

    @Test func ofSeveralFittingVersionsTheHighestRepresentsAll() throws {
        let result = try resolved("a 1: b >=2", "b 2: c <3", "b 2.1: d", "c 3.1")
        #expect(result.sentences["a 1"] == "a 1 needs b 2 or later, of which 2.1 needs d; d is not installed.")
    }

    @Test(arguments: [
        ("3", "a 1 needs b from 3 to below 4; b 2.9 and 2 are installed.", "Update b (from 3 to below 4)."),
        (
            "<=1", "a 1 needs b 1 or earlier; b 2.9 and 2 are installed.",
            "Install b (1 or earlier), or a version of a that works with what is installed."
        ),
        (
            "2.1...2.8", "a 1 needs b from 2.1 to 2.8; b 2.9 and 2 are installed.",
            "Install b (from 2.1 to 2.8), or a version of a that works with what is installed."
        ),
        ("<=1 || >=3", "a 1 needs b 1 or earlier or 3 or later; b 2.9 and 2 are installed.", nil),
    ])
    func otherVersionsAreNamed(range: String, sentence: String, remedy: String?) throws {
        let failure = try #require(try resolved("a 1: b \(range)", "b 2", "b 2.9").failures["a 1"])
        #expect(failure.sentence == sentence)
        if let remedy { #expect(failure.remedy == remedy) }
        guard case .otherVersions("b", _, let mismatch) = failure.reason else {
            Issue.record("\(failure.reason)")
            return
        }
        #expect(mismatch == (range == "3" ? .tooOld : range == "<=1" ? .tooNew : .other))
    }

    @Test func ofManyVersionsSomeAreNamed() throws {
        let versions = (1...30).map { "b \($0)" }
        let result = try Candidates(["a 1: b >=99"] + versions).resolved()
        #expect(
            result.sentences["a 1"]
                == "a 1 needs b 99 or later; b 30, 29, 28, 27, 26, 25 and 24 more are installed.")
    }

    // MARK: Circles

    @Test(.fault(152)) func aBundleThatNeedsItselfIsReported() throws {
        let result = try resolved("a 2: a <2", "a 1", "d 1: d", "e 1: d")
        #expect(result.chosen == ["a 1"])
        #expect(result.failures["a 2"]?.reason == .circle(["a"]))
        #expect(result.sentences["d 1"] == "d 1 needs itself, and can never be loaded before itself.")
        #expect(result.sentences["e 1"] == "e 1 needs d, which can never be loaded: d needs itself.")
        #expect(result.failures["d 1"]?.remedy == "Ask its author to remove d from its own PHRequires.")
    }

    @Test(.fault(151)) func aCircleIsNamedForEachMember() throws {
        let result = try resolved("a 1: b", "b 1: c", "c 1: a", "d 1: a", "e 1")
        #expect(result.chosen == ["e 1"])
        #expect(result.failures["a 1"]?.reason == .circle(["a", "b", "c"]))
        #expect(result.failures["b 1"]?.reason == .circle(["b", "c", "a"]))
        #expect(
            result.sentences["c 1"]
                == "c 1 can never be loaded: c needs a, which needs b, which needs c, in a circle.")
        #expect(
            result.sentences["d 1"]
                == "d 1 needs a, which can never be loaded: a needs b, which needs c, which needs a, in a circle.")
        #expect(
            result.failures["a 1"]?.remedy
                == "Ask the authors of a, b and c: one of them must stop requiring the next.")
    }

    @Test func aVersionOutsideOfTheCircleIsChosen() throws {
        let result = try resolved("a 2: b", "a 1", "b 1: a")
        #expect(result.chosen == ["a 1", "b 1"])
        let failure = try #require(result.failures["a 2"])
        #expect(failure.reason == .circle(["a", "b"]))
        #expect(
            failure.sentence
                == "a 2 cannot be loaded with the others: a needs b, which needs a, in a circle.")
    }

    // MARK: Conflicts

    @Test func ofTwoThatContradictEachOtherTheFirstIsChosen() throws {
        let result = try resolved("b 1: c >=3", "a 1: c <3", "c 2", "c 3", "d 1")
        #expect(result.chosen == ["c 2", "a 1", "d 1"])
        let failure = try #require(result.failures["b 1"])
        #expect(failure.reason == .conflict(["a", "b"]))
        #expect(
            failure.sentence == "b 1 needs c 3 or later, but a 1 needs c below 3; c 3 and 2 are installed.")
        #expect(failure.remedy == "Install versions of a and b that fit together, or remove one of them.")
        #expect(result.passedOver == ["c 3": .requirements("a 1 needs c below 3.")])
    }

    @Test func oneThatLagsBehindDoesNotCostMany() throws {
        let result = try resolved("a 1: c <3", "b 1: c >=3", "d 1: c >=3", "c 2", "c 3")
        #expect(result.chosen == ["c 3", "b 1", "d 1"])
        #expect(
            result.sentences["a 1"]
                == "a 1 needs c below 3, but b 1 needs c 3 or later; c 3 and 2 are installed.")
    }

    @Test func bothChainsOfAConflictAreNamed() throws {
        let result = try resolved("a 1: b", "b 1: e <2", "c 1: d", "d 1: e >=2", "e 1", "e 2")
        #expect(result.chosen == ["e 1", "b 1", "a 1"])
        #expect(
            result.sentences["c 1"]
                == "c 1 needs d, which needs e 2 or later, but a 1 needs b, which needs e below 2; e 2 and 1 are installed."
        )
    }

    @Test func aContradictionIsReportedOnce() throws {
        let result = try resolved(
            "a 1: b; d", "b 1: e <2", "d 1: e", "d 0.9: e", "e 1", "e 2", "a 0.9: e <2; b; f", "f 1: e 2")
        let failure = try #require(result.failures["a 0.9"] ?? result.failures["f 1"])
        #expect(failure.sentence.contains(", but "))
        let alone = try resolved("a 1: c <2; c >=2", "c 1", "c 2")
        #expect(alone.chosen == ["c 2"])
        #expect(alone.sentences == ["a 1": "a 1 needs c 2 or later, but also c below 2; c 2 and 1 are installed."])
        #expect(alone.failures["a 1"]?.remedy == "Install another version of a.")
    }

    // MARK: Loaded

    @Test func loadedBundlesStay() throws {
        let result = try resolved("c 2", "c 3", "c 3.0", "a 1: c <3", "b 1: c 3", pinned: ["c": "3"])
        #expect(result.chosen == ["c 3", "b 1"])
        #expect(result.passedOver == ["c 2": .loaded, "c 3.0": .earlierRank])
        let failure = try #require(result.failures["a 1"])
        #expect(failure.reason == .otherVersionLoaded(identifier: "c", try #require(PluginVersion("3"))))
        #expect(
            failure.sentence == "a 1 needs c below 3; c 3 is loaded until the application ends.")
        #expect(failure.remedy == "Start the application again with c (below 3).")
    }

    @Test func loadedBundlesNeedNoCandidateAndNothingElse() throws {
        var result = try resolved("a 1: gone 1", "gone 2", pinned: ["gone": "1.5"])
        #expect(result.chosen == ["a 1"])
        #expect(result.resolution.passedOver == [1: Resolution.Replacement(replacement: nil, rule: .loaded)])
        result = try resolved("a 1: x", "b 1: a", pinned: ["a": "1"])
        #expect(result.chosen == ["a 1", "b 1"])
        #expect(result.failures.isEmpty)
    }

    // MARK: PubGrub's own examples, by the titles of “solver.md”

    @Test func noConflicts() throws {
        let result = try resolved("root 1: foo ^1", "foo 1: bar ^1", "bar 1", "bar 2")
        #expect(result.chosen == ["bar 1", "foo 1", "root 1"])
    }

    @Test func avoidingConflictDuringDecisionMaking() throws {
        let result = try resolved(
            "root 1: foo ^1; bar ^1", "foo 1.1: bar ^2", "foo 1", "bar 1", "bar 1.1", "bar 2")
        #expect(result.chosen == ["bar 1.1", "foo 1", "root 1"])
    }

    @Test func performingConflictResolution() throws {
        let result = try resolved("root 1: foo >=1", "foo 2: bar ^1", "foo 1", "bar 1: foo ^1")
        #expect(result.chosen == ["foo 1", "bar 1", "root 1"])
    }

    @Test func conflictResolutionWithAPartialSatisfier() throws {
        // Named so that the target is decided first, as the root decides it there.
        let result = try resolved(
            "a.root 1: foo ^1; target ^2", "foo 1.1: left ^1; right ^1", "foo 1", "left 1: shared >=1",
            "right 1: shared <2", "shared 2", "shared 1: target ^1", "target 2", "target 1")
        #expect(result.chosen.contains("a.root 1"))
        #expect(result.chosen.contains("foo 1"))
        #expect(result.chosen.contains("target 2"))
        #expect(result.failures["foo 1.1"] != nil)
    }

    @Test func linearErrorReporting() throws {
        let result = try resolved("root 1: foo ^1; baz ^1", "foo 1: bar ^2", "bar 2: baz ^3", "baz 1", "baz 3")
        #expect(result.chosen == ["baz 3", "bar 2", "foo 1"])
        let sentence = """
            root 1 needs baz from 1 to below 2, but bar 2 needs baz from 3 to below 4; baz 3 and 1 are installed.
            """
        #expect(result.sentences == ["root 1": sentence])
    }

    @Test func branchingErrorReporting() throws {
        let result = try resolved(
            "root 1: foo ^1", "foo 1: a ^1; b ^1", "foo 1.1: x ^1; y ^1", "a 1: b ^2", "b 1", "b 2", "x 1: y ^2",
            "y 1", "y 2")
        let sentence = """
            Because root 1 needs foo from 1 to below 2 and foo 1 needs b from 1 to below 2, root 1 needs b 1 or foo 1.1. \
            And because a 1 needs b from 2 to below 3, a 1 with root 1 needs foo 1.1. (1) \
            Because x 1 needs y from 2 to below 3 and foo 1.1 needs x from 1 to below 2, foo 1.1 needs y 2. \
            And because foo 1.1 needs y from 1 to below 2, foo 1.1 cannot be used. \
            And because a 1 with root 1 needs foo 1.1 (1), a 1 and root 1 cannot be used together.
            """
        #expect(result.sentences["root 1"] == sentence)
        #expect(
            result.sentences["foo 1.1"]
                == """
                foo 1.1 needs x from 1 to below 2, which needs y from 2 to below 3, but also y from 1 to below 2; \
                y 2 and 1 are installed.
                """)
    }

    // MARK: Names

    @Test func aHostileIdentifierCannotForgeASentence() throws {
        var candidates = try Candidates(["a 1: b"]).list
        candidates[0].requires[0].identifier = "b\n\u{1B}[2J is fine"
        let failure = try #require(resolve(candidates).failures[0])
        #expect(failure.sentence == "a 1 needs “b\\n\\u{1B}[2J is fine”; “b\\n\\u{1B}[2J is fine” is not installed.")
        candidates[0].requires[0].identifier = String(repeating: "b", count: 1_000_000)
        #expect(try #require(resolve(candidates).failures[0]).sentence.utf8.count < 1000)
        candidates[0].requires[0].identifier = ""
        #expect(try #require(resolve(candidates).failures[0]).sentence == "a 1 needs “”; “” is not installed.")
    }
}

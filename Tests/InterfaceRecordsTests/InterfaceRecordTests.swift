import PropertyLists
import Testing

@testable import InterfaceRecords

/// The record as a value, as a list, and compared.
@Suite("Records of interfaces") struct InterfaceRecordTests {
    private let record = InterfaceRecord(modules: [
        "API": .init(
            hasEvolution: false, library: "libAPI.so",
            interfaces: [
                "API.Filter": .init(
                    isClassOnly: true,
                    requirements: ["protocol API.Parent", "associatedtype T", "run(API.Options) -> Swift.Int"],
                    defaults: [2])
            ],
            types: [
                "API.Options": .init(kind: .structure, entries: ["depth: API.Options.Depth"], isFrozen: true),
                "API.Options.Depth": .init(kind: .enumeration, entries: ["one", "two(Swift.Int)"]),
                "API.Other": .init(kind: .class, entries: []),
            ])
    ])

    @Test func aRecordThatIsReadAgainIsEqual() throws {
        #expect(try InterfaceRecord(record.list) == record)
        let text = try PropertyListWriter.xml(record.list)
        #expect(try InterfaceRecord(bytes: Array(text.utf8)) == record)
    }

    @Test(.fault(656)) func aLaterFormatIsNotReadAtAll() throws {
        let later = PropertyList.dictionary(["Format": .integer(2), "Modules": .string("something else")])
        #expect(throws: InterfaceRecord.Fault.format(2)) { try InterfaceRecord(later) }
    }

    @Test(
        .fault(654),
        arguments: [
            .string("text"), .dictionary([:]), .dictionary(["Format": .integer(0)]),
            .dictionary(["Format": .string("1")]),
            .dictionary(["Format": .integer(1), "Modules": .array([])]),
            .dictionary(["Format": .integer(1), "Modules": .dictionary(["API": .integer(1)])]),
            .dictionary([
                "Format": .integer(1),
                "Modules": .dictionary([
                    "API": .dictionary(["Protocols": .dictionary(["P": .dictionary(["Requirements": .string("")])])])
                ]),
            ]),
            .dictionary([
                "Format": .integer(1),
                "Modules": .dictionary(["API": .dictionary(["Types": .dictionary(["T": .dictionary([:])])])]),
            ]),
        ] as [PropertyList])
    func aDamagedRecordIsRefusedWithItsReason(_ list: PropertyList) throws {
        let error = #expect(throws: InterfaceRecord.Fault.self) { try InterfaceRecord(list) }
        guard case .damaged(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test(.fault(654)) func aRecordThatIsTooDeepOrTooLargeIsRefused() throws {
        var deep = PropertyList.dictionary(["Format": .integer(1)])
        for _ in 0..<20 { deep = .dictionary(["Format": .integer(1), "Modules": deep]) }
        let text = try PropertyListWriter.xml(deep)
        #expect(throws: InterfaceRecord.Fault.self) { try InterfaceRecord(bytes: Array(text.utf8)) }
        let large = Array("{ Format = 1; }".utf8) + [UInt8](repeating: 0x20, count: InterfaceRecord.sizeLimit)
        #expect(throws: InterfaceRecord.Fault.self) { try InterfaceRecord(bytes: large) }
    }

    @Test func aDefaultOfNoRequirementIsIgnored() throws {
        let list = PropertyList.dictionary([
            "Format": .integer(1),
            "Modules": .dictionary([
                "API": .dictionary([
                    "Protocols": .dictionary([
                        "P": .dictionary([
                            "Requirements": .array([.string("a() -> ()")]),
                            "Default": .array([.integer(0), .integer(1), .integer(-1)]),
                        ])
                    ])
                ])
            ]),
        ])
        #expect(try InterfaceRecord(list).modules["API"]?.interfaces["P"]?.defaults == [0])
    }

    @Test func whatAPluginUsesIsReachedThroughSignaturesSymbolsAndLayouts() {
        let used = record.used(interfaces: ["API.Filter"], naming: []) { $0 == "API" ? "libX.so" : nil }
        #expect(used.modules["API"]?.types.keys.sorted() == ["API.Options", "API.Options.Depth"])
        #expect(used.modules["API"]?.library == "libX.so")
        #expect(used.modules["API"]?.interfaces["API.Filter"]?.defaults == [])
        let called = record.used(interfaces: [], naming: ["protocol descriptor for API.Filter"]) { _ in nil }
        #expect(called.modules["API"]?.interfaces.keys.sorted() == ["API.Filter"])
        let named = record.used(interfaces: [], naming: ["type metadata accessor for API.Other"]) { _ in nil }
        #expect(named.modules["API"]?.types.keys.sorted() == ["API.Other"])
        #expect(record.used(interfaces: [], naming: ["Swift.Int"]) { _ in nil }.isEmpty)
    }

    // MARK: Differences

    private func difference(
        _ old: [String], _ new: [String], evolution: Bool = false, symbols: Bool = false
    ) -> RecordDifference? {
        RecordDifference(
            of: .init(requirements: old), to: .init(requirements: new), hasEvolution: evolution, isOfSymbols: symbols)
    }

    @Test func theFirstOtherRequirementIsNamedWithBothSides() {
        let swap = difference(["a() -> Swift.Int", "b() -> Swift.Int"], ["b() -> Swift.Int", "a() -> Swift.Int"])
        #expect(swap == .requirement(0, was: "a() -> Swift.Int", now: "b() -> Swift.Int"))
        #expect(
            swap?.sentence(about: "API.Filter", library: "/x/libAPI.so")
                == """
                was compiled when requirement 1 of “API.Filter” was “a() -> Int”; in “/x/libAPI.so” it is “b() -> Int”.
                """)
        #expect(difference(["a", "b"], ["a"]) == .requirement(1, was: "b", now: nil))
        #expect(difference(["a"], ["a"]) == nil)
        // They are equal as texts, but their symbols are not.
        #expect(difference(["caf\u{E9}()"], ["cafe\u{301}()"]) != nil)
    }

    @Test func withLibraryEvolutionOnlyAnAccessorThatNoLongerThrowsMatters() {
        #expect(difference(["a", "b"], ["b", "a", "c"], evolution: true) == nil)
        let old = "tag.getter : Swift.Int" + InterfaceText.throwing
        #expect(
            difference([old], ["tag.getter : Swift.Int"], evolution: true) == .noLongerThrows("tag.getter : Swift.Int"))
        #expect(difference(["tag.getter : Swift.Int"], [old], evolution: true) == nil)
    }

    @Test func aRecordOfSymbolsIsComparedByItsFunctions() {
        let now = ["protocol API.P", "associatedtype T", "a.getter : Swift.Int" + InterfaceText.throwing, "b()"]
        #expect(difference(["a.getter : Swift.Int", "b()"], now, symbols: true) == nil)
        #expect(difference(["b()", "a.getter : Swift.Int"], now, symbols: true) != nil)
    }

    @Test func aLayoutCountsWithoutEvolutionOrOfAFrozenType() {
        let old = InterfaceRecord.Layout(kind: .structure, entries: ["x: Swift.Int", "y: Swift.Int"])
        let new = InterfaceRecord.Layout(kind: .structure, entries: ["y: Swift.Int", "x: Swift.Int"])
        let frozen = InterfaceRecord.Layout(kind: .structure, entries: old.entries, isFrozen: true)
        #expect(
            RecordDifference(of: old, to: new, hasEvolution: false)
                == .entry(0, kind: .structure, was: "x: Swift.Int", now: "y: Swift.Int"))
        #expect(RecordDifference(of: old, to: new, hasEvolution: true) == nil)
        #expect(RecordDifference(of: frozen, to: new, hasEvolution: true) != nil)
        #expect(RecordDifference(of: old, to: nil, hasEvolution: false) == .removed)
        let other = InterfaceRecord.Layout(kind: .class, entries: old.entries)
        #expect(
            RecordDifference(of: old, to: other, hasEvolution: false)?.sentence(about: "A.B", library: "/l")
                == "was compiled when “A.B” was a struct; in “/l” it is a class.")
    }

    // MARK: Words

    @Test(
        arguments: [
            ("run(Swift.Int) -> ()", "a method"), ("static run() -> ()", "a static method"),
            ("init(x: Swift.Int) -> A", "an initialiser"), ("tag.getter : Swift.Int", "a getter"),
            ("static tag.setter : Swift.Int", "a static setter"), ("tag.modify : Swift.Int", "a coroutine"),
            ("go() async -> ()", "an async method"), ("go(() async -> ()) -> ()", "a method"),
            ("protocol API.P", "an inherited protocol"), ("associatedtype T", "an associated type"),
            ("where Self.T: Swift.Equatable", "a condition of an associated type"),
            ("subscript.getter : (Swift.Int) -> API.Mode", "a getter"),
        ])
    func theKindOfARequirementIsReadFromItsText(_ text: String, _ kind: String) {
        #expect(RequirementKind(of: text).description == kind)
    }

    @Test func aTextForPeopleLeavesOutTheStandardLibrarysName() {
        let text = "a(Swift.Int, MySwift.Swift.X) -> [Swift.Int]"
        #expect(InterfaceText.shown(text) == "a(Int, MySwift.Swift.X) -> [Int]")
        #expect(InterfaceText.requirement("static A.P.s() -> ()", of: "A.P") == "static s() -> ()")
        #expect(InterfaceText.requirement("A.Q.s() -> ()", of: "A.P") == "A.Q.s() -> ()")
    }

    // MARK: Changes

    private func changes(_ old: [String], _ new: [String], defaults: [Int] = []) -> [InterfaceChange.Kind] {
        let before = InterfaceRecord.Module(hasEvolution: false, interfaces: ["A.P": .init(requirements: old)])
        let after = InterfaceRecord.Module(
            hasEvolution: false, interfaces: ["A.P": .init(requirements: new, defaults: defaults)])
        return InterfaceChange.changes(from: before, to: after).map(\.kind)
    }

    @Test func eachChangeOfAProtocolHasItsKind() {
        #expect(changes(["a()", "b()"], ["b()", "a()"]) == [.requirementsMoved])
        #expect(changes(["a()"], ["a()", "b()"]) == [.requirementAdded])
        #expect(changes(["a()"], ["b()", "a()"], defaults: [0]) == [.requirementAddedWithDefault])
        #expect(changes(["a()", "b()"], ["b()"]) == [.requirementRemoved])
        #expect(changes(["a.getter : X"], ["a.getter : X" + InterfaceText.throwing]) == [.throwingAdded])
        #expect(changes(["a.getter : X" + InterfaceText.throwing], ["a.getter : X"]) == [.throwingRemoved])
        #expect(changes(["a()"], ["a()"]) == [])
        let all = InterfaceRecord.Module(hasEvolution: false, interfaces: ["A.P": .init(requirements: [])])
        let none = InterfaceRecord.Module(hasEvolution: false)
        #expect(InterfaceChange.changes(from: all, to: none).map(\.kind) == [.removed])
        #expect(InterfaceChange.changes(from: none, to: all).map(\.kind) == [.added])
    }

    /// Whatever a load refuses by its records, the forecast refuses too, and the other way round.
    @Test(arguments: [false, true]) func theForecastAgreesWithTheComparisonOfALoad(_ evolution: Bool) {
        let sides = [
            ["a()", "b()"], ["b()", "a()"], ["a()"], ["a()", "b()", "c()"], ["a()", "b(x:)"],
            ["a()", "b()", "t.getter : X"], ["a()", "b()", "t.getter : X" + InterfaceText.throwing],
        ]
        for old in sides {
            for new in sides {
                let refused =
                    difference(old, new, evolution: evolution) != nil
                    // Found without a record: by the number, or by the dynamic linker.
                    || evolution
                        && !Set(new.map(InterfaceText.withoutThrowing))
                            .isSubset(of: old.map(InterfaceText.withoutThrowing))
                    || evolution
                        && !Set(old.map(InterfaceText.withoutThrowing))
                            .isSubset(of: new.map(InterfaceText.withoutThrowing))
                let forecast = changes(old, new).allSatisfy {
                    InterfaceRules.outcome(of: $0, role: .implementer, hasEvolution: evolution).isFine
                }
                #expect(forecast == !refused, "\(old) → \(new)")
            }
        }
    }

    @Test func withLibraryEvolutionWhatMayGrowWorks() {
        typealias Kind = InterfaceChange.Kind
        let fine: [Kind] = [.added, .requirementAddedWithDefault, .requirementsMoved, .throwingAdded, .layout]
        for kind in Kind.allCases {
            let outcome = InterfaceRules.outcome(of: kind, role: .implementer, hasEvolution: true)
            #expect(outcome.isFine == fine.contains(kind), "\(kind)")
            let strict = InterfaceRules.outcome(of: kind, role: .implementer, hasEvolution: false)
            #expect(strict.isFine == (kind == .added), "\(kind)")
        }
    }
}

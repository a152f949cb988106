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
                    "API": .dictionary(["Protocols": .dictionary(["P": .dictionary(["Requirements": .array([])])])])
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
                            "Requirements": .string("a() -> ()"),
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

    @Test func withLibraryEvolutionOnlyEffectsOfAccessorsAndInheritedProtocolsMatter() {
        #expect(difference(["a", "b"], ["b", "a", "c"], evolution: true) == nil)
        let plain = "tag.getter : Swift.Int"
        let throwing = plain + InterfaceText.throwing
        #expect(difference([throwing], [plain], evolution: true) == .noLongerThrows(plain))
        #expect(difference([plain], [throwing], evolution: true) == nil)
        #expect(
            difference(["protocol A.P"], ["protocol A.O", "protocol A.P"], evolution: true)
                == .parent(0, was: "protocol A.P", now: "protocol A.O"))
    }

    @Test func whetherAnAccessorThrowsMattersToThoseWhoCallOrImplementIt() {
        let plain = InterfaceRecord.Interface(requirements: ["tag.getter : Swift.Int"])
        let calling = InterfaceRecord.Interface(requirements: plain.requirements, calls: [0])
        let throwing = InterfaceRecord.Interface(requirements: [plain.requirements[0] + InterfaceText.throwing])
        func difference(
            _ old: InterfaceRecord.Interface, _ new: InterfaceRecord.Interface?, isImplemented: Bool
        ) -> RecordDifference? {
            RecordDifference(of: old, to: new, hasEvolution: true, isOfSymbols: false, isImplemented: isImplemented)
        }
        #expect(difference(plain, throwing, isImplemented: true) == nil)
        let found = difference(calling, throwing, isImplemented: false)
        #expect(found == .throwsNow("tag.getter : Swift.Int"))
        #expect(
            found?.sentence(about: "A.P", library: "/l")
                == "was compiled when “tag.getter : Int” of “A.P”, which it calls, could not throw an error; in “/l” it can."
        )
        #expect(difference(throwing, plain, isImplemented: false) == nil)
        #expect(difference(throwing, plain, isImplemented: true) != nil)
        #expect(difference(plain, nil, isImplemented: false) == .removed)
    }

    @Test func theAccessorsThatAPluginCallsAreRecordedWithLibraryEvolution() throws {
        let requirements = ["tag.getter : Swift.Int", "static size.setter : Swift.Int", "run() -> ()"]
        for evolution in [true, false] {
            let whole = InterfaceRecord(modules: [
                "API": .init(hasEvolution: evolution, interfaces: ["API.P": .init(requirements: requirements)])
            ])
            let names = ["API.P.tag.getter : Swift.Int", "static API.P.size.setter : Swift.Int", "API.P.run() -> ()"]
            let used = whole.used(interfaces: [], naming: names.map { "dispatch thunk of " + $0 }) { _ in nil }
            #expect(used.modules["API"]?.interfaces["API.P"]?.calls == (evolution ? [0, 1] : []))
            #expect(try InterfaceRecord(used.list) == used)
        }
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
        // Values of a frozen type are passed in another way.
        #expect(RecordDifference(of: frozen, to: old, hasEvolution: true) == .frozen(now: false))
        #expect(RecordDifference(of: old, to: frozen, hasEvolution: true) == .frozen(now: true))
        #expect(RecordDifference(of: old, to: frozen, hasEvolution: false) == nil)
        let smaller = InterfaceRecord.Layout(kind: .structure, entries: ["x: Swift.Int"], isFrozen: true)
        #expect(
            RecordDifference(of: frozen, to: smaller, hasEvolution: true)
                == .entry(1, kind: .structure, was: "y: Swift.Int", now: nil))
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
        #expect(changes(["protocol A.Q"], ["protocol A.R"]) == [.parentRemoved, .parentAdded])
        #expect(changes(["associatedtype T"], []) == [.associatedRemoved])
        #expect(changes(["where Self.T: A.Q"], ["where Self.T: A.R"]) == [.associatedRemoved, .requirementAdded])
        // A getter and a getter that throws can stand beside each other.
        let both = ["a.getter : X" + InterfaceText.throwing, "a.getter : X"]
        #expect(changes(both, both) == [])
    }

    private func changes(
        _ old: InterfaceRecord.Layout, _ new: InterfaceRecord.Layout?, evolution: Bool
    ) -> [InterfaceChange.Kind] {
        let before = InterfaceRecord.Module(hasEvolution: evolution, types: ["A.T": old])
        let after = InterfaceRecord.Module(hasEvolution: evolution, types: new.map { ["A.T": $0] } ?? [:])
        return InterfaceChange.changes(from: before, to: after).map(\.kind)
    }

    @Test func eachChangeOfATypeHasItsKind() {
        let mode = InterfaceRecord.Layout(kind: .enumeration, entries: ["one", "two(Swift.Int)"])
        let less = InterfaceRecord.Layout(kind: .enumeration, entries: ["two(Swift.Int)"])
        #expect(changes(mode, less, evolution: true) == [.caseRemoved])
        #expect(changes(mode, less, evolution: false) == [.layout])
        #expect(changes(less, mode, evolution: true) == [.layout])
        #expect(changes(mode, nil, evolution: true) == [.typeRemoved])
        let node = InterfaceRecord.Layout(
            kind: .class,
            entries: ["superclass A.B", "v: Swift.Int", "init() -> A.T", "q() -> ()", "v.getter : Swift.Int"])
        let final = InterfaceRecord.Layout(kind: .class, entries: ["v: Swift.Int"])
        #expect(changes(node, final, evolution: true) == [.initialiserRemoved, .methodRemoved, .methodRemoved])
        #expect(changes(final, node, evolution: true) == [.layout])
        #expect(changes(mode, node, evolution: true) == [.typeKind])
        var frozen = mode
        frozen.isFrozen = true
        #expect(changes(mode, frozen, evolution: true) == [.frozen])
        #expect(changes(mode, frozen, evolution: false) == [])
        var wider = frozen
        wider.entries.append("three")
        #expect(changes(frozen, wider, evolution: true) == [.frozenLayout])
    }

    @Test func eachChangeOfAFunctionHasItsKind() throws {
        typealias Function = InterfaceRecord.Function
        let filter = InterfaceRecord.Interface(requirements: ["run(Swift.Int) -> ()", "static size.getter : Swift.Int"])
        func changes(
            _ name: String, _ old: Function?, _ new: Function?, types: [String: InterfaceRecord.Layout] = [:]
        ) -> [InterfaceChange.Kind] {
            var before = InterfaceRecord.Module(hasEvolution: true, interfaces: ["API.Filter": filter], types: types)
            var after = InterfaceRecord.Module(hasEvolution: true, interfaces: ["API.Filter": filter])
            before.functions = old.map { [name: $0] } ?? [:]
            after.functions = new.map { [name: $0] } ?? [:]
            return InterfaceChange.changes(from: before, to: after).map(\.kind)
        }
        let (plain, inlinable) = (Function(), Function(body: "1"))
        let name = "API.free(Swift.Int) -> Swift.Int"
        #expect(changes(name, plain, nil) == [.functionRemoved])
        #expect(changes(name, inlinable, nil) == [.inlinableRemoved])
        #expect(changes(name, nil, plain) == [.added])
        #expect(changes(name, inlinable, Function(body: "2")) == [.body])
        #expect(changes(name, inlinable, plain) == [.body])
        #expect(changes(name, plain, inlinable) == [])
        #expect(changes(name, Function(defaultValues: "1"), Function(defaultValues: "2")) == [.defaultValue])
        #expect(changes("API.T.x.getter : Swift.Int", Function(isOfStorage: true), nil) == [.accessorRemoved])
        let given = "(extension in API):API.Filter.run(Swift.Int) -> ()"
        #expect(changes(given, plain, nil) == [.defaultRemoved])
        #expect(changes(given, inlinable, nil) == [.inlinableDefaultRemoved])
        #expect(changes(given, inlinable, Function(body: "2")) == [.defaultBody])
        #expect(
            changes("static (extension in API):API.Filter.size.getter : Swift.Int", plain, nil) == [.defaultRemoved])
        #expect(changes("(extension in API):API.Filter.other() -> ()", plain, nil) == [.functionRemoved])
        // The type says enough.
        let gone = InterfaceRecord.Layout(kind: .structure, entries: [])
        #expect(changes("API.T.run() -> ()", plain, nil, types: ["API.T": gone]) == [.typeRemoved])
        var unknown = InterfaceRecord.Module(hasEvolution: true)
        unknown.functionText = "nonsense\n- - -\n1 - s API.x.getter : Swift.Int"
        #expect(unknown.functions == ["API.x.getter : Swift.Int": Function(body: "1", isOfStorage: true)])
        #expect(InterfaceChange.changes(from: unknown, to: .init(hasEvolution: true)) == [])
    }

    @Test(
        arguments: [
            ("API.free(Swift.Int) -> ()", "API", "free(Swift.Int) -> ()"),
            ("static (extension in B):API.P.run<A>() -> ()", "API.P", "static run<A>() -> ()"),
            ("API.Node.count.getter : Swift.Int", "API.Node", "count.getter : Swift.Int"),
            ("static API.Opt.< infix(API.Opt) -> Swift.Bool", "API.Opt", "static < infix(API.Opt) -> Swift.Bool"),
            ("API.Opt.subscript.setter : (Swift.Int) -> A", "API.Opt", "subscript.setter : (Swift.Int) -> A"),
        ])
    func aFunctionIsDividedIntoItsPlaceAndItsName(_ name: String, _ container: String, _ member: String) {
        let divided = InterfaceText.divided(name)
        #expect(divided.container == container && divided.member == member, "\(divided)")
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
        let functions: [Kind] = [
            .functionRemoved, .inlinableRemoved, .accessorRemoved, .body, .defaultBody, .defaultValue,
        ]
        for kind in Kind.allCases {
            let outcome = InterfaceRules.outcome(of: kind, role: .implementer, hasEvolution: true)
            #expect(outcome.isFine == (fine + functions).contains(kind), "\(kind)")
            let strict = InterfaceRules.outcome(of: kind, role: .implementer, hasEvolution: false)
            #expect(strict.isFine == (kind == .added || functions.contains(kind)), "\(kind)")
        }
        let callers: [Kind] = [
            .added, .requirementAddedWithDefault, .requirementAdded, .requirementsMoved, .throwingRemoved, .layout,
            .initialiserRemoved, .defaultRemoved, .inlinableDefaultRemoved, .body, .defaultBody, .defaultValue,
        ]
        for kind in Kind.allCases {
            let outcome = InterfaceRules.outcome(of: kind, role: .caller, hasEvolution: true)
            #expect(outcome.isFine == callers.contains(kind), "\(kind)")
        }
    }
}

import Foundation
import Synchronization
import Testing

@testable import PluginHost

/// Values that are passed to C and returned from it.
@Suite struct ForeignFunctionTests {
    private func call(_ name: String, _ arguments: ForeignValue...) throws -> ForeignValue {
        try FunctionFixture.bundle().function(name).call(with: arguments)
    }

    private func error(
        _ name: String, _ arguments: ForeignValue..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> PluginError {
        let function = try FunctionFixture.bundle().function(name)
        return try #require(
            #expect(throws: PluginError.self, sourceLocation: sourceLocation) { try function.call(with: arguments) })
    }

    // MARK: Numbers

    @Test(arguments: [
        ("e_int8", Int64(Int8.min), Int64(Int8.max)), ("e_int16", Int64(Int16.min), Int64(Int16.max)),
        ("e_int32", Int64(Int32.min), Int64(Int32.max)), ("e_int64", Int64.min, Int64.max),
    ])
    func signedNumbersKeepTheirWidthAndSign(name: String, least: Int64, most: Int64) throws {
        for value in [least, least + 1, -1, 0, 1, most - 1, most] {
            #expect(try call(name, .int(value)) == .int(value))
        }
        if least != .min {
            #expect(try error(name, .int(least - 1)).code == .argumentInvalid)
            #expect(try error(name, .int(most + 1)).code == .argumentInvalid)
        }
        #expect(try error(name, .uint(.max)).code == .argumentInvalid)
    }

    @Test(arguments: [
        ("e_uint8", UInt64(UInt8.max)), ("e_uint16", UInt64(UInt16.max)), ("e_uint32", UInt64(UInt32.max)),
        ("e_uint64", UInt64.max),
    ])
    func unsignedNumbersKeepTheirWidth(name: String, most: UInt64) throws {
        for value in [0, 1, most / 2, most / 2 + 1, most] { #expect(try call(name, .uint(value)) == .uint(value)) }
        #expect(try call(name, .int(7)) == .uint(7))
        if most != .max { #expect(try error(name, .uint(most + 1)).code == .argumentInvalid) }
        #expect(try error(name, .int(-1)).code == .argumentInvalid)
    }

    @Test func floatingPointAndTruthKeepEveryBit() throws {
        for value in [0, -0.0, 1.5, .infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude] as [Double] {
            #expect(try call("e_double", .double(value)) == .double(value))
        }
        for value in [0, -1.5, .infinity, .leastNonzeroMagnitude] as [Float] {
            #expect(try call("e_float", .float(value)) == .float(value))
        }
        guard case .double(let nan) = try call("e_double", .double(.nan)) else { throw Unexpected() }
        #expect(nan.isNaN)
        for value in [true, false] { #expect(try call("e_bool", .bool(value)) == .bool(value)) }
    }

    private struct Unexpected: Error {}

    @Test func argumentsBeyondTheRegistersStandInTheirOrder() throws {
        let integers: [ForeignValue] = [
            .int(-1), .int(-2), .int(-3), .int(-4), .uint(5), .uint(6), .uint(7), .uint(8), .bool(true), .int(10),
        ]
        let expected: Int64 = -1 - 4 - 9 - 16 + 25 + 36 + 49 + 64 + 9 + 100
        #expect(try FunctionFixture.bundle().function("integers").call(with: integers) == .int(expected))
        let floats: [ForeignValue] = (1...10).map { (number: Int) in
            number % 2 == 1 ? .float(Float(number)) : .double(Double(number))
        }
        #expect(try FunctionFixture.bundle().function("floats").call(with: floats) == .double(385))
        let mixed: [ForeignValue] = [
            .int(1), .float(2), .int(3), .double(4), .int(5), .float(6), .int(7), .double(8), .uint(9), .float(10),
            .uint(11), .double(12), .uint(13), .float(14), .uint(15), .double(16), .int(17), .float(18), .int(19),
            .double(20),
        ]
        #expect(try FunctionFixture.bundle().function("mixed").call(with: mixed) == .double(2870))
    }

    @Test func aFunctionWithoutArgumentsAndResultIsCalled() throws {
        let before = try call("count").int64 ?? 0
        #expect(try call("bump") == .void)
        #expect(try call("count") == .int(before + 1))
    }

    // MARK: Structs

    @Test func structsCrossInRegistersAndInMemory() throws {
        func numbers(_ values: Double...) -> ForeignValue { .structure(values.map(ForeignValue.double)) }
        #expect(try call("add", numbers(1, 2), numbers(10, 20)) == numbers(11, 22))
        #expect(
            try call("scale", .structure([.float(1.5), .float(-2)]), .float(2)) == .structure([.float(3), .float(-4)]))
        #expect(
            try call("swap", .structure([.int(-7), .double(0.5)])) == .structure([.double(0.5), .int(-7)]))
        #expect(
            try call("grow", .structure([.int(1), .int(2), .int(3)]), .int(10))
                == .structure([.int(11), .int(12), .int(13)]))
        let pair = ForeignValue.structure([.float(1), .float(2)])
        let gap = ForeignValue.structure([.int(-3), .int(.max)])
        #expect(
            try call("turn", .structure([pair, gap, .bool(true)])) == .structure([gap, pair, .bool(true)]))
        #expect(
            try call(
                "last", .int(1), .int(2), .int(3), .int(4), .int(5), .int(6), .structure([.int(7), .int(-8)]))
                == .int(21 + 700 - 8))
        #expect(try call("tiny", .structure([.int(-1), .int(300)])) == .structure([.int(300), .int(-1)]))
    }

    @Test func aStructLendsItsStringsAndBytesAndItsResultIsCopied() throws {
        let record = ForeignValue.structure([.string("näme"), .bytes([1, 2, 3]), .null])
        #expect(try call("describe", record) == .structure([.string("näme"), .bytes([1, 2, 3]), .int(6)]))
        let linked = ForeignValue.structure([.string(""), .bytes([]), .pointer(8)])
        #expect(try call("describe", linked) == .structure([.string(""), .bytes([]), .int(1)]))
    }

    @Test func aStructOfAnotherShapeIsRefused() throws {
        #expect(try error("tiny", .structure([.int(1)])).description.contains("has 1 field, and {int8, int16} has 2"))
        #expect(try error("tiny", .structure([.int(1), .double(1)])).description.contains("is not of type int16"))
        #expect(try error("tiny", .int(1)).code == .argumentInvalid)
        #expect(try error("describe", .structure([.null, .bytes([]), .null])).description.contains("is NULL, which"))
    }

    // MARK: Strings, bytes, pointers

    @Test func stringsCrossBothWays() throws {
        #expect(try call("version") == .string("1.2 – β"))
        #expect(try call("upper", .string("grün")) == .string("GRüN"))
        #expect(try call("upper", .string("")) == .string(""))
        #expect(try call("maybe", .string("a")) == .string("a"))
        #expect(try call("maybe", .null) == .null)
        #expect(try call("none_owned") == .null)
    }

    @Test func bytesCrossBothWays() throws {
        #expect(try call("sum", .bytes([1, 2, 255])) == .uint(258))
        #expect(try call("sum", .bytes([])) == .uint(0), "none have an address too")
        #expect(try call("slice", .bytes([1, 2, 3, 4]), .uint(1), .uint(2)) == .bytes([2, 3]))
        #expect(try call("reverse", .uint(9), .bytes([1, 2, 3]), .uint(8)) == .bytes([8, 3, 2, 1, 9]))
        #expect(try call("maybe_bytes", .bytes([5])) == .bytes([5]))
        #expect(try call("maybe_bytes", .bytes([])) == .bytes([]))
        #expect(try call("maybe_bytes", .null) == .null)
        let large = [UInt8](repeating: 1, count: 3 << 20)
        #expect(try call("sum", .bytes(large)) == .uint(UInt64(large.count)))
    }

    @Test func pointersCrossBothWays() throws {
        #expect(try call("pass", .pointer(.max - 7)) == .pointer(.max - 7))
        #expect(try call("pass", .null) == .null)
        #expect(try error("pass", .pointer(0)).code == .argumentInvalid)
    }

    @Test func aStringWithNULIsRefused() throws {
        #expect(try error("upper", .string("a\0b")).description.contains("contains a NUL character"))
    }

    // MARK: Errors

    @Test func aWrongNumberOfArgumentsIsRefused() throws {
        let few = try error("divide", .int(1))
        #expect(few.code == .argumentInvalid)
        #expect(few.findings[0].message == "The function “divide” was called with 1 argument, and takes 2.")
        #expect(few.findings[0].remedy == "Its signature is “(int32, int32) throws -> int32”.")
        #expect(try error("count", .int(1)).code == .argumentInvalid)
    }

    @Test(arguments: [
        ("e_int32", ForeignValue.string("1"), "“1” as argument 1, which is not of type int32"),
        ("e_int32", .double(1), "is not of type int32"),
        ("e_int8", .int(128), "128 as argument 1, which is outside of the range"),
        ("e_double", .float(1), "is not of type double"), ("e_bool", .int(1), "is not of type bool"),
        ("upper", .bytes([65]), "1 bytes as argument 1, which is not of type string"),
        ("sum", .string("a"), "is not of type bytes"),
        ("upper", .null, "NULL as argument 1, which is NULL, which string cannot be"),
        ("sum", .null, "bytes cannot be"),
        ("apply", .int(1), "takes 2"),
        ("e_int32", .callback { _ in .void }, "a callback as argument 1, which is not of type int32"),
    ])
    func anArgumentOfAnotherTypeIsRefused(name: String, value: ForeignValue, complaint: String) throws {
        let error = try error(name, value)
        #expect(error.code == .argumentInvalid)
        #expect(error.description.contains(complaint), "\(error)")
    }

    @Test(arguments: [
        ("nothing", "gave a result that is NULL, which only the type string? allows."),
        ("null_pointer", "is NULL, which only the type pointer? allows."),
        ("spoilt", "is not UTF-8: “a\\xFFb”."), ("bad_bytes", "has 5 bytes at NULL."),
    ])
    func aResultThatIsNoneOfItsTypeIsAnError(name: String, complaint: String) throws {
        let error = try error(name)
        #expect(error.code == .resultInvalid)
        #expect(error.findings[0].message.hasSuffix(complaint), "\(error)")
    }

    @Test func aFunctionThatThrowsGivesItsResultOrItsReason() throws {
        #expect(try call("divide", .int(7), .int(2)) == .int(3))
        #expect(try call("refuse", .bool(false)) == .void)
        #expect(try call("greet", .string("you")) == .string("you"))
        let half = ForeignValue.structure([.double(1), .double(2)])
        #expect(try call("divide_point", .structure([.double(2), .double(4)]), .double(2)) == half)
        let failed = try error("divide", .int(7), .int(0))
        #expect(failed.code == .functionFailed)
        #expect(
            failed.findings[0].message
                == "The function “divide” failed (org.example.Functions, code 7): The divisor is zero.")
        #expect(failed.findings[0].remedy == "Use another number.")
        #expect(try error("refuse", .bool(true)).code == .functionFailed)
        #expect(try error("greet", .string("")).code == .functionFailed)
        #expect(try error("divide_point", half, .double(0)).code == .functionFailed)
    }

    @Test func aFailureWithoutAReasonIsNotThatOfAnEarlierOne() throws {
        #expect(try error("refuse", .bool(true)).description.contains("It is refused"))
        #expect(try error("silent").description.contains("returned -42 and gave no reason"))
    }

    @Test func aFunctionThatIsNotOfferedIsNamedWithThoseThatAre() throws {
        let bundle = try FunctionFixture.make(
            "FewOffered", FunctionFixture.source("static int32_t one(void) { return 1; }", "R(one, \"() -> int32\")"))
        let error = try #require(#expect(throws: PluginError.self) { try bundle.function("two") })
        #expect(error.code == .functionUnavailable)
        #expect(error.description.contains("“two” is not offered; the bundle offers one"))
    }

    @Test func theSignatureThatIsAskedForIsComparedWithThePluginsOwn() throws {
        let bundle = try FunctionFixture.bundle()
        _ = try bundle.function("add", "({double, double}, {a: double, b: double}) -> {double, double}")
        let other = #expect(throws: PluginError.self) { try bundle.function("divide", "(int32, int32) -> int32") }
        #expect(other?.code == .signatureMismatch)
        let nonsense = #expect(throws: PluginError.self) { try bundle.function("divide", "(int32, int) -> int32") }
        #expect(nonsense?.code == .signatureInvalid)
        #expect(
            nonsense?.description.contains("wrong at character 9: “int” is not a type; did you mean “int8”?") == true)
    }

    @Test func aDeclaredSignatureThatDiffersFromTheRegisteredOneFailsTheLoad() throws {
        let bundle = try FunctionFixture.make(
            "DeclaredOtherwise",
            FunctionFixture.source("static int32_t one(void) { return 1; }", "R(one, \"() -> int32\")"),
            info: "PHFunctions = { one = \"() -> int64\"; };")
        let error = try #require(#expect(throws: PluginError.self) { try bundle.loadAndReturnError() })
        #expect(error.code == .signatureMismatch)
        #expect(
            error.findings[0].message
                == "PHFunctions declares “one” as “() -> int64”, and the plug-in registered it as “() -> int32”.")
    }

    @Test func aDeclaredFunctionThatIsNeitherRegisteredNorExportedIsAFinding() throws {
        let bundle = try FunctionFixture.make(
            "DeclaredOnly",
            FunctionFixture.source(
                "static int32_t one(void) { return 1; } PLUGIN_EXPORT int32_t three(void); int32_t three(void) { return 3; }",
                "R(one, \"() -> int32\")"),
            info: "PHFunctions = { one = \"() -> int32\"; two = \"() -> int32\"; three = \"() -> int32\"; };")
        try bundle.loadAndReturnError()
        #expect(bundle.loadWarnings.map(\.code) == [.unfulfilledDeclaration])
        #expect(bundle.loadWarnings.map(\.subject) == ["two"])
        #expect(try bundle.function("three")() == .int(3))
        let error = #expect(throws: PluginError.self) { try bundle.function("two") }
        #expect(error?.code == .functionUnavailable)
        #expect(error?.description.contains("is declared in PHFunctions but not exported") == true)
    }

    @Test func aFunctionOfAnUnloadedBundleIsNotCalledUntilTheNextLoad() throws {
        let bundle = try FunctionFixture.make(
            "Unloaded", FunctionFixture.source("static int32_t one(void) { return 1; }", "R(one, \"() -> int32\")"))
        let function = try bundle.function("one")
        let typed = try bundle.function("one", as: (() -> Int32).self)
        #expect(try function() == .int(1))
        #expect(bundle.unload())
        for error in [
            #expect(throws: PluginError.self) { try function() }, #expect(throws: PluginError.self) { try typed() },
        ] {
            #expect(error?.code == .functionUnavailable)
            #expect(error?.description.contains("“one” cannot be called, because its bundle was unloaded") == true)
        }
        try bundle.loadAndReturnError()
        #expect(try function() == .int(1))
        #expect(try typed() == 1)
    }

    // MARK: Threads

    @Test func oneFunctionIsCalledOnManyThreads() throws {
        let bundle = try FunctionFixture.bundle()
        let (divide, upper) = (try bundle.function("divide"), try bundle.function("upper"))
        let add = try bundle.function("e_int64", as: ((Int64) -> Int64).self)
        let wrong = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 1...200 {
                let number = Int64(thread * 1000 + round)
                let reason = "\(number)"
                let quotient = try? divide(.int(number), .int(1)).int64
                let text = try? upper(.string("t\(reason)")).string
                let failure = round % 7 == 0 ? (try? divide(.int(1), .int(0))) : nil
                if quotient != number || text != "T\(reason)" || failure != nil || (try? add(number)) != number {
                    wrong.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }
}

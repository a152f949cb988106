import BundleReading
import Foundation
import Testing

@testable import PluginHost

private struct Point: ForeignStruct, Equatable {
    var x, y: Double
    static let foreignType = ForeignType.structure([.init("x", .double), .init("y", .double)])
}

private struct Triple: ForeignStruct, Equatable {
    var a, b, c: Int64
    static let foreignType = ForeignType.structure([.init(nil, .int64), .init(nil, .int64), .init(nil, .int64)])
}

/// Its layout in Swift is shorter than in C.
private struct Short: ForeignStruct {
    var a: Int64
    var b: Int32
    static let foreignType = ForeignType.structure([.init(nil, .int64), .init(nil, .int32)])
}

/// As long as the struct in C, but aligned to 16 bytes.
private struct Vector: ForeignStruct {
    var x: SIMD2<Double>
    static let foreignType = Point.foreignType
}

/// Functions that are found by the Swift types of their arguments and result.
@Suite struct TypedFunctionTests {
    @Test func numbersAndStructsOfThemCross() throws {
        let bundle = try FunctionFixture.bundle()
        #expect(try bundle.function("e_int8", as: ((Int8) -> Int8).self)(-7) == -7)
        #expect(try bundle.function("e_uint64", as: ((UInt) -> UInt64).self)(.max) == .max)
        #expect(try bundle.function("e_bool", as: ((Bool) -> Bool).self)(true))
        #expect(try bundle.function("e_float", as: ((Float) -> Float).self)(0.5) == 0.5)
        let add = try bundle.function("add", as: ((Point, Point) -> Point).self)
        #expect(try add(Point(x: 1, y: 2), Point(x: 10, y: 20)) == Point(x: 11, y: 22))
        let grow = try bundle.function("grow", as: ((Triple, Int64) -> Triple).self)
        #expect(try grow(Triple(a: 1, b: 2, c: 3), 10) == Triple(a: 11, b: 12, c: 13))
        let integers = try bundle.function(
            "integers", as: ((Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Bool, Int) -> Int64).self)
        #expect(try integers(-1, -2, -3, -4, 5, 6, 7, 8, true, 10) == 253)
        let blend = try bundle.function("blend", as: ((Int8, Point, Float, Bool, Triple, UInt16) -> Double).self)
        #expect(try blend(-1, Point(x: 2, y: 4), 8, true, Triple(a: 16, b: 32, c: 64), 128) == 254)
        let bump = try bundle.function("bump", as: (() -> Void).self)
        try bump()
    }

    @Test func stringsBytesAndNullCross() throws {
        let bundle = try FunctionFixture.bundle()
        #expect(try bundle.function("upper", as: ((String) -> String).self)("abc") == "ABC")
        #expect(try bundle.function("version", as: (() -> String).self)() == "1.2 – β")
        let maybe = try bundle.function("maybe", as: ((String?) -> String?).self)
        #expect(try maybe(nil) == nil)
        #expect(try maybe("x") == "x")
        #expect(try bundle.function("none_owned", as: (() -> String?).self)() == nil)
        let reverse = try bundle.function("reverse", as: ((UInt8, [UInt8], UInt8) -> [UInt8]).self)
        #expect(try reverse(9, [1, 2], 8) == [8, 2, 1, 9])
        let pass = try bundle.function("pass", as: ((UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?).self)
        #expect(try pass(nil) == nil)
    }

    @Test func aFunctionThatThrowsThrows() throws {
        let divide = try FunctionFixture.bundle().function("divide", as: ((Int32, Int32) -> Int32).self)
        #expect(try divide(9, 2) == 4)
        let error = #expect(throws: PluginError.self) { try divide(1, 0) }
        #expect(error?.code == .functionFailed)
        let refuse = try FunctionFixture.bundle().function("refuse", as: ((Bool) -> Void).self)
        try refuse(false)
        #expect(throws: PluginError.self) { try refuse(true) }
        let half = try FunctionFixture.bundle().function("divide_point", as: ((Point, Double) -> Point).self)
        #expect(try half(Point(x: 2, y: 4), 2) == Point(x: 1, y: 2))
    }

    @Test func typesThatDoNotFitTheSignatureAreRefusedWhenTheFunctionIsLookedUp() throws {
        let bundle = try FunctionFixture.bundle()
        let narrow = #expect(throws: PluginError.self) { try bundle.function("e_int32", as: ((Int64) -> Int32).self) }
        #expect(narrow?.code == .signatureMismatch)
        #expect(narrow?.description.contains("“(Int64) -> Int32”, and its signature is “(int32) -> int32”") == true)
        for error in [
            #expect(throws: PluginError.self) { try bundle.function("e_int32", as: ((Int32) -> UInt32).self) },
            #expect(throws: PluginError.self) { try bundle.function("e_int32", as: (() -> Int32).self) },
            #expect(throws: PluginError.self) { try bundle.function("e_int32", as: ((Int32, Int32) -> Int32).self) },
            #expect(throws: PluginError.self) { try bundle.function("e_int32", as: ((Int32) -> Void).self) },
            #expect(throws: PluginError.self) { try bundle.function("upper", as: ((String?) -> String).self) },
            #expect(throws: PluginError.self) { try bundle.function("maybe", as: ((String?) -> String).self) },
            #expect(throws: PluginError.self) { try bundle.function("bump", as: (() -> Int32).self) },
        ] {
            #expect(error?.code == .signatureMismatch)
        }
    }

    @Test func aSwiftStructOfAnotherSizeOrAlignmentThanTheStructInCFitsNoSignature() throws {
        #expect(MemoryLayout<Short>.size == 12 && Short.foreignType.layout.size == 16)
        #expect(!Short.isForeign(Short.foreignType))
        #expect(MemoryLayout<Vector>.size == Vector.foreignType.layout.size && !Vector.isForeign(Vector.foreignType))
        #expect(Point.isForeign(Point.foreignType))
        #expect(Point(foreignValue: .structure([.double(1), .double(2)])) == Point(x: 1, y: 2))
        #expect(Point(x: 1, y: 2).foreignValue == .structure([.double(1), .double(2)]))
        #expect(Point(foreignValue: .double(1)) == nil)
    }
}

import BundleReading
import TestSupport
import Testing

@testable import ForeignCalls

@Suite struct ForeignSignatureTests {
    @Test func aSignatureIsReadWithAndWithoutBlanks() throws {
        let signature = try ForeignSignature(" ( bytes ,uint32,string\n ) ->  double ")
        #expect(signature.arguments == [.bytes, .uint32, .string])
        #expect(signature.result == .double)
        #expect(signature.description == "(bytes, uint32, string) -> double")
        #expect(try ForeignSignature("()->void").arguments.isEmpty)
        #expect(try ForeignSignature("()throws->void").isThrowing)
    }

    @Test func everyFormIsReadAndWritten() throws {
        let texts = [
            "(bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, double) -> void",
            "(pointer, pointer?, string, string?, bytes, bytes?) -> bytes?",
            "() -> owned string", "() throws -> owned bytes?",
            "({x: double, y: {int8, string?, bytes}}) -> {{float}, pointer?}",
            "((int32, {int8}) throws -> owned string, kept () -> void) -> int32",
        ]
        for text in texts { #expect(try ForeignSignature(text).description == text) }
    }

    @Test func theNamesOfFieldsDoNotMakeASignatureAnother() throws {
        let named = try ForeignSignature("({x: double, y: double}) -> void")
        #expect(named == (try ForeignSignature("({double, double}) -> void")))
        #expect(named.hashValue == (try ForeignSignature("({a: double, b: double}) -> void")).hashValue)
        #expect(named != (try ForeignSignature("({double, float}) -> void")))
        #expect(try ForeignSignature("(string?) -> void") != ForeignSignature("(string) -> void"))
        #expect(try ForeignSignature("(kept () -> void) -> void") != ForeignSignature("(() -> void) -> void"))
        #expect(try ForeignSignature("() throws -> void") != ForeignSignature("() -> void"))
    }

    @Test func structsHaveTheLayoutOfC() throws {
        func layout(_ text: String) throws -> [Int] {
            guard case .structure(let fields) = try ForeignSignature("(\(text)) -> void").arguments[0] else {
                return []
            }
            return fields.places.map(\.offset) + [ForeignType.structure(fields).layout.size]
        }
        #expect(try layout("{int8, int16, int32, int64}") == [0, 2, 4, 8, 16])
        #expect(try layout("{int8, double, bool}") == [0, 8, 16, 24])
        #expect(try layout("{int8, {int8, int16}, float}") == [0, 2, 8, 12])
        #expect(try layout("{bool, bytes, int8}") == [0, 8, 24, 32])
    }

    @Test(arguments: [
        ("", 1, "the end stands where “(” is expected, for the arguments"),
        ("()", 3, "the end stands where “->” is expected, for the result"),
        ("() -> void -> void", 12, "“-” stands after the signature's end"),
        ("bytes -> uint32", 1, "“bytes” stands where “(” is expected"),
        ("( -> void", 3, "“-” stands where a type is expected"),
        ("(int) -> void", 2, "“int” is not a type; did you mean “int8”?"),
        ("(Int32) -> void", 2, "did you mean “int32”?"),
        ("(char) -> void", 2, "“char” is not a type; the types are bool, bytes, double"),
        ("(void) -> void", 2, "“void” cannot be the type of an argument"),
        ("({void}) -> void", 3, "“void” cannot be the type of a field"),
        ("(bytes,) -> void", 8, "“)” stands where a type is expected"),
        ("(bytes bytes) -> void", 8, "“bytes” stands where “,” or “)” is expected, for the end of the arguments"),
        ("() -> ", 7, "the end stands where a type is expected"),
        ("(int32?) -> void", 7, "“int32” cannot be NULL"),
        ("({}) -> void", 3, "“}” stands where a type is expected"),
        ("({int8) -> void", 7, "where “,” or “}” is expected, for the end of the struct"),
        ("({a: int8, b: int8, a: int8}) -> void", 21, "two fields are called “a”"),
        ("({a: int8, int8}) -> void", 12, "some fields of the struct have a name and others have none"),
        ("(owned string) -> void", 2, "only a result can be “owned”"),
        ("() -> owned int8", 13, "“string” or “bytes” is expected after “owned”"),
        ("() -> {owned string}", 8, "only a result can be “owned”"),
        ("() -> () -> void", 7, "a callback can only be an argument"),
        ("({() -> void}) -> void", 3, "a callback can only be an argument"),
        ("((() -> void) -> void) -> void", 3, "a callback can only be an argument"),
        ("(kept int8) -> void", 7, "“int8” stands where “(” is expected"),
        ("(() -> string) -> void", 8, "a callback's result cannot be a borrowed “string”; use “owned string”"),
        ("(() -> {bytes}) -> void", 9, "a callback's result cannot be a borrowed “bytes”"),
        ("(ünt8) -> void", 2, "“ü” stands where a type is expected"),
        ("(string, ü) -> void", 10, "“ü” stands where a type is expected"),
    ])
    func whatIsNoSignatureHasThePlaceAndTheReason(text: String, position: Int, problem: String) {
        let fault = #expect(throws: ForeignSignature.Fault.self) { try ForeignSignature(text) }
        #expect(fault?.position == position)
        #expect(fault?.problem.contains(problem) == true, "\(fault?.problem ?? "")")
    }

    // MARK: Generated signatures

    @Test func everySignatureOfTheGrammarIsReadBackAsItIsWritten() throws {
        var random = SeededGenerator(seed: 450)
        for _ in 0..<3000 {
            let signature = RandomSignature.make(&random)
            let text = RandomSignature.spaced(signature.description, &random)
            let read = try ForeignSignature(text)
            #expect(read == signature && read.description == signature.description, "\(text)")
            #expect(PreparedSignature(signature) != nil, "\(text)")
        }
    }

    @Test func aDamagedSignatureIsReadOrHasAFaultInTheText() {
        var random = SeededGenerator(seed: 451)
        for _ in 0..<20_000 {
            var text = Array(RandomSignature.make(&random).description.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0...text.count, using: &random)
                let byte = Array("(){}?:,-> aoxnü".utf8).randomElement(using: &random)!
                if Bool.random(using: &random) || place == text.count {
                    text.insert(byte, at: place)
                } else {
                    text.remove(at: place)
                }
            }
            let damaged = String(decoding: text, as: UTF8.self)
            do throws(ForeignSignature.Fault) {
                let read = try ForeignSignature(damaged)
                #expect((try? ForeignSignature(read.description)) == read)
            } catch {
                #expect(1...damaged.unicodeScalars.count + 1 ~= error.position && !error.problem.isEmpty)
            }
        }
    }
}

/// Makes random signatures that follow the grammar and its limits.
enum RandomSignature {
    static func make(_ random: inout SeededGenerator) -> ForeignSignature {
        signature(isCallback: false, &random)
    }

    private static func signature(isCallback: Bool, _ random: inout SeededGenerator) -> ForeignSignature {
        let count = Int.random(in: 0...(isCallback ? 3 : 6), using: &random)
        let arguments = (0..<count).map { _ -> ForeignType in
            if !isCallback, Int.random(in: 0..<6, using: &random) == 0 {
                let inner = signature(isCallback: true, &random)
                return Bool.random(using: &random) ? .callback(inner) : .kept(inner)
            }
            return value(depth: 0, lends: true, &random)
        }
        return ForeignSignature(
            arguments: arguments, result: result(isCallback, &random), isThrowing: Bool.random(using: &random))
    }

    private static func result(_ isCallback: Bool, _ random: inout SeededGenerator) -> ForeignType {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .void
        case 1: .owned([.string, .bytes, .optional(.string), .optional(.bytes)].randomElement(using: &random)!)
        default: value(depth: 0, lends: !isCallback, &random)
        }
    }

    private static func value(depth: Int, lends: Bool, _ random: inout SeededGenerator) -> ForeignType {
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where depth < 3:
            let hasNames = Bool.random(using: &random)
            return .structure(
                (0..<Int.random(in: 1...4, using: &random)).map { index in
                    .init(hasNames ? "f\(index)" : nil, value(depth: depth + 1, lends: lends, &random))
                })
        case 1 where lends: return [.string, .bytes].randomElement(using: &random)!
        case 2 where lends: return .optional([.string, .bytes].randomElement(using: &random)!)
        case 3: return [.pointer, .optional(.pointer)].randomElement(using: &random)!
        default:
            let numbers: [ForeignType] = [
                .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double,
            ]
            return numbers.randomElement(using: &random)!
        }
    }

    /// The same text with other white space.
    static func spaced(_ text: String, _ random: inout SeededGenerator) -> String {
        var result = ""
        for character in text {
            if "(){},:".contains(character), Bool.random(using: &random) {
                result += [" ", "\t", "\n", "  "].randomElement(using: &random)!
            }
            result.append(character)
        }
        return result
    }
}

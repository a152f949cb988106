import PluginHost

/// Makes signatures of C functions.
///
/// Most follow the grammar, some exceed its limits; then they are damaged.
enum HostileSignatures {
    static func input(_ random: inout SeededGenerator) -> [UInt8] {
        var text = Array(signature(depth: 0, &random).utf8)
        for _ in 0..<random.below(random.oneIn(3) ? 12 : 2) where !text.isEmpty {
            let place = random.below(text.count)
            switch random.below(4) {
            case 0: text.remove(at: place)
            case 1: text.insert(contentsOf: Array(random.pick(tokens).utf8), at: place)
            case 2: text[place] = UInt8(truncatingIfNeeded: random.next())
            default:
                let piece = Array(text[place..<min(text.count, place + 1 + random.below(24))])
                for _ in 0..<random.below(random.oneIn(16) ? 600 : 8) { text.insert(contentsOf: piece, at: place) }
            }
        }
        return text
    }

    private static func signature(depth: Int, _ random: inout SeededGenerator) -> String {
        let count = random.below(random.oneIn(20) ? 40 : 5)
        let arguments = (0..<count).map { _ in type(depth: depth, &random) }.joined(
            separator: random.pick([",", ", "]))
        let throwing = random.oneIn(3) ? "throws " : ""
        let result =
            random.oneIn(4) ? random.pick(["void", "owned string", "owned bytes?"]) : type(depth: depth, &random)
        return "(\(arguments)) \(throwing)-> \(result)"
    }

    private static func type(depth: Int, _ random: inout SeededGenerator) -> String {
        switch random.below(depth < (random.oneIn(8) ? 12 : 3) ? 8 : 6) {
        case 6:
            let hasNames = random.oneIn(2)
            let fields = (0..<1 + random.below(random.oneIn(30) ? 80 : 4)).map { number in
                (hasNames ? "f\(random.oneIn(20) ? 0 : number): " : "") + type(depth: depth + 1, &random)
            }
            return "{\(fields.joined(separator: ", "))}"
        case 7: return (random.oneIn(2) ? "kept " : "") + signature(depth: depth + 1, &random)
        default: return random.pick(words)
        }
    }

    private static let words = [
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double", "pointer",
        "pointer?", "string", "string?", "bytes", "bytes?",
    ]

    private static let tokens =
        words + [
            "(", ")", "{", "}", ",", ":", "?", "->", "throws", "owned ", "kept ", "void", " ", "\n", "\0", "ü", "int",
        ]
}

/// Checks rules that hold for every text that is read as a signature.
struct SignatureChecks {
    let bytes: UnsafeRawBufferPointer

    func run() throws(Violation) {
        let text = String(decoding: bytes, as: UTF8.self)
        let signature: ForeignSignature
        do throws(ForeignSignature.Fault) { signature = try ForeignSignature(text) } catch {
            return try check(error, in: text)
        }
        let written = signature.description
        // The written form may have more spaces, and then be longer than the limit.
        guard written.utf8.count <= 4096 else { return }
        guard let again = try? ForeignSignature(written), again == signature, again.description == written else {
            throw Violation("what is written is not read as the same: \(written)")
        }
        guard signature.arguments.count <= 32 else { throw Violation("more arguments than the limit") }
    }

    private func check(_ fault: ForeignSignature.Fault, in text: String) throws(Violation) {
        guard 1...text.unicodeScalars.count + 1 ~= fault.position else {
            throw Violation("the fault's character \(fault.position) is outside: \(fault.problem)")
        }
        let isPrintable = fault.problem.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
        }
        guard isPrintable, !fault.problem.isEmpty, fault.problem.utf8.count < 1500 else {
            throw Violation("the fault's message may not be printed: \(fault.problem.debugDescription)")
        }
    }
}

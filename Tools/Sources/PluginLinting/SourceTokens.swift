/// The words, signs and literals of a Swift, C, C++ or Objective-C source, as precisely as needed to find the texts in it.
///
/// It uses the few rules that all these languages share, and Swift's for its own literals. What it reads as a literal is
/// one, unless the preprocessor changes that.
struct SourceTokens {
    struct Token {
        enum Kind: Equatable {
            case word(String)
            case sign(UInt8)
            /// The text between interpolations: one piece if there are none.
            case literal([String])
        }

        let kind: Kind
        let offset: Int

        /// The text of a literal without interpolations.
        var text: String? {
            if case .literal(let pieces) = kind, pieces.count == 1 { pieces[0] } else { nil }
        }

        func isSign(_ sign: Unicode.Scalar) -> Bool { kind == .sign(UInt8(ascii: sign)) }
        func isWord(_ word: String) -> Bool { kind == .word(word) }
    }

    /// In the order of the source; those inside of an interpolation come before its literal.
    private(set) var tokens: [Token] = []
    private let bytes: [UInt8]
    private var index = 0
    private let isSwift: Bool
    /// How many interpolations are open.
    ///
    /// Beyond a depth that nobody writes, further interpolations are read as text.
    private var depth = 0
    private static let deepest = 16

    init(_ bytes: [UInt8], isSwift: Bool) {
        self.bytes = bytes
        self.isSwift = isSwift
        read(untilClosed: false)
    }

    private func byte(_ offset: Int) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }

    /// Reads to the end, or to the parenthesis that closes an interpolation.
    private mutating func read(untilClosed: Bool) {
        var open = 1
        while index < bytes.count {
            let next = bytes[index]
            switch next {
            case 0...0x20: index += 1
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
                while index < bytes.count, bytes[index] != 0x0A { index += 1 }
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"): skipComment()
            case UInt8(ascii: "\""): readLiteral(hashes: 0)
            case UInt8(ascii: "#") where isSwift: readHashes()
            case UInt8(ascii: "R") where !isSwift && byte(1) == UInt8(ascii: "\""): readRawLiteral()
            case UInt8(ascii: "'") where !isSwift: skipCharacter()
            case _ where Self.isWord(next): readWord()
            default:
                if next == UInt8(ascii: "(") { open += 1 }
                if next == UInt8(ascii: ")") { open -= 1 }
                if untilClosed, open == 0 {
                    index += 1
                    return
                }
                tokens.append(Token(kind: .sign(next), offset: index))
                index += 1
            }
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private mutating func readWord() {
        let start = index
        while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
        tokens.append(Token(kind: .word(String(decoding: bytes[start..<index], as: UTF8.self)), offset: start))
    }

    /// Swift's comments nest.
    private mutating func skipComment() {
        var open = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*"), isSwift || open == 0 {
                open += 1
                index += 2
            } else if bytes[index] == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
                open -= 1
                index += 2
                if open == 0 { return }
            } else {
                index += 1
            }
        }
    }

    private mutating func skipCharacter() {
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "'"), bytes[index] != 0x0A {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index += 1
    }

    private mutating func readHashes() {
        var hashes = 0
        while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
        let isLiteral = byte(hashes) == UInt8(ascii: "\"")
        index += hashes
        if isLiteral { readLiteral(hashes: hashes) }
    }

    /// `R"mark( … )mark"`.
    private mutating func readRawLiteral() {
        let start = index
        index += 2
        var mark: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "("), mark.count < 17 {
            mark.append(bytes[index])
            index += 1
        }
        let end = [UInt8(ascii: ")")] + mark + [UInt8(ascii: "\"")]
        index += 1
        let first = index
        while index < bytes.count, !bytes[index...].starts(with: end) { index += 1 }
        let text = String(decoding: bytes[min(first, bytes.count)..<min(index, bytes.count)], as: UTF8.self)
        tokens.append(Token(kind: .literal([text]), offset: start))
        index += end.count
    }

    /// Reads a literal whose first quote is at the index.
    private mutating func readLiteral(hashes: Int) {
        let start = index
        let isMultiline = isSwift && byte(1) == UInt8(ascii: "\"") && byte(2) == UInt8(ascii: "\"")
        let quotes = isMultiline ? 3 : 1
        index += quotes
        var pieces: [String] = []
        var piece: [UInt8] = []
        while index < bytes.count {
            if isEnd(quotes: quotes, hashes: hashes) {
                index += quotes + hashes
                break
            }
            if bytes[index] == 0x0A, !isMultiline { break }
            guard bytes[index] == UInt8(ascii: "\\"), (0..<hashes).allSatisfy({ byte(1 + $0) == UInt8(ascii: "#") })
            else {
                piece.append(bytes[index])
                index += 1
                continue
            }
            index += 1 + hashes
            if isSwift, byte(0) == UInt8(ascii: "("), depth < Self.deepest {
                index += 1
                pieces.append(String(decoding: piece, as: UTF8.self))
                piece = []
                depth += 1
                read(untilClosed: true)
                depth -= 1
            } else {
                readEscape(into: &piece)
            }
        }
        pieces.append(String(decoding: isMultiline ? Self.unindented(piece) : piece, as: UTF8.self))
        tokens.append(Token(kind: .literal(pieces), offset: start))
    }

    private func isEnd(quotes: Int, hashes: Int) -> Bool {
        (0..<quotes).allSatisfy { byte($0) == UInt8(ascii: "\"") }
            && (0..<hashes).allSatisfy { byte(quotes + $0) == UInt8(ascii: "#") }
    }

    private mutating func readEscape(into piece: inout [UInt8]) {
        let letter = byte(0)
        index += 1
        switch letter {
        case UInt8(ascii: "n"): piece.append(0x0A)
        case UInt8(ascii: "t"): piece.append(0x09)
        case UInt8(ascii: "r"): piece.append(0x0D)
        case UInt8(ascii: "u"), UInt8(ascii: "U"), UInt8(ascii: "x"): readScalar(into: &piece)
        default: piece.append(letter)
        }
    }

    /// `\u{e9}` of Swift, `\u00e9` and `\xc3` of C.
    private mutating func readScalar(into piece: inout [UInt8]) {
        let isBraced = byte(0) == UInt8(ascii: "{")
        let isByte = bytes[index - 1] == UInt8(ascii: "x")
        if isBraced { index += 1 }
        var value: UInt32 = 0
        var digits = 0
        while digits < (isByte ? 2 : 8), let digit = Character(Unicode.Scalar(byte(0))).hexDigitValue {
            value = value << 4 | UInt32(digit)
            index += 1
            digits += 1
            if !isBraced, !isByte, digits == 4 { break }
        }
        if isBraced, byte(0) == UInt8(ascii: "}") { index += 1 }
        if isByte {
            piece.append(UInt8(truncatingIfNeeded: value))
        } else if let scalar = Unicode.Scalar(value) {
            piece += Array(String(scalar).utf8)
        }
    }

    /// The text of a literal of several lines: without the line breaks at its ends, and the indent of its last line.
    private static func unindented(_ text: [UInt8]) -> [UInt8] {
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count > 1, let last = lines.popLast() else { return text }
        lines.removeFirst()
        return Array(lines.map { $0.starts(with: last) ? $0.dropFirst(last.count) : $0 }.joined(separator: [0x0A]))
    }
}

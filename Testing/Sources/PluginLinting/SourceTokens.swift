/// The words, signs and literals of a Swift, C, C++ or Objective-C source, as precisely as needed to find the texts in
/// it.
///
/// It uses the few rules that all these languages share, and each language's own rules for its literals. Everything
/// that it reads as a literal is one, unless the preprocessor changes that.
///
/// **Cost.** Linear in the size of the source; a token takes about as much memory as 50 bytes of text.
@_spi(Tools) public struct SourceTokens {
    /// A word, a sign or a literal.
    public struct Token {
        /// The kind of a token, with its text.
        public enum Kind: Equatable {
            case word(String)
            case sign(UInt8)
            /// The text between interpolations: one piece if there are none.
            case literal([String])
        }

        /// What it is.
        public let kind: Kind
        /// The byte of the source where it begins.
        public let offset: Int

        /// The text of a literal without interpolations.
        public var text: String? {
            if case .literal(let pieces) = kind, pieces.count == 1 { pieces[0] } else { nil }
        }

        /// Whether it is a literal with an interpolation.
        public var isInterpolated: Bool {
            if case .literal(let pieces) = kind { pieces.count > 1 } else { false }
        }

        /// Whether it is a literal, with or without interpolations.
        public var isLiteral: Bool {
            if case .literal = kind { true } else { false }
        }

        /// The text of a word; nil for anything else.
        public var word: String? {
            if case .word(let word) = kind { word } else { nil }
        }

        /// Whether it is this sign.
        public func isSign(_ sign: Unicode.Scalar) -> Bool { kind == .sign(UInt8(ascii: sign)) }
        /// Whether it is this word.
        public func isWord(_ word: String) -> Bool { kind == .word(word) }
    }

    /// The tokens in the order of the source.
    ///
    /// Those inside an interpolation come before its literal.
    public private(set) var tokens: [Token] = []
    /// Whether the source is in Swift; otherwise it is in a language of C's family.
    public let isSwift: Bool
    let bytes: [UInt8]
    var index = 0
    /// How many interpolations are open.
    ///
    /// Interpolations nested more deeply than ``deepest`` are read as text.
    private var depth = 0
    private static let deepest = 16

    /// Divides a source into its tokens.
    public init(_ bytes: [UInt8], isSwift: Bool) {
        self.bytes = bytes
        self.isSwift = isSwift
        read(untilClosed: false)
    }

    func byte(_ offset: Int) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }

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
            case UInt8(ascii: "'") where !isSwift: skipCharacter()
            // A macro continues on the next line.
            case UInt8(ascii: "\\") where !isSwift && lineBreak(at: 1) > 0: index += 1 + lineBreak(at: 1)
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

    /// The length of a line break: LF or CR LF.
    ///
    /// 0 if there is none.
    func lineBreak(at offset: Int) -> Int {
        if byte(offset) == 0x0A { return 1 }
        return byte(offset) == 0x0D && byte(offset + 1) == 0x0A ? 2 : 0
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// The prefixes of literals in C and C++ that change only the type.
    private static let prefixes: Set = ["L", "u", "U", "u8"]
    private static let rawPrefixes: Set = ["R", "LR", "uR", "UR", "u8R"]

    private mutating func readWord() {
        let start = index
        while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
        let word = String(decoding: bytes[start..<index], as: UTF8.self)
        if !isSwift, byte(0) == UInt8(ascii: "\"") {
            if Self.rawPrefixes.contains(word) { return readRawLiteral(from: start) }
            if Self.prefixes.contains(word) { return }
        }
        tokens.append(Token(kind: .word(word), offset: start))
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
        let next = byte(hashes)
        index += hashes
        if next == UInt8(ascii: "\"") {
            readLiteral(hashes: hashes)
        } else if next == UInt8(ascii: "/") {
            // A regular expression, in which quotes are only characters.
            skip(past: [UInt8(ascii: "/")] + [UInt8](repeating: UInt8(ascii: "#"), count: hashes))
        }
    }

    /// Skips a byte and everything up to a terminator, if there is one.
    private mutating func skip(past end: [UInt8]) {
        index += 1
        while index < bytes.count, !bytes[index...].starts(with: end) { index += 1 }
        index += end.count
    }

    /// Reads a raw literal of C++, `R"mark( … )mark"`, whose quote is at the index.
    private mutating func readRawLiteral(from start: Int) {
        index += 1
        var mark: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "("), mark.count < 17 {
            mark.append(bytes[index])
            index += 1
        }
        let first = index + 1
        let end = [UInt8(ascii: ")")] + mark + [UInt8(ascii: "\"")]
        skip(past: end)
        let last = min(index - end.count, bytes.count)
        let text = String(decoding: bytes[min(first, last)..<last], as: UTF8.self)
        tokens.append(Token(kind: .literal([text]), offset: start))
    }

    /// Reads a literal whose first quote is at the index.
    private mutating func readLiteral(hashes: Int) {
        let start = index - hashes
        let isMultiline = isSwift && byte(1) == UInt8(ascii: "\"") && byte(2) == UInt8(ascii: "\"")
        let quotes = isMultiline ? 3 : 1
        index += quotes
        var content = LiteralContent()
        while index < bytes.count {
            if isEnd(quotes: quotes, hashes: hashes) {
                index += quotes + hashes
                break
            }
            let lineBreak = lineBreak(at: 0)
            if lineBreak > 0, !isMultiline { break }
            if lineBreak > 0 {
                content.breakLine()
                index += lineBreak
            } else if bytes[index] == UInt8(ascii: "\\"), (0..<hashes).allSatisfy({ byte(1 + $0) == UInt8(ascii: "#") })
            {
                index += 1 + hashes
                if isSwift, byte(0) == UInt8(ascii: "("), depth < Self.deepest {
                    index += 1
                    content.interpolate()
                    depth += 1
                    read(untilClosed: true)
                    depth -= 1
                } else {
                    readEscape(into: &content)
                }
            } else {
                content.append(bytes[index])
                index += 1
            }
        }
        tokens.append(Token(kind: .literal(content.finish(isMultiline: isMultiline)), offset: start))
    }

    private func isEnd(quotes: Int, hashes: Int) -> Bool {
        (0..<quotes).allSatisfy { byte($0) == UInt8(ascii: "\"") }
            && (0..<hashes).allSatisfy { byte(quotes + $0) == UInt8(ascii: "#") }
    }
}

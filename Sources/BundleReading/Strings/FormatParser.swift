import HostBasics

/// Finds the conversions of a format: the parser that the formatter, the linter and the tools for translators share.
///
/// A percent sign before a blank begins no conversion, though printf() has a flag for it: “100 % of” occurs in the
/// texts of many languages, and nobody pads numbers with blanks in a user interface.
///
/// **Threads.** A value. **Cost.** Linear in the text.
public struct FormatParser {
    /// One percent sign and the text that belongs to it.
    public struct Part {
        /// The kinds of parts.
        public enum Content {
            /// `%%`, which stands for one percent sign.
            case percent
            case conversion(Conversion)
            /// `%#@name@`, or `%2$#@name@` with its position.
            case variable(name: String, position: Int?)
            /// A percent sign that begins no conversion; it is text.
            case stray
        }

        /// The kind of this part.
        public let content: Content
        /// The range of its bytes in the format.
        public let range: Range<Int>
    }

    private let text: [UInt8]
    private var position = 0

    /// The maximum number of digits of a position, width or precision: a format must not request gigabytes.
    static let mostDigits = 3

    /// A parser at the beginning of a format.
    public init(_ text: String) { self.init(Array(text.utf8)) }

    /// A parser at the beginning of a format in UTF-8.
    public init(_ bytes: [UInt8]) { text = bytes }

    /// The next percent sign with everything that belongs to it; nil at the end.
    public mutating func next() -> Part? {
        guard let percent = text[position...].firstIndex(of: UInt8(ascii: "%")) else {
            position = text.count
            return nil
        }
        position = percent + 1
        let content: Part.Content
        if byte == UInt8(ascii: "%") {
            position += 1
            content = .percent
        } else if let found = readConversion(from: percent) {
            content = found
        } else {
            position = percent + 1
            content = .stray
        }
        return Part(content: content, range: percent..<position)
    }

    /// The text of bytes of the format.
    package func string(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }

    /// The number of bytes of the format.
    package var count: Int { text.count }

    /// The byte at the position; zero at the end.
    private var byte: UInt8 { position < text.count ? text[position] : 0 }

    private mutating func readConversion(from percent: Int) -> Part.Content? {
        var conversion = Conversion()
        let start = position
        if let number = readNumber(), number > 0, byte == UInt8(ascii: "$") {
            position += 1
            conversion.position = number
            conversion.isPositional = true
        } else {
            position = start
        }
        while let flag = Conversion.Flags.letters.first(where: { $0.letter == byte })?.flag {
            conversion.flags.insert(flag)
            position += 1
        }
        guard case .some(let width) = readAmount(&conversion) else { return nil }
        conversion.width = width
        // C allows this flag only before the width, but CoreFoundation also reads “%1#@count@” as a variable.
        if byte == UInt8(ascii: "#") {
            conversion.flags.insert(.alternate)
            position += 1
        }
        if byte == UInt8(ascii: ".") {
            position += 1
            guard case .some(let precision) = readAmount(&conversion) else { return nil }
            // A dot without digits means precision 0.
            conversion.precision = precision ?? .fixed(0)
        }
        let length = text[position...].prefix { Self.lengths.contains($0) }
        conversion.length = String(decoding: length, as: UTF8.self)
        position += length.count
        guard Self.types.contains(byte) else { return nil }
        conversion.type = Unicode.Scalar(byte)
        position += 1
        if conversion.type == "@", conversion.flags.contains(.alternate) {
            return readName().map { .variable(name: $0, position: conversion.position) }
        }
        conversion.source = string(percent..<position)
        return .conversion(conversion)
    }

    private static let lengths = Array("hlqLzjt".utf8)
    /// `%n` is included so that it is recognised and never executed.
    private static let types = Array("@diuoxXcCsSfFeEgGaADOUpn".utf8)

    /// Reads a width or precision.
    ///
    /// The inner nil means that there is none, the outer nil that it is invalid.
    private mutating func readAmount(_ conversion: inout Conversion) -> Conversion.Amount?? {
        guard byte == UInt8(ascii: "*") else {
            guard byte.isDigit else { return .some(nil) }
            return readNumber().map { .fixed($0) }
        }
        position += 1
        let start = position
        if let number = readNumber(), number > 0, byte == UInt8(ascii: "$") {
            position += 1
            conversion.isPositional = true
            return .argument(number)
        }
        position = start
        return .argument(nil)
    }

    private mutating func readNumber() -> Int? {
        let digits = text[position...].prefix { $0.isDigit }
        guard (1...Self.mostDigits).contains(digits.count) else { return nil }
        position += digits.count
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Reads the name of a variable and the `@` that ends it.
    private mutating func readName() -> String? {
        guard let end = text[position...].firstIndex(of: UInt8(ascii: "@")), end > position,
            !text[position..<end].contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "%") })
        else { return nil }
        defer { position = end + 1 }
        return String(decoding: text[position..<end], as: UTF8.self)
    }
}

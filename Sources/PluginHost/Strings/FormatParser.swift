/// Parses a format.
struct FormatParser {
    private let text: [UInt8]
    private var position = 0
    private var pieces: [FormatString.Piece] = []
    /// Where the text begins that does not belong to a piece yet.
    private var plain = 0

    /// A position, width or precision with more digits is invalid: a format must not request gigabytes.
    static let mostDigits = 3

    init(_ text: String) {
        self.text = Array(text.utf8)
    }

    mutating func parse() -> [FormatString.Piece] {
        while let percent = text[position...].firstIndex(of: UInt8(ascii: "%")) {
            position = percent + 1
            if next == UInt8(ascii: "%") {
                position += 1
            } else if let piece = readConversion(from: percent) {
                add(textUntil: percent)
                pieces.append(piece)
                plain = position
            } else {
                position = percent + 1
            }
        }
        add(textUntil: text.count)
        return pieces
    }

    private mutating func add(textUntil end: Int) {
        if plain < end { pieces.append(.text(String(decoding: text[plain..<end], as: UTF8.self))) }
    }

    /// The byte at the position; zero at the end.
    private var next: UInt8 { position < text.count ? text[position] : 0 }

    private mutating func readConversion(from percent: Int) -> FormatString.Piece? {
        var conversion = Conversion()
        let start = position
        if let number = readNumber(), number > 0, next == UInt8(ascii: "$") {
            position += 1
            conversion.position = number
            conversion.isPositional = true
        } else {
            position = start
        }
        while let flag = Conversion.Flags.letters.first(where: { $0.letter == next })?.flag {
            conversion.flags.insert(flag)
            position += 1
        }
        guard case .some(let width) = readAmount(&conversion) else { return nil }
        conversion.width = width
        // C has this flag before the width only; CoreFoundation reads “%1#@count@” as a variable, too.
        if next == UInt8(ascii: "#") {
            conversion.flags.insert(.alternate)
            position += 1
        }
        if next == UInt8(ascii: ".") {
            position += 1
            guard case .some(let precision) = readAmount(&conversion) else { return nil }
            // A dot without digits means precision 0.
            conversion.precision = precision ?? .fixed(0)
        }
        let length = text[position...].prefix { Self.lengths.contains($0) }
        conversion.length = String(decoding: length, as: UTF8.self)
        position += length.count
        guard Self.types.contains(next) else { return nil }
        conversion.type = Unicode.Scalar(next)
        position += 1
        if conversion.type == "@", conversion.flags.contains(.alternate), let name = readName() {
            return .variable(name: name, position: conversion.position, source: source(from: percent))
        }
        conversion.source = source(from: percent)
        return .conversion(conversion)
    }

    private func source(from percent: Int) -> String {
        String(decoding: text[percent..<position], as: UTF8.self)
    }

    private static let lengths = Array("hlqLzjt".utf8)
    /// `%n` is included so that it is recognised and never executed.
    private static let types = Array("@diuoxXcCsSfFeEgGaADOUpn".utf8)

    /// Reads a width or precision.
    ///
    /// The inner nil means that there is none, the outer nil that it is invalid.
    private mutating func readAmount(_ conversion: inout Conversion) -> Conversion.Amount?? {
        guard next == UInt8(ascii: "*") else {
            guard next.isDigit else { return .some(nil) }
            return readNumber().map { .fixed($0) }
        }
        position += 1
        let start = position
        if let number = readNumber(), number > 0, next == UInt8(ascii: "$") {
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

    /// The name of a variable, and the character that ends it.
    private mutating func readName() -> String? {
        guard let end = text[position...].firstIndex(of: UInt8(ascii: "@")), end > position,
            !text[position..<end].contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "%") })
        else { return nil }
        defer { position = end + 1 }
        return String(decoding: text[position..<end], as: UTF8.self)
    }
}

/// A parsed format as used by printf() and Foundation: `%2$@ has %#@files@ (%5.1f %%)`.
///
/// Parsing never fails: anything that is not a conversion, such as `%y` or a percent sign at the end, is text.
///
/// Sources: C23, "The fprintf function"; POSIX for `%n$`; Apple, "String Format Specifiers" and "Stringsdict File
/// Format" for `%@` and variables.
///
/// **Threads.** A value. **Cost.** Linear in the text.
package struct FormatString: Sendable, Hashable {
    package enum Piece: Sendable, Hashable {
        /// As written in the format: a percent sign is still doubled.
        case text(String)
        case conversion(Conversion)
        /// `%#@name@`, or `%2$#@name@` with its position.
        case variable(name: String, position: Int?, source: String)
    }

    /// In the order of the text.
    package private(set) var pieces: [Piece]

    package init(_ text: String) {
        var parser = FormatParser(text)
        pieces = []
        // The start of the text that belongs to no piece yet.
        var plain = 0
        while let part = parser.next() {
            let piece: Piece
            switch part.content {
            case .percent, .stray: continue
            case .conversion(let conversion): piece = .conversion(conversion)
            case .variable(let name, let position):
                piece = .variable(name: name, position: position, source: parser.string(part.range))
            }
            if plain < part.range.lowerBound { pieces.append(.text(parser.string(plain..<part.range.lowerBound))) }
            pieces.append(piece)
            plain = part.range.upperBound
        }
        if plain < parser.count { pieces.append(.text(parser.string(plain..<parser.count))) }
    }

    /// - Parameter pieces: the pieces of one or several formats.
    package init(pieces: [Piece]) {
        self.pieces = pieces
    }

    /// The format as text with the same meaning for printf().
    ///
    /// Conversions from several formats get explicit positions if their order does not show which argument each one
    /// uses.
    ///
    /// - Precondition: all conversions are numbered.
    package var text: String {
        let conversions = pieces.compactMap { if case .conversion(let conversion) = $0 { conversion } else { nil } }
        let arguments = conversions.flatMap(\.arguments)
        let tellsByOrder =
            arguments.elementsEqual(1..<arguments.count + 1) && !conversions.contains(where: \.isPositional)
        return pieces.reduce(into: "") { text, piece in
            switch piece {
            case .text(let plain): text += plain
            case .conversion(let conversion): text += tellsByOrder ? conversion.source : conversion.positionalSource
            case .variable(_, _, let source): text += source
            }
        }
    }
}

/// One conversion of a format: `%-5.2ld`.
public struct Conversion: Sendable, Hashable {
    /// A width or a precision.
    public enum Amount: Sendable, Hashable {
        case fixed(Int)
        /// `*`: an argument supplies the number; the value is its position, counted from 1, or nil for the next one.
        case argument(Int?)
    }

    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package static let left = Flags(rawValue: 1)
        package static let plus = Flags(rawValue: 2)
        static let alternate = Flags(rawValue: 4)
        package static let zero = Flags(rawValue: 8)
        /// `'`, the thousands separator: accepted, but without effect here.
        package static let grouping = Flags(rawValue: 16)

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// In the order in which they are written.
        ///
        /// C's flag for a blank in the place of a plus sign is not among them; see ``FormatParser``.
        package static let letters: [(letter: UInt8, flag: Flags)] = [
            (UInt8(ascii: "-"), .left), (UInt8(ascii: "+"), .plus), (UInt8(ascii: "#"), .alternate),
            (UInt8(ascii: "0"), .zero), (UInt8(ascii: "'"), .grouping),
        ]
    }

    /// As written in the format, including the percent sign.
    package var source = ""
    /// The argument to convert, counted from 1; nil for the next one.
    public var position: Int?
    package var flags: Flags = []
    /// The least number of characters.
    public var width: Amount?
    /// The number of digits after the point, or the greatest number of characters.
    public var precision: Amount?
    /// The size of the argument: `l`, `ll`, `h`, `z` and so on.
    ///
    /// It only matters for negative numbers in unsigned conversions, because Swift values carry their size.
    package var length = ""
    /// The letter at its end.
    public var type: Unicode.Scalar = "@"
    /// Whether the format states the position.
    var isPositional = false

    /// The known arguments that it uses, in the order in which printf() takes them.
    package var arguments: [Int] {
        [width, precision].compactMap { if case .argument(let number?) = $0 { number } else { nil } }
            + (position.map { [$0] } ?? [])
    }

    /// Assigns numbers to the parts that use the next argument.
    package mutating func number(from next: inout Int) {
        func numbered(_ amount: Amount?) -> Amount? {
            guard case .argument(nil) = amount else { return amount }
            defer { next += 1 }
            return .argument(next)
        }
        width = numbered(width)
        precision = numbered(precision)
        if position == nil {
            position = next
            next += 1
        }
    }

    /// The conversion with all its positions.
    var positionalSource: String {
        func written(_ amount: Amount) -> String {
            switch amount {
            case .fixed(let number): "\(number)"
            case .argument(let number): number.map { "*\($0)$" } ?? "*"
            }
        }
        let flags = Flags.letters.filter { self.flags.contains($0.flag) }.map { Character(Unicode.Scalar($0.letter)) }
        return "%" + (position.map { "\($0)$" } ?? "") + String(flags) + (width.map(written) ?? "")
            + (precision.map { "." + written($0) } ?? "") + length + String(Character(type))
    }
}

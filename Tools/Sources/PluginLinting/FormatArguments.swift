/// The arguments of a format string, as `String(format:)` reads it.
///
/// A percent sign before a blank begins no placeholder here, though printf has a flag for it: texts say “100 % of”, and
/// nobody pads numbers with blanks in a user interface.
///
/// Sources: POSIX, fprintf(); Apple's String Programming Guide, “String Format Specifiers”, for `%@` and `%#@name@`.
struct FormatArguments: Hashable, Sendable {
    /// The type by which an argument is passed: types that can replace one another are one kind.
    enum Kind: String, Sendable {
        case object = "an object (%@)"
        case integer = "a whole number (%d)"
        case double = "a floating-point number (%f)"
        case character = "a character (%c)"
        case text = "a C string (%s)"
        case pointer = "a pointer (%p)"
    }

    /// The kind of each argument, by its number from 1.
    ///
    /// `%1$@ %2$@` and `%@ %@` have the same arguments.
    private(set) var kinds: [Int: Kind] = [:]
    /// Arguments that are used as two different kinds.
    private(set) var conflicts: [Int] = []
    /// The variables of plural rules, `%#@name@`, with the numbers of their arguments.
    private(set) var variables: [Variable] = []
    /// Percent signs that begin no placeholder.
    private(set) var strayPercents = 0
    /// Whether some placeholders have a number and others have none.
    var isMixed: Bool { hasNumbered && hasPlain }
    /// Names in braces, `{name}`: placeholders that the code replaces itself.
    private(set) var names: Set<String> = []

    /// A value that is equal for formats with the same arguments.
    struct Signature: Hashable {
        let kinds: [Int: Kind]
        let names: Set<String>
    }
    var signature: Signature { Signature(kinds: kinds, names: names) }

    struct Variable: Hashable, Sendable {
        let name: String
        let argument: Int
    }

    private var hasNumbered = false
    private var hasPlain = false
    private var nextPlain: Int

    /// A higher argument number is a mistake: no function takes so many.
    private static let mostArguments = 99

    /// - Parameters:
    ///   - text: the format.
    ///   - first: the argument of the first placeholder without a number. In a text of plural rules it is the variable's.
    init(_ text: String, from first: Int = 1) {
        nextPlain = first
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "{") }) else { return }
        let bytes = Array(text.utf8)
        if DatePattern.isOne(bytes) {
            isDate = true
            return
        }
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "%"):
                var reader = PlaceholderReader(bytes: bytes, index: index + 1)
                if let placeholder = reader.read() {
                    add(placeholder)
                    index = reader.index
                } else {
                    strayPercents += 1
                    index += 1
                }
            case UInt8(ascii: "{"):
                if let end = Self.endOfName(bytes, from: index + 1) {
                    names.insert(String(decoding: bytes[index + 1..<end], as: UTF8.self))
                    index = end
                }
                index += 1
            default: index += 1
            }
        }
    }

    /// Whether the text takes no arguments.
    ///
    /// Then it may not be a format at all.
    var isEmpty: Bool { kinds.isEmpty && variables.isEmpty }
    /// Whether it is a pattern of dates, `%Y-%m-%d`, which takes no arguments.
    private(set) var isDate = false
    /// Whether it is a text with plain percent signs: “50 % of it”.
    var isProse: Bool { isEmpty && strayPercents > 0 }

    /// Adds an argument; a variable of plural rules does so with the kind of its value.
    mutating func take(_ kind: Kind, as argument: Int) {
        if let known = kinds[argument], known != kind, !conflicts.contains(argument) { conflicts.append(argument) }
        kinds[argument] = kind
    }

    private mutating func add(_ placeholder: PlaceholderReader.Placeholder) {
        // A width or precision of `*` is an argument before the value.
        for star in placeholder.stars { take(.integer, as: number(star)) }
        switch placeholder.content {
        case .percent: break
        case .value(let kind, let position): take(kind, as: number(position))
        case .variable(let name, let position): variables.append(Variable(name: name, argument: number(position)))
        }
    }

    private mutating func number(_ position: Int?) -> Int {
        if let position {
            hasNumbered = true
            return min(position, Self.mostArguments)
        }
        hasPlain = true
        nextPlain += 1
        return min(nextPlain - 1, Self.mostArguments)
    }

    private static func endOfName(_ bytes: [UInt8], from start: Int) -> Int? {
        var end = start
        while end < bytes.count, end - start < 64, bytes[end].isNameCharacter { end += 1 }
        return end > start && end < bytes.count && bytes[end] == UInt8(ascii: "}") ? end : nil
    }

    /// The kind for a value of `NSStringFormatValueTypeKey`: `d`, `lu`, `.2f`.
    static func kind(ofType type: String) -> Kind? {
        // Some files have the whole placeholder, “%ld”.
        var reader = PlaceholderReader(bytes: Array(type.utf8), index: type.hasPrefix("%") ? 1 : 0)
        guard let placeholder = reader.read(), reader.index == type.utf8.count, placeholder.stars.isEmpty,
            case .value(let kind, nil) = placeholder.content
        else { return nil }
        return kind
    }
}

/// Reads the text after a percent sign.
private struct PlaceholderReader {
    struct Placeholder {
        enum Content {
            case percent
            case value(FormatArguments.Kind, position: Int?)
            case variable(name: String, position: Int?)
        }

        let content: Content
        /// The positions of widths and precisions that are arguments.
        let stars: [Int?]
    }

    let bytes: [UInt8]
    var index: Int

    private var next: UInt8 { index < bytes.count ? bytes[index] : 0 }

    /// Nil if it is not a placeholder; the index may then be anywhere.
    mutating func read() -> Placeholder? {
        if next == UInt8(ascii: "%") {
            index += 1
            return Placeholder(content: .percent, stars: [])
        }
        let start = index
        var position: Int?
        if let number = readNumber() {
            if next == UInt8(ascii: "$") {
                guard number > 0 else { return nil }
                index += 1
                position = number
            } else {
                // A width, or the flag 0.
                index = start
            }
        }
        if isVariable { return readVariable(position) }
        while [UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "#"), UInt8(ascii: "0"), UInt8(ascii: "'")]
            .contains(next)
        { index += 1 }
        var stars: [Int?] = []
        if let star = readWidth() { stars.append(star) }
        // A variable may have a width, which it does not use.
        if isVariable { return readVariable(position) }
        if next == UInt8(ascii: ".") {
            index += 1
            if let star = readWidth() { stars.append(star) }
        }
        while [
            UInt8(ascii: "h"), UInt8(ascii: "l"), UInt8(ascii: "q"), UInt8(ascii: "z"), UInt8(ascii: "t"),
            UInt8(ascii: "j"), UInt8(ascii: "L"),
        ]
        .contains(next) { index += 1 }
        guard let kind = Self.kind(ofConversion: next) else { return nil }
        index += 1
        return Placeholder(content: .value(kind, position: position), stars: stars)
    }

    private static func kind(ofConversion letter: UInt8) -> FormatArguments.Kind? {
        switch letter {
        case UInt8(ascii: "@"): .object
        case UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "U"),
            UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "o"), UInt8(ascii: "O"):
            .integer
        case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "g"),
            UInt8(ascii: "G"), UInt8(ascii: "a"), UInt8(ascii: "A"):
            .double
        case UInt8(ascii: "c"), UInt8(ascii: "C"): .character
        case UInt8(ascii: "s"), UInt8(ascii: "S"): .text
        case UInt8(ascii: "p"), UInt8(ascii: "n"): .pointer
        default: nil
        }
    }

    private var isVariable: Bool { bytes[index...].starts(with: "#@".utf8) }

    private mutating func readVariable(_ position: Int?) -> Placeholder? {
        index += 2
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "@") { index += 1 }
        guard index < bytes.count, index > start else { return nil }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        index += 1
        return Placeholder(content: .variable(name: name, position: position), stars: [])
    }

    /// Reads a width: digits, or a star.
    ///
    /// A star is an argument, whose position may be absent.
    private mutating func readWidth() -> Int?? {
        guard next == UInt8(ascii: "*") else {
            _ = readNumber()
            return nil
        }
        index += 1
        let start = index
        if let number = readNumber(), number > 0, next == UInt8(ascii: "$") {
            index += 1
            return .some(number)
        }
        index = start
        return .some(nil)
    }

    private mutating func readNumber() -> Int? {
        let start = index
        var number = 0
        while case let digit = next &- UInt8(ascii: "0"), digit < 10 {
            // Capped at a value where more digits change nothing.
            number = min(number * 10 + Int(digit), 1_000_000)
            index += 1
        }
        return index > start ? number : nil
    }
}

extension UInt8 {
    fileprivate var isNameCharacter: Bool {
        let letter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
        let digit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
        return letter || digit || self == UInt8(ascii: "_") || self == UInt8(ascii: ".") || self == UInt8(ascii: "-")
    }
}

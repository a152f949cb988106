internal import BundleReading
internal import HostBasics
@_spi(Tools) internal import PluginHost

/// The arguments of a format string.
///
/// ``FormatParser`` finds the same placeholders as the host.
@_spi(Tools) public struct FormatArguments: Hashable, Sendable {
    /// How an argument is passed.
    ///
    /// Interchangeable types are one kind.
    public enum Kind: String, Sendable {
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
    public private(set) var kinds: [Int: Kind] = [:]
    /// Arguments that are used as two different kinds.
    private(set) var conflicts: [Int] = []
    /// The variables of plural rules, `%#@name@`, with the numbers of their arguments.
    public private(set) var variables: [Variable] = []
    /// Percent signs that begin no placeholder.
    private(set) var strayPercents = 0
    /// Whether some placeholders have a number and others have none.
    var isMixed: Bool { hasNumbered && hasPlain }
    /// Names in braces, `{name}`: placeholders that the code replaces itself.
    public private(set) var names: Set<String> = []

    /// A value that is equal for formats with the same arguments.
    public struct Signature: Hashable {
        /// The kind of each argument, by its number from 1.
        public let kinds: [Int: Kind]
        /// The names in braces.
        public let names: Set<String>
    }
    /// The value that is equal for formats with the same arguments.
    public var signature: Signature { Signature(kinds: kinds, names: names) }

    /// A variable of plural rules, `%#@name@`.
    public struct Variable: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// The number of its argument, from 1.
        public let argument: Int
    }

    private var hasNumbered = false
    private var hasPlain = false
    private var nextPlain: Int

    /// A higher argument number is a mistake: no function takes so many.
    private static let mostArguments = 99

    /// - Parameters:
    ///   - text: the format.
    ///   - first: the argument of the first placeholder without a number. In a text of plural rules it is the
    ///     variable's.
    public init(_ text: String, from first: Int = 1) {
        nextPlain = first
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "{") }) else { return }
        let bytes = Array(text.utf8)
        if DatePattern.isOne(bytes) {
            isDate = true
            return
        }
        var parser = FormatParser(bytes)
        var plain = 0
        while let part = parser.next() {
            addNames(in: bytes[plain..<part.range.lowerBound])
            add(part.content)
            plain = part.range.upperBound
        }
        addNames(in: bytes[plain...])
    }

    /// Adds the names in braces of a text between placeholders.
    private mutating func addNames(in bytes: ArraySlice<UInt8>) {
        var index = bytes.startIndex
        while let open = bytes[index...].firstIndex(of: UInt8(ascii: "{")) {
            index = open + 1
            guard let end = Self.endOfName(bytes, from: index) else { continue }
            names.insert(String(decoding: bytes[index..<end], as: UTF8.self))
            index = end
        }
    }

    /// Whether the text takes no arguments.
    ///
    /// Then it may not be a format at all.
    var isEmpty: Bool { kinds.isEmpty && variables.isEmpty }
    /// Whether it is a pattern of dates, `%Y-%m-%d`, which takes no arguments.
    public private(set) var isDate = false
    /// Whether it is a text with plain percent signs: “50 % of it”.
    var isProse: Bool { isEmpty && strayPercents > 0 }

    /// Adds an argument.
    ///
    /// For a variable of plural rules, the caller passes the kind of its value.
    mutating func take(_ kind: Kind, as argument: Int) {
        if let known = kinds[argument], known != kind, !conflicts.contains(argument) { conflicts.append(argument) }
        kinds[argument] = kind
    }

    /// A placeholder of a format, or `%%`.
    public struct Place {
        /// Its bytes in the text.
        public let range: Range<Int>
        /// Whether it takes the next argument: it is not `%%`, and has no number and no `*`.
        public let takesNext: Bool
        /// Whether it takes an argument.
        public let takesAny: Bool
    }

    /// The placeholders of a format, in order.
    ///
    /// Not for date patterns, whose conversions are no placeholders: check ``isDate`` first.
    public static func places(in bytes: [UInt8]) -> [Place] {
        var places: [Place] = []
        var parser = FormatParser(bytes)
        while let part = parser.next() {
            switch part.content {
            case .stray: break
            case .percent: places.append(Place(range: part.range, takesNext: false, takesAny: false))
            case .conversion(let conversion):
                let takesNext = conversion.position == nil && conversion.stars.isEmpty
                places.append(Place(range: part.range, takesNext: takesNext, takesAny: true))
            case .variable(_, let position):
                places.append(Place(range: part.range, takesNext: position == nil, takesAny: true))
            }
        }
        return places
    }

    private mutating func add(_ content: FormatParser.Part.Content) {
        switch content {
        case .percent: break
        case .stray: strayPercents += 1
        case .conversion(let conversion):
            // A width or precision of `*` is an argument before the value.
            for star in conversion.stars { take(.integer, as: number(star)) }
            take(conversion.kind, as: number(conversion.position))
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

    private static func endOfName(_ bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
        var end = start
        while end < bytes.endIndex, end - start < 64, bytes[end].isNameCharacter { end += 1 }
        return end > start && end < bytes.endIndex && bytes[end] == UInt8(ascii: "}") ? end : nil
    }

    /// The kind for a value of `NSStringFormatValueTypeKey`: `d`, `lu`, `.2f`.
    static func kind(ofType type: String) -> Kind? {
        // Some files have the whole placeholder, “%ld”.
        var parser = FormatParser(type.hasPrefix("%") ? type : "%" + type)
        guard let part = parser.next(), case .conversion(let conversion) = part.content,
            part.range.count == type.utf8.count + (type.hasPrefix("%") ? 0 : 1), conversion.position == nil,
            conversion.stars.isEmpty
        else { return nil }
        return conversion.kind
    }
}

extension Conversion {
    /// The argument positions of a width and a precision that are `*`; nil for the next argument.
    fileprivate var stars: [Int?] {
        [width, precision].compactMap { amount in
            if case .argument(let position) = amount { .some(position) } else { nil }
        }
    }

    fileprivate var kind: FormatArguments.Kind {
        switch type {
        case "d", "D", "i", "u", "U", "x", "X", "o", "O": .integer
        case "f", "F", "e", "E", "g", "G", "a", "A": .double
        case "c", "C": .character
        case "s", "S": .text
        case "p", "n": .pointer
        default: .object
        }
    }
}

extension UInt8 {
    fileprivate var isNameCharacter: Bool {
        let letter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
        let digit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
        return letter || digit || self == UInt8(ascii: "_") || self == UInt8(ascii: ".") || self == UInt8(ascii: "-")
    }
}

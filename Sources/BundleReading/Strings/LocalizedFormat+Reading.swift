// Public for PluralEntry at the end.
import HostBasics
public import PropertyLists

extension LocalizedFormat {
    /// Why an entry is left out, as a full sentence, and the place of the problem in the entry.
    package struct Fault: Error, Equatable {
        /// The keys that lead to the place, starting in the entry.
        package var path: [String] = []
        package let message: String
        /// Set if the file as a whole expands to more than its size allows.
        var exhausted: ReadingBudget.Exhausted?
    }

    /// Reads the entry for a key.
    ///
    /// - Parameters:
    ///   - value: a string, or a dictionary with NSStringLocalizedFormatKey and a dictionary for each variable, or with
    ///     NSStringVariableWidthRuleType or NSStringDeviceSpecificRuleType, whose variants are entries too.
    ///   - budget: the budget of the file. It is charged for the parsed formats, and for the longest text of the entry.
    /// - Throws: the problem of the entry.
    package init(_ value: PropertyList, _ budget: inout ReadingBudget) throws(Fault) {
        self = try Self.entry(value, &budget)
        var sizes = FormatSizes(variables: [:], depth: 0)
        try Self.pay(try sizes.measure(self).memory, &budget)
    }

    private static func pay(_ bytes: Int, _ budget: inout ReadingBudget) throws(Fault) {
        guard budget.take(bytes: bytes) else {
            throw Fault(message: "The texts grow too long.", exhausted: budget.exhausted)
        }
    }

    /// The memory of an entry or a rule without its texts.
    private static let size = 256

    /// A parsed format, charged to the budget: a parsed `%d` is fifty times as large as its text.
    private static func format(_ text: String, _ budget: inout ReadingBudget) throws(Fault) -> FormatString {
        let pieceSize = MemoryLayout<FormatString.Piece>.stride
        let most = text.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "%") ? pieceSize : 0) }
        guard most <= budget.bytes else {
            try pay(most, &budget)
            return FormatString(pieces: [])
        }
        let format = FormatString(text)
        // A separate text takes at most four times its length.
        try pay(format.pieces.count * pieceSize + 4 * text.utf8.count + size, &budget)
        return format
    }

    private static func entry(_ value: PropertyList, _ budget: inout ReadingBudget) throws(Fault) -> LocalizedFormat {
        if case .string(let text) = value { return .text(try format(text, &budget), variables: [:]) }
        guard case .dictionary(let values) = value else {
            throw Fault(message: "The value is \(value.typeName); a string or a dictionary is expected.")
        }
        if let format = values["NSStringLocalizedFormatKey"] {
            guard let text = format.string else {
                throw Fault(
                    path: ["NSStringLocalizedFormatKey"],
                    message: "The format is \(format.typeName); a string is expected.")
            }
            return .text(try Self.format(text, &budget), variables: try variables(values, &budget))
        }
        for type in [RuleType.width, .device] {
            if let variants = values[type.rawValue] {
                return try at(type.rawValue) { () throws(Fault) in
                    guard let variants = variants.dictionary else {
                        throw Fault(message: "The variants are \(variants.typeName); a dictionary is expected.")
                    }
                    return try rule(type, variants, &budget)
                }
            }
        }
        throw Fault(message: "There is neither NSStringLocalizedFormatKey nor a rule for widths or devices.")
    }

    private enum RuleType: String {
        case plural = "NSStringPluralRuleType"
        case width = "NSStringVariableWidthRuleType"
        case device = "NSStringDeviceSpecificRuleType"
    }

    private static let typeKey = "NSStringFormatSpecTypeKey"
    private static let valueTypeKey = "NSStringFormatValueTypeKey"

    private static func variables(
        _ values: [String: PropertyList], _ budget: inout ReadingBudget
    ) throws(Fault) -> [String: LocalizedFormat] {
        var variables: [String: LocalizedFormat] = [:]
        for (name, value) in values where name != "NSStringLocalizedFormatKey" {
            variables[name] = try at(name) { () throws(Fault) in
                guard let values = value.dictionary else {
                    throw Fault(message: "The variable is \(value.typeName); a dictionary is expected.")
                }
                guard let type = RuleType(rawValue: values[typeKey]?.string ?? RuleType.plural.rawValue) else {
                    throw Fault(
                        message: "Its \(typeKey) is not NSString{Plural,VariableWidth,DeviceSpecific}RuleType.")
                }
                return try rule(type, values, &budget)
            }
        }
        return variables
    }

    private static func rule(
        _ type: RuleType, _ values: [String: PropertyList], _ budget: inout ReadingBudget
    ) throws(Fault) -> LocalizedFormat {
        try pay(size, &budget)
        var variants: [String: LocalizedFormat] = [:]
        for (name, value) in values where name != typeKey && name != valueTypeKey {
            variants[name] = try at(name) { () throws(Fault) in try entry(value, &budget) }
        }
        switch type {
        case .plural:
            var forms: [PluralCategory: LocalizedFormat] = [:]
            for (name, format) in variants {
                guard let category = PluralCategory(rawValue: name) else {
                    throw Fault(
                        path: [name], message: "\(quoted(name)) is not one of zero, one, two, few, many and other.")
                }
                forms[category] = format
            }
            guard forms[.other] != nil else { throw Fault(message: "The form “other” is missing.") }
            return .plural(forms: forms, digits: digits(values[valueTypeKey]?.string ?? ""))
        case .width:
            var widths: [(width: Int, format: LocalizedFormat)] = []
            for (name, format) in variants {
                guard let width = Int(name) else { throw Fault(path: [name], message: "The width is not an integer.") }
                widths.append((width, format))
            }
            guard !widths.isEmpty else { throw Fault(message: "There are no variants.") }
            return .widths(widths.sorted { $0.width < $1.width })
        case .device:
            guard !variants.isEmpty else { throw Fault(message: "There are no variants.") }
            return .devices(variants, first: variants.keys.min() ?? "")
        }
    }

    /// The number of digits after the decimal point in a value type: 1 for `.1f`.
    private static func digits(_ valueType: String) -> Int? {
        guard case .conversion(let conversion)? = FormatString("%" + valueType).pieces.first,
            case .fixed(let digits) = conversion.precision, "fF".unicodeScalars.contains(conversion.type)
        else { return nil }
        return digits
    }

    /// The result of body; if it throws a fault, the key is added to the front of its path.
    private static func at<Value>(_ key: String, _ body: () throws(Fault) -> Value) throws(Fault) -> Value {
        do {
            return try body()
        } catch {
            throw Fault(path: [key] + error.path, message: error.message, exhausted: error.exhausted)
        }
    }
}

/// Entries of a `.stringsdict`, for tools.
public enum PluralEntry {
    /// Why a strings table leaves an entry out: the keys that lead to the fault, and a full sentence.
    ///
    /// - Returns: nil if the entry is valid.
    public static func fault(in value: PropertyList) -> (path: [String], message: String)? {
        do throws(LocalizedFormat.Fault) {
            var budget = ReadingBudget(inputSize: PropertyListLimits.stringsTable.size)
            _ = try LocalizedFormat(value, &budget)
            return nil
        } catch {
            return (error.path, error.message)
        }
    }
}

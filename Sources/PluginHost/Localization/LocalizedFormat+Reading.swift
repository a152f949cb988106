import PropertyLists

extension LocalizedFormat {
    /// Why an entry is left out, as a full sentence, and where in it.
    struct Fault: Error, Equatable {
        /// The keys that lead there from the entry on.
        var path: [String] = []
        let message: String
    }

    /// The entry of a key.
    ///
    /// - Parameter value: a string, or a dictionary with NSStringLocalizedFormatKey and a dictionary for each variable,
    ///   or with NSStringVariableWidthRuleType or NSStringDeviceSpecificRuleType, whose variants are entries again.
    init(_ value: PropertyList) throws(Fault) {
        self = try Self.entry(value)
        var sizes = Sizes(variables: [:])
        _ = try sizes.size(of: self)
    }

    private static func entry(_ value: PropertyList) throws(Fault) -> LocalizedFormat {
        if case .string(let text) = value { return .text(FormatString(text), variables: [:]) }
        guard case .dictionary(let values) = value else {
            throw Fault(message: "The value is \(value.typeName); a string or a dictionary is expected.")
        }
        if let format = values["NSStringLocalizedFormatKey"] {
            guard let text = format.string else {
                throw Fault(
                    path: ["NSStringLocalizedFormatKey"], message: "The format is \(format.typeName), no string.")
            }
            return .text(FormatString(text), variables: try variables(values))
        }
        for type in [RuleType.width, .device] {
            if let variants = values[type.rawValue] {
                return try at(type.rawValue) { () throws(Fault) in
                    guard let variants = variants.dictionary else {
                        throw Fault(message: "The variants are \(variants.typeName), no dictionary.")
                    }
                    return try rule(type, variants)
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

    private static func variables(_ values: [String: PropertyList]) throws(Fault) -> [String: LocalizedFormat] {
        var variables: [String: LocalizedFormat] = [:]
        for (name, value) in values where name != "NSStringLocalizedFormatKey" {
            variables[name] = try at(name) { () throws(Fault) in
                guard let values = value.dictionary else {
                    throw Fault(message: "The variable is \(value.typeName), no dictionary.")
                }
                guard let type = RuleType(rawValue: values[typeKey]?.string ?? RuleType.plural.rawValue) else {
                    throw Fault(
                        message: "Its \(typeKey) is none of NSString{Plural,VariableWidth,DeviceSpecific}RuleType.")
                }
                return try rule(type, values)
            }
        }
        return variables
    }

    private static func rule(_ type: RuleType, _ values: [String: PropertyList]) throws(Fault) -> LocalizedFormat {
        var variants: [String: LocalizedFormat] = [:]
        for (name, value) in values where name != typeKey && name != valueTypeKey {
            variants[name] = try at(name) { () throws(Fault) in try entry(value) }
        }
        switch type {
        case .plural:
            var forms: [PluralCategory: LocalizedFormat] = [:]
            for (name, format) in variants {
                guard let category = PluralCategory(rawValue: name) else {
                    throw Fault(path: [name], message: "It is none of zero, one, two, few, many and other.")
                }
                forms[category] = format
            }
            guard forms[.other] != nil else { throw Fault(message: "The form “other” is missing.") }
            return .plural(forms: forms, digits: digits(values[valueTypeKey]?.string ?? ""))
        case .width:
            var widths: [(width: Int, format: LocalizedFormat)] = []
            for (name, format) in variants {
                guard let width = Int(name) else { throw Fault(path: [name], message: "The width is no whole number.") }
                widths.append((width, format))
            }
            guard !widths.isEmpty else { throw Fault(message: "There are no variants.") }
            return .widths(widths.sorted { $0.width < $1.width })
        case .device:
            guard !variants.isEmpty else { throw Fault(message: "There are no variants.") }
            return .devices(variants)
        }
    }

    /// The digits after the point that a type of values asks for: 1 for `.1f`.
    private static func digits(_ valueType: String) -> Int? {
        guard case .conversion(let conversion)? = FormatString("%" + valueType).pieces.first,
            case .fixed(let digits) = conversion.precision, "fF".unicodeScalars.contains(conversion.type)
        else { return nil }
        return digits
    }

    /// Tells where a fault is that arises below a key.
    private static func at<Value>(_ key: String, _ body: () throws(Fault) -> Value) throws(Fault) -> Value {
        do {
            return try body()
        } catch {
            throw Fault(path: [key] + error.path, message: error.message)
        }
    }
}

/// Finds out how long the longest text of an entry is, without making it: variables in variables can describe a text
/// of any length in a few lines, and one that contains itself.
private struct Sizes {
    let variables: [String: LocalizedFormat]
    private var known: [String: Int] = [:]
    /// The variables that are being measured.
    private var open: Set<String> = []

    /// In bytes.
    static let longest = 1 << 20

    init(variables: [String: LocalizedFormat]) {
        self.variables = variables
    }

    mutating func size(of format: LocalizedFormat) throws(LocalizedFormat.Fault) -> Int {
        switch format {
        case .text(let format, let own):
            guard own.isEmpty else {
                var inner = Sizes(variables: own)
                return try inner.size(of: .text(format, variables: [:]))
            }
            var total = 0
            for piece in format.pieces {
                switch piece {
                case .text(let text): total += text.utf8.count
                case .conversion: total += 1
                // One more, so that a great many empty ones count too.
                case .variable(let name, _, _): total += 1 + (try size(ofVariable: name))
                }
                guard total <= Self.longest else {
                    throw LocalizedFormat.Fault(message: "The text grows beyond \(Self.longest) bytes.")
                }
            }
            return total
        case .plural(let forms, _): return try longest(forms.values)
        case .widths(let variants): return try longest(variants.map(\.format))
        case .devices(let variants): return try longest(variants.values)
        }
    }

    private mutating func longest(_ variants: some Sequence<LocalizedFormat>) throws(LocalizedFormat.Fault) -> Int {
        var longest = 0
        for variant in variants { longest = max(longest, try size(of: variant)) }
        return longest
    }

    private mutating func size(ofVariable name: String) throws(LocalizedFormat.Fault) -> Int {
        if let size = known[name] { return size }
        guard let variable = variables[name] else {
            throw LocalizedFormat.Fault(message: "The variable “\(name)” is not defined.")
        }
        guard open.insert(name).inserted else {
            throw LocalizedFormat.Fault(path: [name], message: "The variable contains itself.")
        }
        let size = try size(of: variable)
        open.remove(name)
        known[name] = size
        return size
    }
}

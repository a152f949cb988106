import HostBasics

/// One entry of a `.stringsdict`: a text that depends on numbers, on the available width, or on the device.
///
/// **Threads.** A value.
package indirect enum LocalizedFormat: Sendable {
    /// A text, and the definitions of its variables `%#@name@`.
    ///
    /// A text that defines no variables uses the variables of the entry that contains it.
    case text(FormatString, variables: [String: LocalizedFormat])
    /// Forms for the plural categories of a number: NSStringPluralRuleType.
    ///
    /// `digits`: how many digits after the decimal point the numbers show, from NSStringFormatValueTypeKey; nil for as
    /// many as they need.
    case plural(forms: [PluralCategory: LocalizedFormat], digits: Int?)
    /// NSStringVariableWidthRuleType, the narrowest first; never empty.
    case widths([(width: Int, format: LocalizedFormat)])
    /// Forms for kinds of devices: NSStringDeviceSpecificRuleType; never empty.
    ///
    /// `first`: the name that sorts first.
    case devices([String: LocalizedFormat], first: String)

    /// The conditions for choosing among the variants.
    package struct Choice {
        /// Nil: every plural uses its form `other`.
        package var arguments: [FormatArgument]?
        package var rules: PluralRules
        /// The host's device, as resource names spell it after the tilde.
        package var device: String?
        /// The maximum width of a text, in the units of the entry's widths; nil for the widest.
        package var width: Int?
    }

    /// The single format that results from a choice, with numbered conversions.
    ///
    /// In the text of the entry, conversions and variables without a position use the arguments in order. In the text
    /// of a variable they begin with the variable's own argument, so that its `%d` is the number that chose the form.
    package func resolved(_ choice: Choice) -> FormatString {
        var pieces: [FormatString.Piece] = []
        add(to: &pieces, choice, [:], from: 1)
        return FormatString(pieces: pieces)
    }

    private func add(
        to pieces: inout [FormatString.Piece], _ choice: Choice, _ outer: [String: LocalizedFormat], from first: Int
    ) {
        switch self {
        case .text(let format, let own):
            let variables = own.isEmpty ? outer : own
            var next = first
            for piece in format.pieces {
                switch piece {
                case .text: pieces.append(piece)
                case .conversion(var conversion):
                    conversion.number(from: &next)
                    pieces.append(.conversion(conversion))
                case .variable(let name, let position, _):
                    // Undefined variables were refused when the entry was read.
                    variables[name]?.add(to: &pieces, choice, variables, from: position ?? next)
                    if position == nil { next += 1 }
                }
            }
        case .plural(let forms, let digits):
            Self.form(forms, digits, choice, first)?.add(to: &pieces, choice, outer, from: first)
        case .widths(let variants):
            let fitting = choice.width.map { width in
                max(0, variants.indices.partitioningIndex { variants[$0].width > width } - 1)
            }
            variants[fitting ?? variants.count - 1].format.add(to: &pieces, choice, outer, from: first)
        case .devices(let variants, let firstName):
            let variant =
                choice.device.flatMap { variants[$0] } ?? variants["other"] ?? variants["mac"] ?? variants[firstName]
            variant?.add(to: &pieces, choice, outer, from: first)
        }
    }

    private static func form(
        _ forms: [PluralCategory: LocalizedFormat], _ digits: Int?, _ choice: Choice, _ argument: Int
    ) -> LocalizedFormat? {
        var category = PluralCategory.other
        if let arguments = choice.arguments, argument <= arguments.count,
            let number = arguments[argument - 1].operands(fractionDigits: digits)
        {
            // In every language, `zero` is also the form for zero itself.
            if number.i == 0, number.t == 0, let zero = forms[.zero] { return zero }
            category = choice.rules.category(of: number)
        }
        // Without `other`, the form for the largest numbers is used.
        return forms[category] ?? forms[.other]
            ?? PluralCategory.allCases.reversed().firstNonNil { forms[$0] }
    }
}

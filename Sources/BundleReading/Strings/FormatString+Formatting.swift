import PropertyLists

extension FormatString {
    /// The format with its conversions replaced by arguments, and the mismatches.
    ///
    /// It never crashes, whatever the format and the arguments are:
    /// - a conversion whose argument is missing is left as written;
    /// - an argument that does not fit its conversion, such as a text for `%d`, is shown as by `%@`;
    /// - `%n` and `%p` are left as written;
    /// - arguments without a conversion are ignored, without a fault;
    /// - the text is at most sixteen times as long as the format and the arguments plus one mebibyte: a table may
    ///   contain `%1$999d` any number of times. Conversions beyond that are left as written.
    ///
    /// - Parameter arguments: the first one has position 1.
    /// - Returns: the text, and a sentence for each conversion that did not match.
    package func formatted(_ arguments: [FormatArgument]) -> (text: String, misfits: [String]) {
        var formatter = Formatter(arguments: arguments, size: pieces.reduce(0) { $0 + $1.size })
        for piece in pieces { formatter.add(piece) }
        return (formatter.text, formatter.misfits)
    }
}

extension FormatString.Piece {
    /// The length of the piece in the format, in bytes.
    fileprivate var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .conversion(let conversion): conversion.source.utf8.count
        case .variable(_, _, let source): source.utf8.count
        }
    }
}

private struct Formatter {
    let arguments: [FormatArgument]
    var text = ""
    /// Only the first ones, because a format can have a million faulty conversions.
    private(set) var misfits: [String] = []
    private var next = 1
    private var budget: ReadingBudget

    /// `size`: the length of the format in bytes.
    init(arguments: [FormatArgument], size: Int) {
        self.arguments = arguments
        budget = ReadingBudget(inputSize: arguments.reduce(size) { $0 + $1.text.utf8.count })
    }

    private mutating func note(_ misfit: @autoclosure () -> String) {
        if misfits.count < ReadingBudget.mostFindings { misfits.append(misfit()) }
    }

    mutating func add(_ piece: FormatString.Piece) {
        switch piece {
        case .text(let plain): text += plain.contains("%%") ? Self.unescaped(plain) : plain
        case .variable(let name, _, let source):
            text += source
            note("The variable “\(name)” of “\(source)” is not defined.")
        case .conversion(var conversion):
            conversion.number(from: &next)
            add(conversion)
        }
    }

    /// Two percent signs become one, from left to right.
    private static func unescaped(_ text: String) -> String {
        var result = ""
        var isSecond = false
        for character in text {
            isSecond = character == "%" && !isSecond && result.last == "%"
            if !isSecond { result.append(character) }
        }
        return result
    }

    private mutating func add(_ conversion: Conversion) {
        guard let position = conversion.position, position <= arguments.count else {
            text += conversion.source
            note("There is no argument \(conversion.position ?? 0) for “\(conversion.source)”.")
            return
        }
        let argument = arguments[position - 1]
        guard let width = amount(conversion.width), let precision = amount(conversion.precision),
            conversion.type != "n", conversion.type != "p"
        else {
            text += conversion.source
            note("“\(conversion.source)” is not supported.")
            return
        }
        var shape = Shape(flags: conversion.flags, width: width ?? 0, precision: precision)
        if shape.width < 0 {
            // As in C, for a width that is an argument.
            shape.width = -shape.width
            shape.flags.insert(.left)
        }
        if let precision, precision < 0 { shape.precision = nil }
        let shown = shape.shown(argument, conversion)
        let written = shown ?? Shape(flags: shape.flags, width: shape.width, precision: nil).padded(argument.text)
        guard budget.take(bytes: written.utf8.count) else {
            text += conversion.source
            return note("With “\(conversion.source)” the text would become too long for its format.")
        }
        text += written
        if shown == nil { note("The argument \(position) does not fit “\(conversion.source)”.") }
    }

    /// The value of a width or precision.
    ///
    /// The inner nil means that there is none, the outer nil that its argument is not a number or is too large.
    private func amount(_ amount: Conversion.Amount?) -> Int?? {
        switch amount {
        case nil: return .some(nil)
        case .fixed(let number): return number
        case .argument(let number):
            guard let number, number <= arguments.count, let integer = arguments[number - 1].integer,
                integer.magnitude < 1000
            else { return nil }
            return Int(integer.magnitude) * (integer.isNegative ? -1 : 1)
        }
    }
}

/// The layout of a value.
private struct Shape {
    var flags: Conversion.Flags
    var width: Int
    var precision: Int?

    /// The value formatted for the conversion; nil if it does not fit.
    func shown(_ argument: FormatArgument, _ conversion: Conversion) -> String? {
        switch conversion.type {
        case "d", "i", "D":
            argument.integer.map { number("\($0.magnitude)", sign: sign(isNegative: $0.isNegative)) }
        case "u", "U": argument.twosComplement(length: conversion.length).map { number("\($0)") }
        case "x": argument.twosComplement(length: conversion.length).map { radix($0, 16, "0x") }
        case "X": argument.twosComplement(length: conversion.length).map { radix($0, 16, "0X").uppercased() }
        case "o", "O": argument.twosComplement(length: conversion.length).map(octal)
        case "c", "C": character(argument)
        case "f", "F", "e", "E", "g", "G", "a", "A":
            argument.real.map {
                RealText.text(of: $0, type: conversion.type, precision: precision, width: width, flags: flags)
            }
        default: padded(precision.map { String(argument.text.prefix($0)) } ?? argument.text)
        }
    }

    private func sign(isNegative: Bool) -> String {
        isNegative ? "-" : flags.contains(.plus) ? "+" : ""
    }

    private func radix(_ value: UInt64, _ radix: Int, _ mark: String) -> String {
        number(String(value, radix: radix), sign: flags.contains(.alternate) && value != 0 ? mark : "")
    }

    /// The mark of octal numbers is itself an octal digit.
    private func octal(_ value: UInt64) -> String {
        guard flags.contains(.alternate) else { return number(String(value, radix: 8)) }
        guard value == 0 else { return number("0" + String(value, radix: 8)) }
        return Shape(flags: flags, width: width, precision: precision.map { max($0, 1) }).number("0")
    }

    /// Digits with as many zeros before them as required by the precision, or by the width with the flag `0`.
    private func number(_ digits: String, sign: String = "") -> String {
        var digits = digits
        if precision == 0, digits == "0" { digits = "" }
        let fills = precision == nil && flags.contains(.zero) && !flags.contains(.left)
        let length = precision ?? (fills ? width - sign.utf8.count : 0)
        return padded(sign + String(repeating: "0", count: max(0, length - digits.utf8.count)) + digits)
    }

    /// A number as the character with that code, or a text of one character unchanged.
    private func character(_ argument: FormatArgument) -> String? {
        guard let integer = argument.integer else { return argument.text.count == 1 ? padded(argument.text) : nil }
        let scalar = integer.isNegative ? nil : UInt32(exactly: integer.magnitude).flatMap { Unicode.Scalar($0) }
        return padded(String(Character(scalar ?? "\u{FFFD}")))
    }

    func padded(_ text: String) -> String {
        guard width > 0 else { return text }
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return flags.contains(.left) ? text + blanks : blanks + text
    }
}

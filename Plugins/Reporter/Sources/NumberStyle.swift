import PluginABI

/// Formats numbers for the user's language: its marks are in the strings table `Numbers`.
struct NumberStyle {
    private let decimalMark: String
    private let groupMark: String
    private let percentage: String

    init(context: PluginContext) {
        decimalMark = context.localizedString("decimal mark", value: ".", table: "Numbers")
        groupMark = context.localizedString("group mark", value: ",", table: "Numbers")
        percentage = context.localizedString("percentage", value: "{number}%", table: "Numbers")
    }

    /// 1234567 as 1,234,567.
    func text(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "−" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += groupMark }
            text.append(digit)
        }
        return text
    }

    /// A number with one digit after the decimal mark.
    func text(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return (tenths < 0 ? "−" : "") + text(abs(tenths) / 10) + decimalMark + "\(abs(tenths) % 10)"
    }

    /// 0.0123 as 1.23%: two digits after the mark below ten per cent, otherwise one.
    func percentage(_ share: Double) -> String {
        let hundredths = Int((share * 10_000).rounded())
        let number =
            hundredths < 1000
            ? "\(hundredths / 100)\(decimalMark)\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
            : text(share * 100)
        return percentage.replacing("{number}", with: number)
    }

    /// 25 as 25%.
    func percentage(whole number: Int) -> String { percentage.replacing("{number}", with: text(number)) }

    /// A file's size in the largest unit in which it is at least one.
    func size(_ bytes: Int) -> String {
        var size = Double(bytes)
        var units = ["kB", "MB", "GB", "TB"][...]
        guard size >= 1000 else { return text(bytes) + "\u{A0}B" }
        size /= 1000
        while size >= 999.95, units.count > 1 {
            size /= 1000
            units = units.dropFirst()
        }
        return text(size) + "\u{A0}" + units[units.startIndex]
    }
}

import PluginABI

/// An axis from zero to a round number, with a few round numbers between.
struct ValueScale {
    /// The end of the axis.
    let maximum: Double
    let ticks: [Double]
    private let numbers: NumberStyle

    /// `largest`: the largest value to be shown.
    init(upTo largest: Double, numbers: NumberStyle) {
        let largest = largest.isFinite && largest > 0 ? largest : 1
        // The step is 1, 2, 2.5 or 5 times a power of ten, so that there are four to seven steps.
        var magnitude = 1.0
        while magnitude * 10 <= largest { magnitude *= 10 }
        while magnitude > largest { magnitude /= 10 }
        let step = [0.1, 0.2, 0.25, 0.5, 1, 2].map { $0 * magnitude }.first { largest / $0 <= 6 } ?? magnitude
        let count = Int((largest / step).rounded(.up))
        maximum = step * Double(count)
        ticks = (0...count).map { Double($0) * step }
        self.numbers = numbers
    }

    func label(_ value: Double) -> String { numbers.text(value) }

    /// The position of the value on the axis, from 0 to 1.
    func position(_ value: Double) -> Double { min(max(value / maximum, 0), 1) }
}

/// Formats numbers for the user's language: its marks are in the strings table `Numbers`.
struct NumberStyle {
    private let decimalMark: String
    private let groupMark: String

    init(context: PluginContext) {
        decimalMark = context.localizedString("decimal mark", value: ".", table: "Numbers")
        groupMark = context.localizedString("group mark", value: ",", table: "Numbers")
    }

    /// Whole numbers with group marks, others with one or two digits after the decimal mark.
    func text(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
        let hundredths = Int((abs(value) * 100).rounded())
        var text = value < 0 && hundredths > 0 ? "−" : ""
        let digits = Array(String(hundredths / 100))
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += groupMark }
            text.append(digit)
        }
        let fraction = hundredths % 100
        if fraction == 0 || value >= 1000 { return text }
        return text + decimalMark
            + (fraction % 10 == 0 ? "\(fraction / 10)" : (fraction < 10 ? "0" : "") + "\(fraction)")
    }
}

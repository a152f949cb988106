import HostBasics

/// A number in the form that plural rules use: the digits that are shown matter, not only the value.
///
/// English has "1 mile" and "1.0 miles".
///
/// Source: UTS #35, part 3, "Plural Operand Meanings". The sign does not matter.
package struct PluralOperands: Sendable, Hashable {
    /// The whole part.
    ///
    /// For more than 18 digits: 10^18 plus the last 18 digits.
    package let i: UInt64
    /// How many digits the fraction shows, with and without zeros at its end.
    package let v: UInt64
    package let w: UInt64
    /// The digits of the fraction, with and without zeros at its end; only the first 18.
    package let f: UInt64
    package let t: UInt64

    package init(_ number: some BinaryInteger) {
        self.init(digits: Array(String(number.magnitude).utf8), fraction: [])
    }

    /// Reads a number written with digits, a decimal point and an exponent; nil if the text is something else.
    ///
    /// For example `-12.50` and `1e+20`.
    package init?(_ text: some StringProtocol) {
        var digits: [UInt8] = []
        var fraction: [UInt8] = []
        var rest = Array(text.utf8)[...]
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        digits.append(contentsOf: rest.prefix { $0.isDigit })
        rest.removeFirst(digits.count)
        if rest.first == UInt8(ascii: ".") {
            fraction.append(contentsOf: rest.dropFirst().prefix { $0.isDigit })
            rest.removeFirst(fraction.count + 1)
        }
        guard !digits.isEmpty || !fraction.isEmpty else { return nil }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            // No finite Double has an exponent beyond four digits.
            guard rest.count <= 6, let exponent = Int(String(decoding: rest.dropFirst(), as: UTF8.self)) else {
                return nil
            }
            guard exponent.magnitude <= 400 else { return nil }
            Self.shift(&digits, &fraction, by: exponent)
            rest = []
        }
        guard rest.isEmpty else { return nil }
        self.init(digits: digits, fraction: fraction)
    }

    /// A number with no more digits than it needs; nil if it is not finite.
    ///
    /// For example, 1.0 becomes `1`.
    package init?(_ number: Double) {
        var text = "\(number)"
        if text.hasSuffix(".0") { text.removeLast(2) }
        self.init(text)
    }

    private init(digits: [UInt8], fraction: [UInt8]) {
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        let last = Self.number(significant.suffix(18))
        // For numbers of this size, rules only depend on the last six digits.
        i = significant.count > 18 ? last + 1_000_000_000_000_000_000 : last
        let trimmed = fraction[..<((fraction.lastIndex { $0 != UInt8(ascii: "0") } ?? -1) + 1)]
        v = UInt64(fraction.count)
        w = UInt64(trimmed.count)
        f = Self.number(fraction.prefix(18))
        t = Self.number(trimmed.prefix(18))
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64 {
        digits.reduce(0) { $0 * 10 + UInt64($1 - UInt8(ascii: "0")) }
    }

    private static func shift(_ digits: inout [UInt8], _ fraction: inout [UInt8], by exponent: Int) {
        for _ in 0..<max(exponent, 0) { digits.append(fraction.isEmpty ? UInt8(ascii: "0") : fraction.removeFirst()) }
        for _ in 0..<max(-exponent, 0) { fraction.insert(digits.popLast() ?? UInt8(ascii: "0"), at: 0) }
    }
}

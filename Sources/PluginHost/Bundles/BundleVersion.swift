/// A version as CFBundleVersion has it: numbers between dots, compared number by number.
struct BundleVersion: Comparable {
    private let numbers: [Int]

    /// Reads the numbers up to the first component that is none; a missing version is the lowest.
    init(_ text: String?) {
        var numbers: [Int] = []
        for component in (text ?? "").split(separator: ".", omittingEmptySubsequences: false) {
            guard let number = Int(component.prefix { $0.isASCII && $0.isNumber }) else { break }
            numbers.append(number)
        }
        while numbers.last == 0 { numbers.removeLast() }  // 1.0 is 1
        self.numbers = numbers
    }

    static func < (a: BundleVersion, b: BundleVersion) -> Bool { a.numbers.lexicographicallyPrecedes(b.numbers) }
}

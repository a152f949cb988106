/// A version of a plug-in: numbers between dots, perhaps a pre-release, perhaps build metadata.
///
/// `1.4`, `2`, `1.0.3.7`, `2.0-beta.2`, `1.4+linux`. Rules of the order:
/// 1. number by number; numbers that are missing are 0, so that `1.0` equals `1`;
/// 2. a pre-release is below what it precedes: `2.0-beta` < `2.0`. Two of them are compared part by part: numbers as
///    numbers, below words; words by their ASCII; and the longer one is higher where the shorter is its beginning;
/// 3. build metadata does not count;
/// 4. for the version of a bundle, of two that are equal that with the higher `CFBundleVersion` is higher.
///
/// Source: Semantic Versioning 2.0.0, sections 9 to 11, for any count of numbers and with zeros at their beginning.
///
/// **Cost.** Reading is one pass over the text; comparing allocates nothing.
public struct PluginVersion: Sendable, LosslessStringConvertible {
    /// The version as it was written.
    public let description: String
    /// The numbers, without zeros at the end.
    let numbers: [Int]
    /// The parts of the pre-release, numbers among them without zeros at the beginning; empty for a release.
    let prerelease: [String]
    /// The numbers of a bundle's `CFBundleVersion`; empty for a version that is not of a bundle.
    private(set) var build: [Int] = []

    /// The most bytes that a version may have.
    static let longest = 255

    /// - Parameter text: the version, without blanks.
    /// - Returns: nil unless the whole text is a version: of at most 255 bytes, and numbers of at most 63 bits.
    public init?(_ text: String) {
        let utf8 = text.utf8
        guard !utf8.isEmpty, utf8.count <= Self.longest else { return nil }
        if let numbers = Self.plainNumbers(text) {
            self.init(description: text, numbers: numbers, prerelease: [])
            return
        }
        let beforeBuild = utf8.prefix { $0 != UInt8(ascii: "+") }
        if beforeBuild.endIndex != utf8.endIndex {
            guard Self.identifiers(utf8[beforeBuild.endIndex...].dropFirst()) != nil else { return nil }
        }
        let release = beforeBuild.prefix { $0 != UInt8(ascii: "-") }
        var prerelease: [String] = []
        if release.endIndex != beforeBuild.endIndex {
            guard let parts = Self.identifiers(beforeBuild[release.endIndex...].dropFirst()) else { return nil }
            prerelease = parts
        }
        let (numbers, rest) = Self.leadingNumbers(release)
        guard rest.isEmpty, !numbers.isEmpty else { return nil }
        self.init(description: text, numbers: numbers, prerelease: prerelease)
    }

    /// The version that a text is, else the numbers that it begins with, else 0.
    init(reading text: String?) {
        self = Self.leading(text) ?? .zero
    }

    /// The version of a bundle: `CFBundleShortVersionString`, or `CFBundleVersion` where that begins with no number, and
    /// among equal ones ordered by `CFBundleVersion`.
    init(short: String?, build: String?) {
        let build = Self.leading(build)
        guard var version = Self.leading(short) else {
            self = build ?? .zero
            return
        }
        version.build = build?.numbers ?? []
        self = version
    }

    init(description: String, numbers: [Int], prerelease: [String]) {
        self.description = description
        self.numbers = numbers.last == 0 ? Array(numbers.prefix((numbers.lastIndex { $0 != 0 } ?? -1) + 1)) : numbers
        self.prerelease = prerelease
    }

    /// The version of what has none.
    static let zero = PluginVersion(description: "0", numbers: [], prerelease: [])

    // MARK: Reading

    /// What a text begins with, or nil if that is no number.
    private static func leading(_ text: String?) -> PluginVersion? {
        guard let text else { return nil }
        if let version = PluginVersion(text) { return version }
        let numbers = leadingNumbers(text.utf8.prefix(longest)).numbers
        guard !numbers.isEmpty else { return nil }
        return PluginVersion(
            description: numbers.map(String.init).joined(separator: "."), numbers: numbers, prerelease: [])
    }

    /// The numbers of a version that has nothing else, as nearly all have; nil for any other text. A catalogue reads as
    /// many versions as there are plug-ins.
    private static func plainNumbers(_ text: String) -> [Int]? {
        var text = text
        return text.withUTF8 { bytes in
            var numbers: [Int] = []
            numbers.reserveCapacity(4)
            var digits = 0
            var number = 0
            for byte in bytes {
                if isDigit(byte) {
                    digits += 1
                    // As many as a number of 63 bits surely holds.
                    guard digits <= 18 else { return nil }
                    number = number * 10 + Int(byte - UInt8(ascii: "0"))
                } else {
                    guard byte == UInt8(ascii: "."), digits > 0 else { return nil }
                    numbers.append(number)
                    (digits, number) = (0, 0)
                }
            }
            guard digits > 0 else { return nil }
            numbers.append(number)
            return numbers
        }
    }

    /// The numbers between dots that bytes begin with, and what follows the last one.
    private static func leadingNumbers(
        _ bytes: Substring.UTF8View
    ) -> (numbers: [Int], rest: Substring.UTF8View) {
        var numbers: [Int] = []
        var rest = bytes
        while true {
            let component = numbers.isEmpty ? rest : rest.dropFirst()
            let digits = component.prefix(while: isDigit)
            guard let number = Int(Substring(digits)) else { return (numbers, rest) }
            numbers.append(number)
            rest = component[digits.endIndex...]
            guard rest.first == UInt8(ascii: ".") else { return (numbers, rest) }
        }
    }

    /// The parts between dots, or nil if one is empty or has other characters than letters, digits and hyphens.
    private static func identifiers(_ bytes: Substring.UTF8View) -> [String]? {
        var parts: [String] = []
        for part in bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard !part.isEmpty, part.allSatisfy(isIdentifier) else { return nil }
            let significant = part.allSatisfy(isDigit) ? part.drop { $0 == UInt8(ascii: "0") } : part
            parts.append(significant.isEmpty ? "0" : String(Substring(significant)))
        }
        return parts
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private static func isIdentifier(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "-")
    }
}

extension PluginVersion: Comparable, Hashable {
    public static func == (a: PluginVersion, b: PluginVersion) -> Bool {
        a.numbers == b.numbers && a.prerelease == b.prerelease && a.build == b.build
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(numbers)
        hasher.combine(prerelease)
        hasher.combine(build)
    }

    public static func < (a: PluginVersion, b: PluginVersion) -> Bool {
        if a.precedes(b) { return true }
        if b.precedes(a) { return false }
        return a.build.lexicographicallyPrecedes(b.build)
    }

    /// The order of version ranges, which know nothing of builds.
    func precedes(_ other: PluginVersion) -> Bool {
        if numbers != other.numbers { return numbers.lexicographicallyPrecedes(other.numbers) }
        if prerelease.isEmpty || other.prerelease.isEmpty { return !prerelease.isEmpty && other.prerelease.isEmpty }
        return prerelease.lexicographicallyPrecedes(other.prerelease, by: Self.partPrecedes)
    }

    private static func partPrecedes(_ a: String, _ b: String) -> Bool {
        switch (a.utf8.allSatisfy(isDigit), b.utf8.allSatisfy(isDigit)) {
        case (true, true): (a.utf8.count, a) < (b.utf8.count, b)  // of any size, and without zeros at the beginning
        case (true, false): true
        case (false, true): false
        case (false, false): a < b
        }
    }
}

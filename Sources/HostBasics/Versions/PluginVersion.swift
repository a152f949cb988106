/// A version of a plug-in: numbers separated by dots, optionally with a pre-release and build metadata.
///
/// `1.4`, `2`, `1.0.3.7`, `2.0-beta.2`, `1.4+linux`. Rules for the order:
/// 1. number by number; missing numbers are 0, so that `1.0` equals `1`;
/// 2. a pre-release is lower than its release: `2.0-beta` < `2.0`. Two pre-releases are compared part by part: numbers
///    as numbers, words in ASCII order, and a number is lower than a word. If one is the beginning of the other, the
///    longer one is higher;
/// 3. build metadata is ignored;
/// 4. if the versions of two bundles are equal, the one with the higher `CFBundleVersion` is higher.
///
/// Source: Semantic Versioning 2.0.0, sections 9 to 11, extended to any count of numbers and to leading zeros.
///
/// **Cost.** Reading is one pass over the text; comparing allocates nothing.
public struct PluginVersion: Sendable, LosslessStringConvertible {
    /// The version as written.
    public let description: String
    /// The numbers, without zeros at the end.
    package let numbers: [Int]
    /// The parts of the pre-release, with numbers without leading zeros; empty for a release.
    let prerelease: [String]
    /// The numbers of a bundle's `CFBundleVersion`; empty if the version does not belong to a bundle.
    package private(set) var build: [Int] = []

    /// The maximum length of a version in bytes.
    package static let longest = 255

    /// Nil unless the whole text is a version, with at most 255 bytes and numbers of at most 63 bits.
    ///
    /// - Parameter text: the version, without blanks.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let (numbers, length) = Self.leadingNumbers(text)
        guard !numbers.isEmpty else { return nil }
        let rest = text.utf8.dropFirst(length)
        let beforeBuild = rest.prefix { $0 != UInt8(ascii: "+") }
        if beforeBuild.endIndex != rest.endIndex {
            guard Self.identifiers(rest[beforeBuild.endIndex...].dropFirst()) != nil else { return nil }
        }
        var prerelease: [String] = []
        if let hyphen = beforeBuild.first {
            guard hyphen == UInt8(ascii: "-"), let parts = Self.identifiers(beforeBuild.dropFirst()) else { return nil }
            prerelease = parts
        }
        self.init(description: text, numbers: numbers, prerelease: prerelease)
    }

    /// The version in a text; otherwise the numbers at its beginning; otherwise 0.
    package init(reading text: String?) {
        self = Self.leading(text) ?? .zero
    }

    /// The version of a bundle: `CFBundleShortVersionString`, or `CFBundleVersion` if the former does not begin with a
    /// number.
    ///
    /// Equal versions are ordered by `CFBundleVersion`.
    package init(short: String?, build: String?) {
        let build = Self.leading(build)
        guard var version = Self.leading(short) else {
            self = build ?? .zero
            return
        }
        version.build = build?.numbers ?? []
        self = version
    }

    package init(description: String, numbers: [Int], prerelease: [String]) {
        self.description = description
        self.numbers = numbers.last == 0 ? Array(numbers.prefix((numbers.lastIndex { $0 != 0 } ?? -1) + 1)) : numbers
        self.prerelease = prerelease
    }

    /// The version of a bundle that has none.
    package static let zero = PluginVersion(description: "0", numbers: [], prerelease: [])

    /// Whether a text begins with a number, so that it counts as a version.
    package static func beginsWithNumber(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isDigit else { return false }
        // A number of up to eighteen digits always fits.
        return text.utf8.count < 19 || leading(text) != nil
    }

    // MARK: Reading

    /// The version at the beginning of a text, or nil if it does not begin with a number.
    private static func leading(_ text: String?) -> PluginVersion? {
        guard let text else { return nil }
        if let version = PluginVersion(text) { return version }
        let numbers = leadingNumbers(text).numbers
        guard !numbers.isEmpty else { return nil }
        return PluginVersion(
            description: numbers.map(String.init).joined(separator: "."), numbers: numbers, prerelease: [])
    }

    /// The numbers separated by dots at the beginning of a text, and their length in bytes.
    ///
    /// They end where the next part is not a number of 63 bits, or exceeds the longest version. Speed matters: a
    /// catalogue reads one version per plug-in.
    private static func leadingNumbers(_ text: String) -> (numbers: [Int], length: Int) {
        var text = text
        return text.withUTF8 { bytes in
            let end = min(bytes.count, longest)
            var numbers: [Int] = []
            var length = 0
            while true {
                let start = numbers.isEmpty ? 0 : length + 1
                var place = start
                var number = 0
                while place < end, isDigit(bytes[place]) {
                    let (tenfold, isTooLarge) = number.multipliedReportingOverflow(by: 10)
                    let (sum, overflows) = tenfold.addingReportingOverflow(Int(bytes[place] - UInt8(ascii: "0")))
                    if isTooLarge || overflows { return (numbers, length) }
                    number = sum
                    place += 1
                }
                if place == start { return (numbers, length) }
                // Most versions have three numbers: one allocation is enough.
                if numbers.isEmpty { numbers.reserveCapacity(4) }
                numbers.append(number)
                length = place
                guard place < end, bytes[place] == UInt8(ascii: ".") else { return (numbers, length) }
            }
        }
    }

    /// The parts between dots; nil if one is empty or contains characters other than letters, digits and hyphens.
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
    /// Whether neither is higher: `1.0` equals `1`, and build metadata is ignored.
    public static func == (a: PluginVersion, b: PluginVersion) -> Bool {
        a.numbers == b.numbers && a.prerelease == b.prerelease && a.build == b.build
    }

    /// Adds the parts that equality compares to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(numbers)
        hasher.combine(prerelease)
        hasher.combine(build)
    }

    /// Whether the first is lower, following the rules above.
    public static func < (a: PluginVersion, b: PluginVersion) -> Bool {
        if a.precedes(b) { return true }
        if b.precedes(a) { return false }
        return a.build.lexicographicallyPrecedes(b.build)
    }

    /// The order for version ranges, which ignores builds.
    package func precedes(_ other: PluginVersion) -> Bool {
        if numbers != other.numbers { return numbers.lexicographicallyPrecedes(other.numbers) }
        if prerelease.isEmpty || other.prerelease.isEmpty { return !prerelease.isEmpty && other.prerelease.isEmpty }
        return prerelease.lexicographicallyPrecedes(other.prerelease, by: Self.partPrecedes)
    }

    private static func partPrecedes(_ a: String, _ b: String) -> Bool {
        switch (a.utf8.allSatisfy(isDigit), b.utf8.allSatisfy(isDigit)) {
        case (true, true): (a.utf8.count, a) < (b.utf8.count, b)  // of any size; leading zeros were removed
        case (true, false): true
        case (false, true): false
        case (false, false): a < b
        }
    }
}

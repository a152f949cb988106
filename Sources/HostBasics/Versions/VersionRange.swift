/// A range of accepted versions: `>=1.2 <2`, `1.2`, `~1.2`, `=1.2`, `1.2...1.9`, `*`, `1.4 || 2.1`.
///
/// All conditions in a row must be met, in at least one of the alternatives between `||`:
/// - `1.2` and `^1.2`: from 1.2 while the first number that is not 0 stays the same: below 2. `0.3` is below 0.4, `0`
///   below 1;
/// - `~1.2`: from 1.2 while the first two numbers stay the same: below 1.3. `~1` is below 2;
/// - `=1.2`, `>1.2`, `>=1.2`, `<1.2`, `<=1.2`: comparisons;
/// - `1.2...1.9` from 1.2 to 1.9, `1.2..<1.9` from 1.2 to below 1.9;
/// - `*`: any version.
///
/// A range that ends **below** a release also ends below its pre-releases: 2.0-beta is neither in `<2` nor in `1.2`.
/// Otherwise a pre-release is in a range according to its place in the order: 1.5-beta is in `1.2`, and 1.2-beta is
/// not.
///
/// Sources: the operators of Cargo's and SwiftPM's version requirements, and the pre-releases at the upper end of
/// node-semver's ranges.
///
/// **Cost.** Reading is one pass over the text; ``contains(_:)`` allocates nothing.
public struct VersionRange: Sendable, CustomStringConvertible {
    /// The range as written.
    public let description: String
    /// Its intervals: in order, with gaps between them, never empty.
    package let intervals: [Interval]

    /// Every version.
    public static let any = VersionRange(description: "*", intervals: [.all])

    package init(description: String, intervals: [Interval]) {
        self.description = description
        self.intervals = Self.merged(intervals)
    }

    /// Whether a version is in the range.
    public func contains(_ version: PluginVersion) -> Bool {
        intervals.contains { $0.lower.isBelow(version) && !($0.upper?.isBelow(version) ?? false) }
    }

    /// A position between versions.
    package struct Cut: Sendable, Hashable, Comparable {
        package let version: PluginVersion
        /// Whether it is after the version; otherwise before it.
        let isAfter: Bool

        package static func before(_ version: PluginVersion) -> Cut { Cut(version: version, isAfter: false) }
        package static func after(_ version: PluginVersion) -> Cut { Cut(version: version, isAfter: true) }

        /// Before a version and, if it is a release, before all its pre-releases, the first of which is 0.
        static func beforePrereleases(_ version: PluginVersion) -> Cut {
            guard version.prerelease.isEmpty else { return .before(version) }
            return .before(
                PluginVersion(description: version.description, numbers: version.numbers, prerelease: ["0"]))
        }

        /// Before every version.
        package static let start = beforePrereleases(.zero)

        /// Whether a version comes after this position.
        package func isBelow(_ version: PluginVersion) -> Bool {
            isAfter ? self.version.precedes(version) : !version.precedes(self.version)
        }

        package static func < (a: Cut, b: Cut) -> Bool {
            if a.version != b.version { return a.version < b.version }
            return !a.isAfter && b.isAfter
        }
    }

    /// All versions from one position to another.
    package struct Interval: Sendable, Hashable {
        package var lower: Cut
        /// nil means without end.
        package var upper: Cut?

        package static let all = Interval(lower: .start, upper: nil)

        package var isEmpty: Bool { upper.map { $0 <= lower } ?? false }

        /// The versions in both intervals.
        package func intersection(_ other: Interval) -> Interval {
            Interval(lower: max(lower, other.lower), upper: [upper, other.upper].compactMap(\.self).min())
        }
    }

    private static func merged(_ intervals: [Interval]) -> [Interval] {
        var result: [Interval] = []
        for interval in intervals.sorted(by: { $0.lower < $1.lower }) {
            guard let last = result.last, last.upper.map({ interval.lower <= $0 }) ?? true else {
                result.append(interval)
                continue
            }
            guard let end = last.upper else { break }
            result[result.count - 1].upper = interval.upper.map { max($0, end) }
        }
        return result
    }
}

extension VersionRange: Hashable {
    /// Whether both contain the same versions, however they are written.
    public static func == (a: VersionRange, b: VersionRange) -> Bool { a.intervals == b.intervals }

    /// Adds the versions in the range to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(intervals) }
}

extension VersionRange {
    /// The range in words, to follow an identifier: `2 or later`, `from 1.2 to below 2`; empty for any version.
    package var inWords: String {
        let parts = intervals.map(\.inWords)
        guard parts.count > 6 else { return parts.joined(separator: " or ") }
        return quoted(description.utf8.count > 80 ? description.prefix(80) + "…" : description[...])
    }
}

extension VersionRange.Interval {
    fileprivate var inWords: String {
        let from = lower == .start ? nil : lower
        switch (from, upper) {
        case (nil, nil): return ""
        case (nil, let upper?): return upper.isAfter ? "\(upper.version) or earlier" : "below \(upper.version)"
        case (let from?, nil): return from.isAfter ? "later than \(from.version)" : "\(from.version) or later"
        case (let from?, let upper?):
            if !from.isAfter, upper.isAfter, from.version == upper.version { return "exactly \(from.version)" }
            let end = upper.isAfter ? "\(upper.version)" : "below \(upper.version)"
            return from.isAfter
                ? "later than \(from.version) and \(upper.isAfter ? "up to " : "")\(end)"
                : "from \(from.version) to \(end)"
        }
    }
}

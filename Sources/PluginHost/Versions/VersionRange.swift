/// Which versions will do: `>=1.2 <2`, `1.2`, `~1.2`, `=1.2`, `1.2...1.9`, `*`, `1.4 || 2.1`.
///
/// Conditions that stand beside each other must all hold, and one of the alternatives between `||`:
/// - `1.2` and `^1.2`: from 1.2 on while the first number that is not 0 stays: below 2. `0.3` is below 0.4, `0` below 1;
/// - `~1.2`: from 1.2 on while the first two numbers stay: below 1.3. `~1` is below 2;
/// - `=1.2`, `>1.2`, `>=1.2`, `<1.2`, `<=1.2`: what they say;
/// - `1.2...1.9` from 1.2 to 1.9, `1.2..<1.9` from 1.2 to below 1.9;
/// - `*`: any version.
///
/// What is **below** a release is below its pre-releases too: 2.0-beta is not `<2`, and not `1.2`. A pre-release is
/// otherwise in a range by its place in the order: 1.5-beta is in `1.2`, and 1.2-beta is not.
///
/// Sources: the operators of Cargo's version requirements and of SwiftPM's, the pre-releases at an upper end of
/// node-semver's ranges.
///
/// **Cost.** Reading is one pass over the text; ``contains(_:)`` allocates nothing.
public struct VersionRange: Sendable, CustomStringConvertible {
    /// The range as it was written.
    public let description: String
    /// What it contains: in order, with gaps between, never empty.
    let intervals: [Interval]

    /// Every version.
    public static let any = VersionRange(description: "*", intervals: [.all])

    init(description: String, intervals: [Interval]) {
        self.description = description
        self.intervals = Self.merged(intervals)
    }

    /// Whether a version is in the range.
    public func contains(_ version: PluginVersion) -> Bool {
        intervals.contains { $0.lower.isBelow(version) && !($0.upper?.isBelow(version) ?? false) }
    }

    /// A place between versions.
    struct Cut: Sendable, Hashable, Comparable {
        let version: PluginVersion
        /// Whether it is after the version, or before.
        let isAfter: Bool

        static func before(_ version: PluginVersion) -> Cut { Cut(version: version, isAfter: false) }
        static func after(_ version: PluginVersion) -> Cut { Cut(version: version, isAfter: true) }

        /// Before a version and, if it is a release, before all its pre-releases, of which 0 is the first.
        static func beforePrereleases(_ version: PluginVersion) -> Cut {
            guard version.prerelease.isEmpty else { return .before(version) }
            return .before(
                PluginVersion(description: version.description, numbers: version.numbers, prerelease: ["0"]))
        }

        /// Before every version.
        static let start = beforePrereleases(.zero)

        /// Whether a version comes after the place.
        func isBelow(_ version: PluginVersion) -> Bool {
            isAfter ? self.version.precedes(version) : !version.precedes(self.version)
        }

        static func < (a: Cut, b: Cut) -> Bool {
            if a.version != b.version { return a.version < b.version }
            return !a.isAfter && b.isAfter
        }
    }

    /// All versions from one place to another.
    struct Interval: Sendable, Hashable {
        var lower: Cut
        /// nil: without end.
        var upper: Cut?

        static let all = Interval(lower: .start, upper: nil)

        var isEmpty: Bool { upper.map { $0 <= lower } ?? false }

        /// What is in both.
        func intersection(_ other: Interval) -> Interval {
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

    /// Feeds the versions that the range contains into the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(intervals) }
}

extension VersionRange {
    /// The range in words, to stand after an identifier: `2 or later`, `from 1.2 to below 2`; empty for any version.
    var inWords: String {
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

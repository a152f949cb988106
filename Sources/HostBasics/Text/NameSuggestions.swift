/// Finds the names that a wrong name was probably meant to be, for “did you mean”.
///
/// All messages use this type to compare names. Use one value for a whole report: it bounds the work for all names of
/// the report together, because names and lists of names come from files of unknown origin.
///
/// **Cost.** At most ``mostSteps``, however many names there are and however long they are.
public struct NameSuggestions: Sendable {
    /// The longest name that is compared, in bytes of UTF-8.
    public static let longestName = 128
    /// A name with more changes is a different name, not a misspelt one.
    private static let mostChanges = 6
    /// The maximum number of steps for all names of one report.
    ///
    /// A step is one cell of a table of distances.
    ///
    /// Comparing a hundred names with ten thousand others takes about as many.
    public static let mostSteps = 1 << 23
    /// The steps for looking at a name, even if its letters are not compared.
    private static let stepsOfEach = 8

    /// The remaining steps, from ``mostSteps`` down to 0.
    public private(set) var steps = mostSteps

    /// Creates the suggestions for one report.
    public init() {}

    /// The known names that are similar to a wrong one, nearest first; names that differ only in capital letters are
    /// the nearest.
    ///
    /// - Parameters:
    ///   - name: the wrong name.
    ///   - known: the names that exist.
    ///   - limit: how many letters may be changed, added, left out, or exchanged with their neighbour; nil for a third
    ///     of the name's letters, but 1 to 6.
    ///   - most: the maximum number of names.
    /// - Returns: none for a name longer than ``longestName``, or if ``mostSteps`` are used up before all known names
    ///   are compared, so that the result does not depend on their order.
    public mutating func names(
        near name: String, among known: some Sequence<String>, atMost limit: Int? = nil, most: Int = 3
    ) -> [String] {
        near(name, known, limit).prefix(most).map(\.name)
    }

    /// The same, but only the nearest names: all those with the smallest distance.
    public mutating func nearestNames(
        to name: String, among known: some Sequence<String>, atMost limit: Int
    ) -> [String] {
        let near = near(name, known, limit)
        return near.prefix { $0.distance == near[0].distance }.map(\.name)
    }

    /// Whether a name is one of the known names with a single typing slip: different capital letters, or one lowercase
    /// letter changed, left out, added, or exchanged with its neighbour.
    ///
    /// Changes of the first letter and additions at the end are not slips.
    ///
    /// Use this for findings that would be wrong if the author meant the name as written. Of 3,180 classes of nine
    /// applications, 1,460 have another class in the same application that ``names(near:among:atMost:most:)`` finds
    /// near, such as `ImportController` and `ExportController`; only two pairs differ by such a slip. Prefixes, numbers
    /// and plurals make different names.
    ///
    /// - Returns: false also for a name of fewer than ``shortestSlip`` letters, and once ``mostSteps`` are used up.
    package mutating func isSlip(_ name: String, ofAny known: some Sequence<String>) -> Bool {
        names(near: name, among: known, atMost: 1, most: .max).contains { Self.isSlip(name, of: $0) }
    }

    /// Two different words that are shorter may differ by only one letter.
    private static let shortestSlip = 5

    /// The two names must differ by at most one change.
    private static func isSlip(_ name: String, of known: String) -> Bool {
        let (one, other) = (Array(name.unicodeScalars), Array(known.unicodeScalars))
        guard min(one.count, other.count) >= shortestSlip else { return false }
        func isSame(_ pair: (Unicode.Scalar, Unicode.Scalar)) -> Bool {
            pair.0 == pair.1 || pair.0.properties.lowercaseMapping == pair.1.properties.lowercaseMapping
        }
        let start = zip(one, other).prefix { isSame($0) }.count
        if start == one.count, start == other.count { return true }
        let end = zip(one.dropFirst(start).reversed(), other.dropFirst(start).reversed()).prefix { isSame($0) }.count
        guard start > 0, end > 0 || one.count == other.count else { return false }
        let changed = one[start..<one.count - end] + other[start..<other.count - end]
        return changed.allSatisfy(\.properties.isLowercase)
    }

    private mutating func near(
        _ name: String, _ known: some Sequence<String>, _ limit: Int?
    ) -> [(distance: Int, name: String)] {
        guard name.utf8.count <= Self.longestName, steps > 0 else { return [] }
        let wanted = Self.letters(name)
        let limit = limit ?? min(max(1, wanted.count / 3), Self.mostChanges)
        var near: [(distance: Int, name: String)] = []
        for candidate in known {
            guard take(Self.stepsOfEach) else { return [] }
            // A letter has up to four bytes.
            guard candidate.utf8.count <= Self.longestName, abs(candidate.utf8.count - name.utf8.count) <= 4 * limit
            else { continue }
            var cells = 0
            let distance = Self.letters(candidate).editDistance(to: wanted, atMost: limit, cells: &cells)
            guard take(cells) else { return [] }
            if let distance { near.append((distance, candidate)) }
        }
        return near.sorted { $0 < $1 }
    }

    private mutating func take(_ count: Int) -> Bool {
        steps = max(0, steps - count)
        return steps > 0
    }

    private static func letters(_ name: String) -> [Unicode.Scalar] { Array(name.lowercased().unicodeScalars) }
}

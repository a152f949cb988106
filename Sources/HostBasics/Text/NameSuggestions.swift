/// The names that a wrong one was probably meant to be: “did you mean”.
///
/// The one place that compares names for messages. One value serves a whole report: it bounds the work for all of the
/// report's names together, because names and lists of names come from files of unknown origin.
///
/// **Cost.** At most ``mostSteps``, however many names there are and however long they are.
public struct NameSuggestions: Sendable {
    /// In bytes of UTF-8; nobody looks for the mistake in a longer name.
    public static let longestName = 128
    /// More changes make another name, and not a misspelt one.
    private static let mostChanges = 6
    /// What the names of one report may take in all; a step is one cell of a table of distances.
    ///
    /// A hundred names among ten thousand others take about as many.
    public static let mostSteps = 1 << 23
    /// What it takes to look at a name whose letters are not compared.
    private static let stepsOfEach = 8

    /// What is left of ``mostSteps``.
    public private(set) var steps = mostSteps

    /// For a report.
    public init() {}

    /// The known names that are nearly another one, nearest first; those that differ in capital letters only are the
    /// nearest.
    ///
    /// - Parameters:
    ///   - name: the wrong name.
    ///   - known: the names that exist.
    ///   - limit: how many letters may be changed, added, left out, or exchanged with their neighbour; nil for a third of
    ///     the name's.
    ///   - most: the number of names, at most.
    /// - Returns: none for a name longer than ``longestName``, and when ``mostSteps`` are used up before all known names
    ///   were compared: so the result does not depend on their order.
    public mutating func names(
        near name: String, among known: some Sequence<String>, atMost limit: Int? = nil, most: Int = 3
    ) -> [String] {
        near(name, known, limit).prefix(most).map(\.name)
    }

    /// The same, but only those to which no other known name is nearer.
    public mutating func nearestNames(
        to name: String, among known: some Sequence<String>, atMost limit: Int
    ) -> [String] {
        let near = near(name, known, limit)
        return near.prefix { $0.distance == near[0].distance }.map(\.name)
    }

    /// Whether a name is one of the known ones with one slip of the finger in it: other capital letters, or one small letter
    /// changed, left out, added, or exchanged with its neighbour, but not the first one, and none added at the end.
    ///
    /// For findings that would be wrong if the name was meant. Of 3,180 classes of nine applications, 1,460 have another class of
    /// the same application that ``names(near:among:atMost:most:)`` finds near, as `ImportController` is near
    /// `ExportController`; two pairs differ by such a slip. Prefixes, numbers and plurals make other names.
    ///
    /// - Returns: false for a name of less than ``shortestSlip`` letters, and where ``mostSteps`` are used up.
    package mutating func isSlip(_ name: String, ofAny known: some Sequence<String>) -> Bool {
        names(near: name, among: known, atMost: 1, most: .max).contains { Self.isSlip(name, of: $0) }
    }

    /// Two short words may differ by a letter.
    private static let shortestSlip = 5

    /// `known` is known to differ by one change at most.
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

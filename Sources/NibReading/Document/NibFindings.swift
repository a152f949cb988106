package import HostBasics
package import PropertyLists

/// The findings about one nib: the first ones of each kind, and the number of further ones.
///
/// Why: a nib of several megabytes can have a million faults. Findings beyond the limit for a reader are counted, but
/// their messages are not built.
package final class NibFindings: @unchecked Sendable {
    // @unchecked because one thread adds; afterwards any thread may read.

    /// Each kind has its own limit, so findings of one kind do not displace those of another.
    package enum Kind: Int, CaseIterable {
        case error
        /// The first finding about each class or element that nobody registered or declared. The application may have
        /// it, if its classes are not known.
        case unknownClass
        /// Further findings about the same class or element.
        case unknownClassAgain
        case warning
    }

    /// The suggestions for all wrong names of the nib.
    var suggestions = NameSuggestions()
    private var listed: [[NibFinding]] = Array(repeating: [], count: Kind.allCases.count)
    private var counts = Array(repeating: 0, count: Kind.allCases.count)
    private var unknownNames: Set<String> = []
    private var absent: Set<Int> = []

    /// Whether any finding is an error.
    var hasErrors: Bool {
        counts[Kind.error.rawValue] > 0
            || [.unknownClass, .unknownClassAgain].contains { (kind: Kind) in
                listed[kind.rawValue].contains { $0.severity == .error }
            }
    }

    /// Adds a finding; it is built only if it is listed.
    func add(_ kind: Kind, _ make: () -> NibFinding) {
        counts[kind.rawValue] += 1
        if listed[kind.rawValue].count < ReadingBudget.mostFindings { listed[kind.rawValue].append(make()) }
    }

    /// Adds a finding; its parts are built only if it is listed.
    func add(
        _ code: PluginError.Code, _ severity: PluginFinding.Severity = .error, at offset: @autoclosure () -> Int?,
        subject: @autoclosure () -> String? = nil, related: @autoclosure () -> Int? = nil,
        _ message: @autoclosure () -> String, _ remedy: @autoclosure () -> String
    ) {
        add(severity == .error ? .error : .warning) {
            NibFinding(
                severity: severity, code: code, offset: offset(), subject: subject().map(displayed), message: message(),
                remedy: remedy(), related: related())
        }
    }

    /// Adds a finding about a class or element that nobody registered or declared.
    func addUnknown(_ name: String, _ make: () -> NibFinding) {
        add(unknownNames.insert(name).inserted ? .unknownClass : .unknownClassAgain, make)
    }

    /// Whether an object that the caller did not pass is mentioned for the first time.
    func isFirst(absent object: Int) -> Bool { absent.insert(object).inserted }

    /// Counts findings of a kind without listing them.
    func addUnlisted(_ kind: Kind, _ count: Int) { counts[kind.rawValue] += count }

    /// Whether another finding of a kind would be listed.
    func lists(_ kind: Kind) -> Bool { listed[kind.rawValue].count < ReadingBudget.mostFindings }

    /// The findings of the given kinds, errors first, each group in the order of position.
    ///
    /// Each group lists as many as the limit for a reader allows, followed by one finding that states the number of
    /// further ones.
    package func located(_ kinds: [Kind] = Kind.allCases, in xml: XMLDocument, path: String?) -> [PluginFinding] {
        let all = kinds.flatMap { listed[$0.rawValue] }.enumerated()
            .sorted { ($0.element.offset ?? -1, $0.offset) < ($1.element.offset ?? -1, $1.offset) }.map(\.element)
        let unlisted = kinds.reduce(0) { $0 + ($1 == .warning ? 0 : counts[$1.rawValue] - listed[$1.rawValue].count) }
        let unlistedWarnings =
            kinds.contains(.warning)
            ? counts[Kind.warning.rawValue] - listed[Kind.warning.rawValue].count : 0
        return located(all.filter { $0.severity == .error }, unlisted, in: xml, path: path)
            + located(all.filter { $0.severity != .error }, unlistedWarnings, in: xml, path: path)
    }

    private func located(_ findings: [NibFinding], _ unlisted: Int, in xml: XMLDocument, path: String?)
        -> [PluginFinding]
    {
        let shown = findings.prefix(ReadingBudget.mostFindings)
        let further = findings.count - shown.count + unlisted
        var located = NibFinding.located(Array(shown), in: xml, path: path)
        if further > 0, let first = shown.first {
            located.append(
                .further(further, .warning, first.code, in: path, remedy: "Correct those that are listed first."))
        }
        return located
    }
}

internal import PropertyLists

/// A finding about a nib, with its place as an offset: lines are counted once, for all findings together.
struct NibFinding {
    var severity: PluginFinding.Severity = .error
    let code: PluginError.Code
    /// In bytes; nil for the file as a whole.
    let offset: Int?
    var subject: String?
    let message: String
    let remedy: String
    /// Where something stands that the message names: the mark ``line`` becomes its line.
    var related: Int?

    /// Stands in a message for the line of ``related``.
    static let line = "\u{1}"

    /// Findings in the order of their places, at most as many as a reader lists.
    static func located(_ findings: [NibFinding], in xml: XMLDocument, path: String?) -> [PluginFinding] {
        let sorted = findings.enumerated().sorted {
            ($0.element.severity == .error ? 0 : 1, $0.element.offset ?? -1, $0.offset)
                < ($1.element.severity == .error ? 0 : 1, $1.element.offset ?? -1, $1.offset)
        }.map(\.element)
        let listed = sorted.prefix(ReadingBudget.mostFindings)
        let offsets = Set(listed.flatMap { [$0.offset, $0.related] }.compactMap(\.self)).sorted()
        let places = Dictionary(uniqueKeysWithValues: zip(offsets, xml.places(of: offsets)))
        var located = listed.map { finding in
            let line = finding.related.flatMap { places[$0]?.line }.map { "line \($0)" } ?? ""
            let message = String(
                finding.message.split(separator: Self.line, omittingEmptySubsequences: false).joined(separator: line))
            var result = PluginFinding(
                finding.severity, finding.code, filePath: path, subject: finding.subject, message: message,
                remedy: finding.remedy)
            result.place = finding.offset.flatMap { places[$0] }.map {
                PluginFinding.Place(line: $0.line, column: $0.column)
            }
            return result
        }
        if sorted.count > listed.count {
            located.append(
                .further(
                    sorted.count - listed.count, .warning, listed[listed.startIndex].code, in: path,
                    remedy: "Correct those that are listed first."))
        }
        return located
    }
}

/// Names in a message: “a”, “b” and “c”.
func quotedList(_ names: some Collection<String>, or nothing: String) -> String {
    let shown = names.sorted().prefix(12).map { quoted($0) }
    guard let last = shown.last else { return nothing }
    if names.count > shown.count { return shown.joined(separator: ", ") + " and \(names.count - shown.count) others" }
    return shown.count == 1 ? last : shown.dropLast().joined(separator: ", ") + " and " + last
}

/// Names that are nearly another one, nearest first.
func closestNames(to name: String, among names: some Sequence<String>) -> [String] {
    let limit = max(1, name.count / 3)
    return names.compactMap { candidate in
        let distance: Int? =
            candidate.lowercased() == name.lowercased() ? 0 : candidate.editDistance(to: name, atMost: limit)
        return distance.map { ($0, candidate) }
    }
    .sorted { $0 < $1 }.prefix(3).map(\.1)
}

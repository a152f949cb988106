package import HostBasics
package import PropertyLists

/// A finding about a nib, with its position as an offset.
///
/// Lines are counted once, for all findings together.
package struct NibFinding: Error {
    var severity: PluginFinding.Severity = .error
    let code: PluginError.Code
    /// The offset in bytes; nil for the file as a whole.
    let offset: Int?
    var subject: String?
    let message: String
    let remedy: String
    /// The offset of something that the message mentions; its line replaces the placeholder ``line``.
    var related: Int?

    /// Placeholder in a message for the line of ``related``.
    static let line = "\u{1}"

    /// A text that no table can translate.
    static func untranslatable(_ attribute: String, at offset: Int) -> NibFinding {
        NibFinding(
            severity: .warning, code: .nibAttributeInvalid, offset: offset, subject: displayed(attribute),
            message: "The text has no translation: its key would have more than \(NibGraph.longestTextKey) bytes.",
            remedy: "Give the object an id, or a shorter one.")
    }

    /// Converts findings in their order, replacing offsets by lines and columns.
    package static func located(_ findings: [NibFinding], in xml: XMLDocument, path: String?) -> [PluginFinding] {
        let offsets = Set(findings.flatMap { [$0.offset, $0.related] }.compactMap(\.self)).sorted()
        let places = Dictionary(uniqueKeysWithValues: zip(offsets, xml.places(of: offsets)))
        return findings.map { finding in
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
    }
}

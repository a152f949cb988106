internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) internal import PluginLinting
internal import PropertyLists

/// The texts of some tables with their translations: an XLIFF 1.2 file.
///
/// Source: OASIS, XLIFF Version 1.2, 2008.
struct TranslationDocument: Equatable {
    /// The texts of one table.
    struct File: Equatable {
        /// The path of the table among the resources: `en.lproj/Localizable.strings`.
        var original: String
        var sourceLanguage: String
        var targetLanguage: String?
        var units: [Unit] = []
        /// Where the element begins; nil in a new document.
        var place: LintFinding.Place?
    }

    /// One text.
    struct Unit: Equatable {
        /// The key, or the path of a plural form.
        var id: String
        var source: String
        /// Nil if there is no translation.
        var target: String?
        var state: String?
        /// The attribute `approved`; nil if there is none.
        var isApproved: Bool?
        /// The comment.
        var note: String?
        var place: LintFinding.Place?

        /// The progress of a translation.
        enum Standing {
            /// It is not translated, or its state was not updated.
            case unfinished
            /// It must be reviewed.
            case needsReview
            case finished
        }

        /// The progress according to the state and the approval.
        ///
        /// If they contradict each other, the lesser one counts.
        ///
        /// With a state that XLIFF does not define, the translation does not count as finished.
        var standing: Standing {
            switch state {
            case "new", "needs-translation": .unfinished
            case nil, "translated", "final", "signed-off": isApproved == false ? .needsReview : .finished
            default: .needsReview
            }
        }
    }

    var files: [File] = []

    // MARK: Writing

    /// The file.
    ///
    /// - Throws: ``ListFault`` with the key of a text that XML cannot hold.
    func text() throws(ListFault) -> String {
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<xliff xmlns=\"urn:oasis:names:tc:xliff:document:1.2\" version=\"1.2\">",
        ]
        for file in files {
            func attribute(_ text: String) -> String { MarkupText.escaped(text, inAttribute: true) ?? "" }
            let target = file.targetLanguage.map { " target-language=\"\(attribute($0))\"" } ?? ""
            lines.append(
                "  <file original=\"\(attribute(file.original))\" source-language=\"\(attribute(file.sourceLanguage))\""
                    + "\(target) datatype=\"plaintext\">")
            lines.append("    <body>")
            for unit in file.units { lines += try Self.lines(of: unit) }
            lines += ["    </body>", "  </file>"]
        }
        return lines.joined(separator: "\n") + "\n</xliff>\n"
    }

    private static func lines(of unit: Unit) throws(ListFault) -> [String] {
        func escaped(_ text: String, inAttribute: Bool = false) throws(ListFault) -> String {
            guard let escaped = MarkupText.escaped(text, inAttribute: inAttribute) else {
                throw ListFault(
                    path: [unit.id],
                    message: "The entry \(quoted(unit.id)) has a control character, which XML cannot hold.")
            }
            return escaped
        }
        var lines = ["      <trans-unit id=\"\(try escaped(unit.id, inAttribute: true))\" xml:space=\"preserve\">"]
        lines.append("        <source>\(try escaped(unit.source))</source>")
        if let target = unit.target {
            let state = unit.state.map { " state=\"\($0)\"" } ?? ""
            lines.append("        <target\(state)>\(try escaped(target))</target>")
        }
        if let note = unit.note {
            // A note is only an explanation, so a character that XML cannot hold does not stop the export.
            let known = note.unicodeScalars.map { MarkupText.isAllowed($0) ? $0 : "\u{FFFD}" }
            lines.append("        <note>\(try escaped(String(String.UnicodeScalarView(known))))</note>")
        }
        return lines + ["      </trans-unit>"]
    }
}

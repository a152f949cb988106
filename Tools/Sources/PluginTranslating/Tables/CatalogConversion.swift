internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
internal import PropertyLists

/// Converts one language of a string catalogue to the two tables of a bundle: a `.strings` file with the texts, and a
/// `.stringsdict` file beside it with the entries that depend on numbers or devices.
///
/// Both tables keep comments and marks. In a `.stringsdict` they are XML comments, which every reader skips.
///
/// **Threads.** A value; may be used on any thread.
public struct CatalogConversion: Sendable {
    /// A table to write.
    public struct Table: Sendable {
        /// Where to write it.
        public let path: String
        /// Its content.
        public let bytes: [UInt8]
    }

    /// The requested table, then the other one if the catalogue has entries for it.
    public let tables: [Table]
    /// A finding for each loss.
    public let losses: [LintFinding]

    /// Whether this conversion applies: from a catalogue to a form of one of the two tables.
    public static func applies(to path: String, form: TableContent.Form) -> Bool {
        path.hasSuffix(".xcstrings") && [.strings, .utf16, .stringsdict].contains(form)
    }

    /// Converts a language of a catalogue.
    ///
    /// - Parameters:
    ///   - bytes: the catalogue.
    ///   - path: its path, for findings.
    ///   - form: the form of the requested table: strings, utf16 or stringsdict.
    ///   - output: where to write that table. The other one has the same name, with its own extension.
    ///   - language: the language; nil for the source language.
    /// - Throws: a finding if the catalogue has any fault, or if the other table exists and cannot be read.
    public init(
        _ bytes: [UInt8], path: String, to form: TableContent.Form, output: String, language: String? = nil
    ) throws(LintFinding) {
        let content = try TableContent(path: path, bytes: bytes, language: language)
        var (texts, plurals) = (TableContent(), TableContent())
        for var entry in content.entries {
            if let text = entry.value.string ?? PluralForms.text(of: entry.value) {
                entry.value = .string(text)
                texts.entries.append(entry)
            } else {
                plurals.entries.append(entry)
            }
        }
        let encoding: TableEncoding = form == .utf16 ? .utf16 : .utf8
        let textBytes = encoding.bytes(of: texts.text.text)
        let pluralBytes: [UInt8]
        do throws(ListFault) {
            pluralBytes = Array(try Self.commentedXML(plurals).utf8)
        } catch {
            throw LintFinding(
                .error, .notRepresentable, filePath: path, subject: error.path.first, message: error.message,
                remedy: "Remove the character from the text.")
        }
        let isText = form != .stringsdict
        let other = Self.companion(of: output, isText ? "stringsdict" : "strings")
        let (wanted, rest) = isText ? (textBytes, pluralBytes) : (pluralBytes, textBytes)
        let left = isText ? plurals : texts
        var tables = [Table(path: output, bytes: wanted)]
        var losses: [LintFinding] = []
        if !left.entries.isEmpty {
            tables.append(Table(path: other, bytes: rest))
            losses = try Self.losses(at: other, new: left)
        }
        self.tables = tables
        self.losses = losses
    }

    private static func companion(of path: String, _ type: String) -> String {
        let name = Path.lastComponent(path)
        let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
        let path = Path.normalized(path) ?? path
        return Path.join(Path.parent(path), "\(stem.isEmpty ? name : stem).\(type)")
    }

    /// Findings for the entries that would be removed from the other table, which the caller did not name.
    private static func losses(at path: String, new: TableContent) throws(LintFinding) -> [LintFinding] {
        guard let bytes = try InputFile.bytesIfPresent(path) else { return [] }
        let known = Set(new.entries.map(\.key))
        let lost = try TableContent(path: path, bytes: bytes).entries.map(\.key).filter { !known.contains($0) }
        guard let first = lost.first else { return [] }
        return [
            LintFinding(
                .error, .replacedEntries, filePath: path, subject: first,
                message: "The table \(quoted(path)) exists and has "
                    + (lost.count == 1 ? "an entry" : "\(lost.count) entries")
                    + " that the catalogue does not have, such as \(quoted(first)).",
                remedy: "Write to another place, or replace the table with --lossy.")
        ]
    }

    /// The text of a `.stringsdict`, with a comment before each entry that has one.
    private static func commentedXML(_ content: TableContent) throws(ListFault) -> String {
        var head = ""
        var body = ""
        var tail = ""
        for entry in [nil] + content.entries.map(Optional.some) {
            let list: PropertyList = .dictionary(entry.map { [$0.key: $0.value] } ?? [:])
            let lines = try TableConversion.xml(list).split(separator: "\n", omittingEmptySubsequences: false)
            guard let entry else {
                // Take the text around the entries from an empty dictionary.
                let place = lines.firstIndex { $0.contains("<dict") } ?? 0
                head = lines[..<place].joined(separator: "\n") + "\n<dict>\n"
                tail = "</dict>\n" + lines[(place + 1)...].drop { $0 == "</dict>" }.joined(separator: "\n")
                continue
            }
            let words = [entry.comment].compactMap(\.self) + entry.flags.map(\.words)
            for comment in words { body += "\t<!-- \(try commentText(comment, of: entry.key)) -->\n" }
            let first = lines.firstIndex { $0.contains("<dict>") } ?? 0
            let last = lines.lastIndex { $0 == "</dict>" } ?? lines.endIndex
            body += lines[(first + 1)..<last].joined(separator: "\n") + "\n"
        }
        return head + body + tail
    }

    /// The text in a form that XML allows in a comment.
    private static func commentText(_ words: String, of key: String) throws(ListFault) -> String {
        guard words.unicodeScalars.allSatisfy(MarkupText.isAllowed) else {
            throw ListFault(
                path: [key], message: "The comment of \(quoted(key)) has a control character, which XML cannot hold.")
        }
        var text = words
        while text.contains("--") { text = text.replacing("--", with: "- -") }
        // The last character may be a hyphen, because a space follows.
        return text
    }
}

extension LintFinding.Code {
    /// Entries of the replaced table that the new one lacks.
    public static let replacedEntries = Self(rawValue: "replacedEntries")
}

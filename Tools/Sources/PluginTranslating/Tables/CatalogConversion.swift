internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
internal import PropertyLists

/// One language of a string catalogue as the two tables that a bundle has: a `.strings` with the texts, and a `.stringsdict`
/// beside it with the entries that depend on numbers or devices.
///
/// Comments and marks are kept in both: a `.stringsdict` has them as XML comments, which every reader skips.
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

    /// The table that was asked for, then the other one if the catalogue has entries for it.
    public let tables: [Table]
    /// What would be lost, each as a finding.
    public let losses: [LintFinding]

    /// Whether a file is converted in this way: a catalogue, into a form that has either half of it.
    public static func applies(to path: String, form: TableContent.Form) -> Bool {
        path.hasSuffix(".xcstrings") && [.strings, .utf16, .stringsdict].contains(form)
    }

    /// Converts a language of a catalogue.
    ///
    /// - Parameters:
    ///   - bytes: the catalogue.
    ///   - path: its path, for findings.
    ///   - form: the form of the table that is asked for: strings, utf16 or stringsdict.
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

    /// Entries of the other table, which the caller did not name, that writing it would remove.
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

    /// A `.stringsdict` with a comment before each entry that has one.
    private static func commentedXML(_ content: TableContent) throws(ListFault) -> String {
        var head = ""
        var body = ""
        var tail = ""
        for entry in [nil] + content.entries.map(Optional.some) {
            let list: PropertyList = .dictionary(entry.map { [$0.key: $0.value] } ?? [:])
            let lines = try TableConversion.xml(list).split(separator: "\n", omittingEmptySubsequences: false)
            guard let entry else {
                // The empty dictionary shows what is around the entries.
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

    /// A text that XML allows in a comment.
    private static func commentText(_ words: String, of key: String) throws(ListFault) -> String {
        guard words.unicodeScalars.allSatisfy(MarkupText.isAllowed) else {
            throw ListFault(
                path: [key], message: "The comment of \(quoted(key)) has a control character, which XML cannot hold.")
        }
        var text = words
        while text.contains("--") { text = text.replacing("--", with: "- -") }
        // A blank follows, so that a hyphen may be the last character.
        return text
    }
}

extension LintFinding.Code {
    /// Entries of a table that would be replaced and are not in the new one.
    public static let replacedEntries = Self(rawValue: "replacedEntries")
}

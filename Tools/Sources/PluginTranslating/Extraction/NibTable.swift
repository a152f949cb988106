public import HostBasics
internal import NibReading
internal import PluginHost
@_spi(Tools) public import PluginLinting
internal import PropertyLists

/// The strings table of a nib: its texts with Interface Builder's keys and comments.
///
/// **Threads.** A value; may be used on any thread.
public struct NibTable: Sendable {
    private let nib: NibTexts

    /// Reads a nib.
    ///
    /// - Parameters:
    ///   - path: the file. NibClasses.plist of its bundle, and of the bundles that its bundle requires, declares which
    ///     attributes are texts.
    ///   - classLists: further files in the format of NibClasses.plist. Without any list, the texts are the text
    ///     attributes of the classes of AppKit and UIKit.
    /// - Throws: `PluginError` for a nib that cannot be read; a finding for a list that cannot be read.
    public init(nib path: String, classLists: [String]) throws {
        nib = try NibTexts(nib: path, classLists: classLists)
    }

    /// A warning for each text that is not in the table, because its key would be longer than keys that the host looks
    /// up.
    public var findings: [PluginFinding] { nib.findings }

    /// The texts as entries of a table, with each key once.
    var entries: [TableContent.Entry] {
        var known: Set<String> = []
        return nib.texts.filter { known.insert($0.key).inserted }.map { text in
            TableContent.Entry(key: text.key, value: .string(text.text), comment: Self.comment(text))
        }
    }

    /// The table in the nib's own language.
    public var text: String {
        var table = TableText()
        merge(into: &table)
        return table.text
    }

    /// Returns the updated tables of some languages.
    ///
    /// 1. Existing texts stay, with all comments of the translators. New texts are added as they are in the nib. Texts
    ///    with plural forms in the `.stringsdict` of the same name need no entry.
    /// 2. Entries whose objects are no longer in the nib or its variants move to a comment at the end. They become
    ///    entries again when the nib has their objects again.
    /// 3. Files keep their encoding. A second merge changes nothing.
    ///
    /// Nothing is written.
    ///
    /// - Parameter folders: the languages' `.lproj` directories.
    /// - Returns: the tables in the order of the directories.
    /// - Throws: a finding with its line if a table has a fault and could therefore lose entries.
    public func tables(in folders: [String]) throws(LintFinding) -> [TableFile] {
        var tables: [TableFile] = []
        for folder in folders {
            let name = folder + "/" + nib.name
            var file = try TableFile(path: name + ".strings")
            merge(into: &file.table, plurals: try TableUpdate.pluralKeys(name + ".stringsdict"))
            tables.append(file)
        }
        return tables
    }

    private func merge(into table: inout TableText, plurals: Set<String> = []) {
        let lineBreak = table.lineBreak
        let kept = table.takeKeptEntries()
        let gone = table.removeEntries { nib.isStale($0) }
        let returned = Dictionary(
            kept.lazy.filter { !nib.isStale($0.key) }.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        let present = table.values
        add(
            returned.values.filter { present[$0.key] == nil }
                .map { TableText.NewEntry(key: $0.key, value: $0.value, note: $0.note) }
                .sorted { $0.key < $1.key }, to: &table)
        var texts: [String: NibInspection.Text] = [:]
        for text in nib.texts {
            for key in Self.keys(of: text) { texts[key] = text }
        }
        for index in table.entries.indices {
            let entry = table.entries[index]
            guard let text = texts[entry.key] else { continue }
            let words = Self.comment(text)
            var note = EntryNote(entry.note)
            if note.first != words {
                let isOwn = note.first?.hasPrefix("Class = ") ?? false
                note.setFirst(words, replacing: isOwn, lineBreak: lineBreak)
                table.entries[index].setNote(note.text, lineBreak: lineBreak)
            }
            // The entry was added with the nib's text, although it had been translated before.
            if let old = returned[entry.key], entry.value == text.text { table.entries[index].setValue(old.value) }
        }
        let known = plurals.union(table.values.keys)
        add(
            nib.texts.filter { known.isDisjoint(with: Self.keys(of: $0)) }.map { text in
                TableText.NewEntry(
                    key: text.key, value: text.text,
                    note: EntryNote.text(Self.comment(text), flags: [], lineBreak: lineBreak))
            }, to: &table)
        let newer = Set(gone.map(\.key))
        table.keep(kept.filter { nib.isStale($0.key) && !newer.contains($0.key) } + gone, lineBreak: lineBreak)
    }

    /// Adds entries in the order of the nib, or at their places in a sorted table.
    private func add(_ new: [TableText.NewEntry], to table: inout TableText) {
        table.add(table.isSorted && !table.entries.isEmpty ? new.sorted { $0.key < $1.key } : new)
    }

    /// The possible keys of a text.
    ///
    /// For a tool tip, Interface Builder's key and the attribute have different names.
    private static func keys(of text: NibInspection.Text) -> [String] {
        [text.key, text.id + "." + text.attribute]
    }

    /// The words of a text's comment, in the form in which they are read back from a table.
    private static func comment(_ text: NibInspection.Text) -> String {
        let facts = [("Class", text.className), (text.attribute, text.text), ("ObjectID", text.id)]
        let words = facts.map { "\($0) = \(StringsQuoting.quoted($1));" }.joined(separator: " ")
        return EntryNote(EntryNote.comment(words, lineBreak: "\n")).first ?? words
    }
}

extension TableText {
    /// The beginning of a comment with entries whose objects are no longer in the nib.
    ///
    /// The entries are spelled as in a table, with their comments; only the ends of these comments are escaped.
    private static let keptEntriesStart = "/* The nib has no such objects any more:"

    /// Removes the comments with kept entries.
    ///
    /// A comment that was changed and cannot be read any more stays.
    ///
    /// **Cost.** Proportional to the text, however many such comments it has.
    fileprivate mutating func takeKeptEntries() -> [Entry] {
        var kept: [Entry] = []
        let lineBreak = lineBreak
        for index in entries.indices {
            if let lead = Self.withoutKeptEntries(entries[index].lead, &kept) { entries[index].lead = lead }
            if let note = Self.withoutKeptEntries(entries[index].note, &kept) {
                entries[index].setNote(note, lineBreak: lineBreak)
            }
        }
        if let rest = Self.withoutKeptEntries(end, &kept) { end = rest.trimmedAtEnd + lineBreak }
        return kept
    }

    /// A text of blanks and comments, without comments with kept entries and the blanks after them; nil if it has no
    /// such comments.
    private static func withoutKeptEntries(_ text: String, _ kept: inout [Entry]) -> String? {
        let bytes = text.utf8
        /// The remaining text, up to `copied`.
        var left: [Substring] = []
        var copied = text.startIndex
        var next = text.startIndex
        while let start = bytes[next...].firstIndex(of: UInt8(ascii: "/")) {
            if bytes[start...].starts(with: "//".utf8) {
                next = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? text.endIndex
                continue
            }
            guard bytes[start...].starts(with: "/*".utf8), let end = EntryNote.endSign(of: text[start...]) else {
                break
            }
            next = bytes.index(end, offsetBy: 2)
            guard bytes[start..<end].starts(with: keptEntriesStart.utf8) else { continue }
            let body = text[bytes.index(start, offsetBy: keptEntriesStart.utf8.count)..<end]
            guard let table = try? TableText(reading: withCommentEnds(body)), !table.entries.isEmpty else { continue }
            kept += table.entries
            left.append(text[copied..<start])
            next = text[next...].trimmedAtStart.startIndex
            copied = next
        }
        return left.isEmpty ? nil : left.joined() + text[copied...]
    }

    /// Adds a comment with these entries at the end.
    fileprivate mutating func keep(_ kept: [Entry], lineBreak: String) {
        guard !kept.isEmpty else { return }
        let above = end.trimmedAtEnd
        let body = kept.map { $0.note + $0.gap + $0.text + lineBreak }.joined()
        end =
            above + (entries.isEmpty && above.isEmpty ? "" : lineBreak + lineBreak)
            + Self.keptEntriesStart + lineBreak + Self.withoutCommentEnds(body) + "*/" + lineBreak
    }

    /// Removes entries, but keeps the comments between them.
    fileprivate mutating func removeEntries(where isRemoved: (String) -> Bool) -> [Entry] {
        var removed: [Entry] = []
        var left: [Entry] = []
        /// The text before each entry that was removed since the last remaining one.
        var leads: [String] = []
        func joined(_ next: String) -> String {
            let texts = (leads + [next]).filter { !$0.trimmed.isEmpty }
            guard let last = texts.last else { return leads.first ?? next }
            return texts.dropLast().map(\.trimmedAtEnd).joined() + last
        }
        for var entry in entries {
            if isRemoved(entry.key) {
                leads.append(entry.lead)
                removed.append(entry)
            } else {
                if !leads.isEmpty { entry.lead = joined(entry.lead) }
                leads = []
                left.append(entry)
            }
        }
        guard !removed.isEmpty else { return [] }
        let lineBreak = lineBreak
        if leads.contains(where: { !$0.trimmed.isEmpty }) {
            end = end.trimmed.isEmpty ? joined("").trimmedAtEnd + lineBreak : joined(end)
        }
        if left.isEmpty, end.trimmed.isEmpty { end = "" }
        entries = left
        return removed
    }

    /// The text escaped for use in a comment: each “*/” in it gets a backslash, or one more if it already has
    /// backslashes.
    private static func withoutCommentEnds(_ text: String) -> String {
        text.replacing(#/\*(\\*)\//#.matchingSemantics(.unicodeScalar)) { "*\($0.1)\\/" }
    }

    private static func withCommentEnds(_ text: Substring) -> String {
        String(text.replacing(#/\*\\(\\*)\//#.matchingSemantics(.unicodeScalar)) { "*\($0.1)/" })
    }
}

extension StringProtocol {
    fileprivate var trimmedAtStart: SubSequence { self[(firstIndex { !$0.isWhitespace } ?? endIndex)...] }

    fileprivate var trimmedAtEnd: String {
        String(self[..<(lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? startIndex)])
    }
}

@_spi(Tools) internal import PluginLinting

/// Updates one strings table to the keys of the sources.
///
/// Nothing is removed: a key that no source mentions gets the mark `Flag: unmatched`, and loses the mark when it is
/// used again. A translation is never changed.
struct TableMerge {
    let keys: [ExtractedKey]
    /// Whether a source contains a key as a text.
    let isMentioned: (String) -> Bool
    /// Whether the texts of new entries get numbers for their placeholders.
    let numbersPlaceholders: Bool

    /// The changes of a merge.
    struct Changes: Sendable, Hashable {
        var added: [String] = []
        /// Keys that got the mark ``EntryNote/Flag/unused``.
        var unused: [String] = []
        /// Keys that lost the mark.
        var usedAgain: [String] = []
    }

    /// Merges the keys into the table of the development language.
    ///
    /// - Parameters:
    ///   - table: the table.
    ///   - plurals: the keys of the `.stringsdict` of the same name, which need no entry here.
    /// - Returns: the changes.
    func merge(into table: inout TableText, plurals: Set<String>) -> Changes {
        merge(into: &table) { note, key, lineBreak in
            guard let words = Self.words(key), note.first != words else { return }
            note.setFirst(words, replacing: true, lineBreak: lineBreak)
        } new: { key in
            plurals.contains(key.key) ? nil : (text(key), [])
        }
    }

    /// Merges the keys into the table of another language.
    ///
    /// - Parameters:
    ///   - table: the table.
    ///   - development: the merged table of the development language.
    ///   - old: the development table before the merge. A comment that is the same as in this table comes from the
    ///     sources, any other from the translator.
    ///   - plurals: the keys with plural forms in either language.
    /// - Returns: the changes.
    func merge(into table: inout TableText, development: TableText, old: TableText, plurals: Set<String>) -> Changes {
        let texts = development.values
        let oldComments = Dictionary(uniqueKeysWithValues: old.entries.map { ($0.key, EntryNote($0.note).first) })
        return merge(into: &table) { note, key, lineBreak in
            guard let words = Self.words(key), note.first != words else { return }
            // The words may already be in a later comment.
            if note.words?.contains(words) ?? false { return }
            let isOld = note.first != nil && oldComments[key.key] == note.first
            note.setFirst(words, replacing: isOld, lineBreak: lineBreak)
        } new: { key in
            if plurals.contains(key.key) { return nil }
            return texts[key.key].map { ($0, [.untranslated]) }
        }
    }

    private func merge(
        into table: inout TableText, comment: (inout EntryNote, ExtractedKey, String) -> Void,
        new: (ExtractedKey) -> (value: String, flags: [EntryNote.Flag])?
    ) -> Changes {
        var changes = Changes()
        let lineBreak = table.lineBreak
        let known = Dictionary(uniqueKeysWithValues: keys.map { ($0.key, $0) })
        var present: Set<String> = []
        for index in table.entries.indices {
            var entry = table.entries[index]
            var note = EntryNote(entry.note)
            present.insert(entry.key)
            let wasUnused = note.has(.unused)
            let isUsed = known[entry.key] != nil || isMentioned(entry.key)
            if let key = known[entry.key] { comment(&note, key, lineBreak) }
            note.set(.unused, !isUsed, lineBreak: lineBreak)
            if wasUnused, isUsed { changes.usedAgain.append(entry.key) }
            if !wasUnused, !isUsed { changes.unused.append(entry.key) }
            entry.setNote(note.text, lineBreak: lineBreak)
            table.entries[index] = entry
        }
        let added = keys.compactMap { key -> TableText.NewEntry? in
            guard !present.contains(key.key), let (value, flags) = new(key) else { return nil }
            let note = EntryNote.text(Self.words(key), flags: flags, lineBreak: lineBreak)
            return TableText.NewEntry(key: key.key, value: value, note: note)
        }
        table.add(added)
        changes.added = added.map(\.key)
        return changes
    }

    /// The words of the comment, in the form in which they are read back from a table.
    private static func words(_ key: ExtractedKey) -> String? {
        guard !key.comments.isEmpty else { return nil }
        return EntryNote(EntryNote.comment(key.comments.joined(separator: "\n"), lineBreak: "\n")).first
    }

    private func text(_ key: ExtractedKey) -> String {
        let text = key.value ?? key.key
        return numbersPlaceholders ? Self.numbered(text) : text
    }

    /// A format with numbered placeholders, if it has several without numbers.
    ///
    /// Translators can then change their order.
    static func numbered(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let places = FormatArguments.places(in: bytes).filter(\.takesAny)
        guard places.count > 1, places.allSatisfy(\.takesNext), !FormatArguments(text).isDate else { return text }
        var result: [UInt8] = []
        var start = 0
        for (number, place) in places.enumerated() {
            result += bytes[start...place.range.lowerBound] + Array("\(number + 1)$".utf8)
            start = place.range.lowerBound + 1
        }
        return String(decoding: result + bytes[start...], as: UTF8.self)
    }
}

extension TableText {
    /// The translations by their keys.
    public var values: [String: String] {
        Dictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }
}

extension TableText.Entry {
    /// Replaces the comments.
    mutating func setNote(_ new: String, lineBreak: String) {
        guard !new.hasSameBytes(as: note) else { return }
        // A comment needs its own line.
        if new.isEmpty { gap = "" } else if gap.isEmpty || note.isEmpty { gap = lineBreak }
        note = new
    }
}

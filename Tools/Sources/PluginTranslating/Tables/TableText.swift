/// The text of a strings table, entry by entry, with everything between the entries.
///
/// Changing one entry leaves every other byte unchanged: the order, the comments and the spelling of each text stay as
/// their author wrote them.
///
/// **Threads.** A value; may be shared freely.
public struct TableText: Sendable, Hashable {
    /// One `"key" = "value";` with the text before it.
    public struct Entry: Sendable, Hashable {
        /// The text before the comment: blanks, and comments that belong to no entry.
        var lead: String
        /// The comments of the entry: those that are not separated from it by an empty line.
        ///
        /// Empty if there are none.
        var note: String
        /// The blanks between the comments and the key.
        var gap: String
        /// From the key to the semicolon.
        private(set) var text: String
        /// The key.
        public let key: String
        /// The translation.
        public private(set) var value: String

        init(lead: String, note: String, gap: String, text: String, key: String, value: String) {
            self.lead = lead
            self.note = note
            self.gap = gap
            self.text = text
            self.key = key
            self.value = value
        }

        /// Creates an entry from a key and a translation.
        ///
        /// `lineBreak`: the line end to use.
        init(key: String, value: String, note: String, lead: String, lineBreak: String) {
            self.init(
                lead: lead, note: note, gap: note.isEmpty ? "" : lineBreak, text: Self.text(key, value), key: key,
                value: value)
        }

        /// Replaces the translation.
        ///
        /// If it is equal, the spelling stays unchanged.
        mutating func setValue(_ new: String) {
            guard !new.hasSameBytes(as: value) else { return }
            value = new
            text = Self.text(key, new)
        }

        private static func text(_ key: String, _ value: String) -> String {
            "\(StringsQuoting.quoted(key)) = \(StringsQuoting.quoted(value));"
        }
    }

    /// The entries, in the order of the file.
    public internal(set) var entries: [Entry]
    /// The text after the last entry.
    var end: String

    /// An empty table.
    public init() {
        entries = []
        end = ""
    }

    init(entries: [Entry], end: String) {
        self.entries = entries
        self.end = end
    }

    /// The whole text.
    public var text: String {
        var text = ""
        for entry in entries { text += entry.lead + entry.note + entry.gap + entry.text }
        return text + end
    }

    /// The line end that the file uses.
    var lineBreak: String {
        let usesBoth = entries.first { $0.lead.utf8.contains(0x0A) }.map { $0.lead.utf8.contains(0x0D) }
        return usesBoth ?? end.utf8.contains(0x0D) ? "\r\n" : "\n"
    }

    /// The text between two entries: an empty line, unless the file has no empty lines.
    private var separator: String {
        let isDense = entries.count > 1 && entries.dropFirst().allSatisfy { $0.lead.utf8.count { $0 == 0x0A } == 1 }
        return isDense ? lineBreak : lineBreak + lineBreak
    }

    /// An entry to add.
    struct NewEntry {
        let key: String
        let value: String
        let note: String
    }

    /// Adds entries, sorted by their keys.
    ///
    /// In a sorted file each entry goes to its place, in any other file to the end.
    mutating func add(_ new: [NewEntry]) {
        guard !new.isEmpty else { return }
        let (separator, lineBreak, isSorted) = (separator, lineBreak, isSorted)
        func entry(_ new: NewEntry) -> Entry {
            Entry(key: new.key, value: new.value, note: new.note, lead: separator, lineBreak: lineBreak)
        }
        // The text before the first entry stays there, such as a comment about the author. An empty line separates it
        // from the comments of the entry.
        let above = end.isEmpty ? "" : end + (end.hasSuffix(lineBreak) ? lineBreak : lineBreak + lineBreak)
        let head = entries.first?.lead ?? above
        if !entries.isEmpty { entries[0].lead = separator } else { end = lineBreak }
        var rest = new[...]
        var all: [Entry] = []
        for old in entries {
            while isSorted, let next = rest.first, next.key < old.key {
                all.append(entry(next))
                rest.removeFirst()
            }
            all.append(old)
        }
        all += rest.map(entry)
        all[0].lead = head
        entries = all
        if !end.utf8.contains(0x0A) { end += lineBreak }
    }

    /// Whether the entries are sorted by their keys.
    var isSorted: Bool { zip(entries, entries.dropFirst()).allSatisfy { $0.key <= $1.key } }
}

extension String {
    /// Whether two texts have the same bytes.
    ///
    /// Equal texts may have different bytes.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

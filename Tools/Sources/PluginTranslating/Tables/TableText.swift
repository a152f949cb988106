/// The text of a strings table, entry by entry, with everything that is between the entries.
///
/// A change of one entry leaves every other byte as it is: the order, the comments and the spelling of each text stay as
/// their author wrote them.
///
/// **Threads.** A value; may be shared freely.
public struct TableText: Sendable, Hashable {
    /// One `"key" = "value";` with what is before it.
    public struct Entry: Sendable, Hashable {
        /// What is before the comment: blanks, and comments that belong to no entry.
        var lead: String
        /// The comments of the entry: those that no empty line separates from it.
        ///
        /// Empty if there is none.
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

        /// An entry for an end of the line and a translation.
        init(key: String, value: String, note: String, lead: String, lineBreak: String) {
            self.init(
                lead: lead, note: note, gap: note.isEmpty ? "" : lineBreak, text: Self.text(key, value), key: key,
                value: value)
        }

        /// Replaces the translation; an equal one leaves the spelling as it is.
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
    /// What is after the last entry.
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

    /// What to write between two entries: an empty line, unless the file has none.
    private var separator: String {
        let isDense = entries.count > 1 && entries.dropFirst().allSatisfy { $0.lead.utf8.count { $0 == 0x0A } == 1 }
        return isDense ? lineBreak : lineBreak + lineBreak
    }

    /// An entry that is added.
    struct NewEntry {
        let key: String
        let value: String
        let note: String
    }

    /// Adds entries, sorted by their keys.
    ///
    /// In a file that is sorted they go to their places, in any other to the end.
    mutating func add(_ new: [NewEntry]) {
        guard !new.isEmpty else { return }
        let (separator, lineBreak, isSorted) = (separator, lineBreak, isSorted)
        func entry(_ new: NewEntry) -> Entry {
            Entry(key: new.key, value: new.value, note: new.note, lead: separator, lineBreak: lineBreak)
        }
        // What the file has before its first entry stays there: a comment with its author, say.
        // An empty line separates it from the comments of the entry.
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
    /// Texts may be equal and have different ones.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

public import PluginABI

/// The most common words of some languages: they show the language of a text, but nothing else about it.
public struct WordLists: Sendable {
    /// The extension point of bundles with lists of common words.
    ///
    /// `PHFactories` declares a name at it, and for each language the bundle has a list of that name and the type `txt`
    /// among its localised resources. No code is needed.
    public static let extensionPoint = "org.example.word-list"
    /// The version of the extension point.
    public static let extensionVersion: UInt32 = 1

    private var words: [String: Set<String>] = [:]

    /// No lists.
    public init() {}

    /// The languages that have a list, as BCP 47 tags.
    public var languages: [String] { words.keys.sorted() }

    /// The list of a language, in small letters; empty if there is none.
    public subscript(language: String) -> Set<String> { words[language] ?? [] }

    /// Adds a list.
    ///
    /// - Parameters:
    ///   - list: one word to a line, in small letters; a line that begins with `#` is a comment.
    ///   - language: a BCP 47 tag.
    public mutating func add(_ list: String, language: String) {
        for line in list.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            words[language, default: []].insert(String(line.filter { !$0.isWhitespace }))
        }
    }

    /// Finds the language of a text: the one whose common words make up the largest part of it.
    ///
    /// - Parameter sample: some kilobytes of the text are enough.
    /// - Returns: one of ``languages``, or nil if fewer than three words in a hundred are common words of any of them.
    ///
    /// **Cost.** Proportional to the sample.
    public func language(of sample: String) -> String? {
        // Japanese has no spaces between words, but a syllabary of its own.
        if words["ja"] != nil {
            var kana = 0
            var others = 0
            for scalar in sample.unicodeScalars {
                if (0x3041...0x30FF).contains(scalar.value) { kana += 1 } else if scalar.value > 0x40 { others += 1 }
            }
            if kana * 10 > others { return "ja" }
        }
        let tokens = sample.lowercased().split { !$0.isLetter && $0 != "'" && $0 != "’" }
        let counts = words.map { language, list in
            (language, count: tokens.count { list.contains(String($0)) })
        }
        guard let best = counts.max(by: { ($0.count, $1.0) < ($1.count, $0.0) }),
            best.count > 0, best.count * 100 >= tokens.count * 3
        else { return nil }
        return best.0
    }
}

// By hand, because the lists are private to this file.
extension WordLists: RemoteValue {
    /// Writes the lists for another process.
    public func write(to writer: inout RemoteWriter) throws { try writer.write(words) }

    /// Reads lists from another process.
    public static func read(from reader: inout RemoteReader) throws -> WordLists {
        var lists = WordLists()
        lists.words = try reader.next()
        return lists
    }
}

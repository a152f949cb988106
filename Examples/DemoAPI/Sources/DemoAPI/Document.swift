/// What is known about a document before it is read.
///
/// Its text follows in passages.
public struct Document: Sendable {
    /// The file's name without its directory.
    public var name: String
    /// The file's length.
    public var byteCount: Int
    /// The language of its text, as a BCP 47 tag such as `fr`.
    public var language: String
    /// The common words of the languages for which the host has lists.
    public var wordLists: WordLists

    /// A document with the given facts.
    public init(name: String, byteCount: Int, language: String, wordLists: WordLists = WordLists()) {
        self.name = name
        self.byteCount = byteCount
        self.language = language
        self.wordLists = wordLists
    }
}

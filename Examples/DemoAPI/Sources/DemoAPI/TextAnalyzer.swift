public import PluginABI

/// Reads a document and reports what it found.
///
/// The host makes one object for each document and calls ``begin(_:)``, then ``read(_:)`` for each passage in order,
/// then ``finish()``. The passages are those of ``TextFilter``, so an analyser should keep counts and not the text.
///
/// **Threads.** One at a time for one object, but not always the same.
public protocol TextAnalyzer: Plugin {
    /// Prepares for a document; the default does nothing.
    ///
    /// - Parameter document: its name, length and language, and the word lists of the languages.
    /// - Throws: the reason why it cannot analyse this document; the host then leaves the analyser out.
    func begin(_ document: Document) throws

    /// Reads the next part of the text.
    func read(_ passage: String) throws

    /// Returns the result, with titles in the user's language.
    func finish() throws -> Analysis
}

extension TextAnalyzer {
    /// The default does nothing.
    public func begin(_ document: Document) throws {}
}

/// What an analyser found in one document.
public struct Analysis: Sendable {
    /// The results, as tables.
    public var tables: [Table]
    /// Charts as data.
    ///
    /// The host decides whether they are drawn, and by which renderer.
    public var charts: [Chart]

    /// A result with the given parts.
    public init(tables: [Table] = [], charts: [Chart] = []) {
        self.tables = tables
        self.charts = charts
    }
}

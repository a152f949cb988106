public import PluginABI

/// Reads a document and tells what it found.
///
/// The host makes one object for each document and calls ``begin(_:)``, then ``read(_:)`` for each passage in order,
/// then ``finish()``. The passages are those of ``TextFilter``: an analyser keeps counts and not the text.
///
/// **Threads.** One at a time for one object; not always the same.
public protocol TextAnalyzer: Plugin {
    /// Prepares for a document. By default it does nothing.
    ///
    /// - Parameter document: its name, length and language, and the word lists of the languages.
    /// - Throws: what keeps it from this document; the host then leaves it out.
    func begin(_ document: Document) throws

    /// Reads the next part of the text.
    func read(_ passage: String) throws

    /// Gives the result, titled in the user's language.
    func finish() throws -> Analysis
}

extension TextAnalyzer {
    /// The default does nothing.
    public func begin(_ document: Document) throws {}
}

/// What an analyser found in one document.
public struct Analysis: Sendable {
    /// What was found, as tables.
    public var tables: [Table]
    /// Charts as data. Who draws them, and whether they are drawn, the host decides.
    public var charts: [Chart]

    /// A result with the given parts.
    public init(tables: [Table] = [], charts: [Chart] = []) {
        self.tables = tables
        self.charts = charts
    }
}

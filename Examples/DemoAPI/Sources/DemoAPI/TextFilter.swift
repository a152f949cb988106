public import PluginABI

/// Changes a document's text before the analysers read it.
///
/// The host makes one object for each document and calls ``begin(_:)``, then ``filter(_:)`` for each passage in order,
/// then ``finish()``. A passage is some hundred kilobytes of whole lines, so a filter of documents of any length needs
/// little memory; only a line longer than a passage is cut, at a space if it has one.
///
/// The host takes care of progress and cancellation: it counts the passages.
///
/// **Threads.** One at a time for one object, but not always the same.
public protocol TextFilter: Plugin {
    /// Prepares for a document; the default does nothing.
    ///
    /// - Parameter document: its name, length and language.
    /// - Throws: the reason why it cannot filter this document; the host then leaves the document out.
    func begin(_ document: Document) throws

    /// Returns the changed passage.
    ///
    /// - Parameter passage: the next part of the text.
    /// - Returns: the replacement. It may be shorter or longer, or empty if the filter holds text back.
    /// - Throws: the reason why it cannot continue; the host then leaves the document out.
    func filter(_ passage: String) throws -> String

    /// Returns the text that was held back; the default returns an empty text.
    func finish() throws -> String
}

extension TextFilter {
    /// The default does nothing.
    public func begin(_ document: Document) throws {}
    /// The default holds nothing back.
    public func finish() throws -> String { "" }
}

public import PluginABI

/// Changes a document's text on its way to the analysers.
///
/// The host makes one object for each document and calls ``begin(_:)``, then ``filter(_:)`` for each passage in order,
/// then ``finish()``. A passage is some hundred kilobytes of whole lines, so a filter of documents of any length needs
/// little memory; only a line longer than a passage is cut, at a space if it has one.
///
/// Progress and cancellation are the host's: it counts the passages.
///
/// **Threads.** One at a time for one object; not always the same.
public protocol TextFilter: Plugin {
    /// Prepares for a document. By default it does nothing.
    ///
    /// - Parameter document: its name, length and language.
    /// - Throws: what keeps it from this document; the host then leaves the document out.
    func begin(_ document: Document) throws

    /// Gives the passage as it shall read.
    ///
    /// - Parameter passage: the next part of the text.
    /// - Returns: what takes its place. May be shorter or longer, or empty where the filter holds text back.
    /// - Throws: what keeps it from going on; the host then leaves the document out.
    func filter(_ passage: String) throws -> String

    /// Gives what was held back. By default it is empty.
    func finish() throws -> String
}

extension TextFilter {
    /// The default does nothing.
    public func begin(_ document: Document) throws {}
    /// The default holds nothing back.
    public func finish() throws -> String { "" }
}

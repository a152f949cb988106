public import PluginABI

/// An interface of ordinary size: it and its types have twenty lines in a record.
public protocol Renderer: Plugin {
    /// The name for people.
    var title: String { get }
    /// Whether it draws pages at the same time.
    var isParallel: Bool { get set }
    /// Prepares for a document.
    func begin(_ document: Document) throws
    /// Draws a page.
    func draw(_ page: Page, options: Options) throws -> [UInt8]
    /// The pages that it can draw.
    func pages(of document: Document) -> [Page]
    /// Ends the document.
    func finish() throws -> Summary
}

/// A document.
public struct Document: Sendable {
    /// Its name.
    public var name: String
    /// Its length.
    public var byteCount: Int
    /// Its language.
    public var language: String
}

/// A page.
public struct Page: Sendable {
    /// Its number.
    public var number: Int
    /// Its kind.
    public var kind: Kind

    /// What a page shows.
    public enum Kind: Sendable {
        case text
        case image(String)
        case empty
    }
}

/// How pages are drawn.
public struct Options: Sendable {
    /// The size of the text.
    public var scale: Double
    /// Whether colours are kept.
    public var hasColours: Bool
}

/// What was drawn.
public struct Summary: Sendable {
    /// The number of pages.
    public var count: Int

    /// A summary.
    public init(count: Int) { self.count = count }
}

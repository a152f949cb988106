package import HostBasics

/// A resource that a search found.
package struct FoundResource: Sendable, Hashable {
    package let path: String
    /// For example a document package or a nested bundle; its URL ends in a slash.
    package let isDirectory: Bool

    package init(_ item: DirectoryListing.Item, in directory: String) {
        path = Path.join(directory, item.name)
        isDirectory = item.kind == .directory
    }
}

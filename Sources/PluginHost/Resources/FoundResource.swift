import HostBasics

/// A resource that a search found.
struct FoundResource: Sendable, Hashable {
    let path: String
    /// For example a document package or a nested bundle; its URL ends in a slash.
    let isDirectory: Bool

    init(_ item: DirectoryListing.Item, in directory: String) {
        path = Path.join(directory, item.name)
        isDirectory = item.kind == .directory
    }
}

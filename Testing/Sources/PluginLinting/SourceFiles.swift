internal import HostBasics
@_spi(Tools) internal import PluginHost

/// The files in directories with sources, sorted by name.
///
/// Hidden files are left out, and links to directories are not followed.
@_spi(Tools) public struct SourceFiles {
    /// Absolute paths of all files, including those that are not sources.
    public private(set) var paths: [String] = []
    /// What could not be read.
    public private(set) var findings: [LintFinding] = []

    /// A larger file is not a source.
    public static let largest = 4 << 20
    private static let mostFiles = 50_000
    private static let deepest = 32
    private static let swift: Set = ["swift"]
    private static let cFamily: Set = ["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "m", "mm"]

    /// Lists these files, and all files in these folders.
    public init(_ sources: [String]) {
        for source in sources { add(Path.normalized(source) ?? source) }
    }

    /// Whether a file is a source in Swift, or in a language of C's family; nil for any other.
    public static func isSwift(_ path: String) -> Bool? {
        let type = path.lastIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? ""
        return swift.contains(type) ? true : cFamily.contains(type) ? false : nil
    }

    /// The content of a file; nil if it is too large, or cannot be read.
    public static func bytes(_ path: String, atMost limit: Int = largest) -> [UInt8]? {
        guard let file = try? OpenedFile(path: path), file.identity.size <= UInt64(limit) else { return nil }
        return try? file.bytes(atMost: limit)
    }

    private mutating func add(_ path: String) {
        guard let identity = FileIdentity(path: path) else {
            findings.append(
                LintFinding(
                    .error, .unreadable, filePath: path, message: "There are no sources at \(quoted(path)).",
                    remedy: "Check the path."))
            return
        }
        guard identity.isDirectory else { return paths.append(path) }
        var waiting = [(path: path, depth: 0)]
        while let (directory, depth) = waiting.popLast() {
            let listing = DirectoryListing(path: directory)
            if let errno = listing.failure { findings.append(.unreadable(directory: directory, errno)) }
            for (name, kind) in listing.names.sorted(by: { $0.key > $1.key }) where !name.hasPrefix(".") {
                guard paths.count < Self.mostFiles, depth < Self.deepest else {
                    findings.append(
                        LintFinding(
                            .warning, .tooManyFiles, filePath: directory,
                            message:
                                "The sources in \(quoted(directory)) are not all read: there are more than \(Self.mostFiles), "
                                + "or they are \(Self.deepest) directories deep.",
                            remedy: "Name the directories with the bundle's own sources."))
                    return
                }
                let child = Path.join(directory, name)
                if kind == .directory {
                    waiting.append((child, depth + 1))
                } else {
                    paths.append(child)
                }
            }
        }
    }
}

import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost
internal import PropertyLists

extension FileTree {
    /// A file that was left out, and the reason.
    struct LeftOut: Equatable {
        let path: String
        let reason: String
    }

    /// Adds the content of a directory, with links as links, and returns what was left out.
    ///
    /// `directory`: its absolute path. `place`: its path in the tree; empty for the root. `isSource`: whether to leave
    /// out the files of ``NeverPacked``.
    mutating func add(
        contentsOf directory: String, at place: String = "", isSource: Bool = false
    ) throws(PackingError) -> [LeftOut] {
        var leftOut: [LeftOut] = []
        // One list for all levels: a recursive function could overflow the stack in very deep directories.
        var waiting = [(directory, place)]
        while let (directory, place) = waiting.popLast() {
            for name in try Self.names(in: directory) {
                let source = Path.join(directory, name)
                let path = place.isEmpty ? name : place + "/" + name
                if isSource, let reason = NeverPacked.reason(name) {
                    leftOut.append(LeftOut(path: source, reason: reason))
                    continue
                }
                var status = stat()
                guard lstat(source, &status) == 0 else {
                    throw .refused(.unreadable, source, cannot: "be looked at", errno: errno)
                }
                switch status.st_mode & S_IFMT {
                case S_IFDIR:
                    try add(path, .directory)
                    waiting.append((source, path))
                case S_IFREG:
                    let file = FileBytes.disk(path: source, size: Int64(status.st_size))
                    try add(path, .file(file, isExecutable: status.st_mode & S_IXUSR != 0))
                case S_IFLNK: try add(path, .link(to: Self.target(of: source)))
                default: throw unsafe(path, "it is a FIFO, a socket or a device")
                }
            }
        }
        return leftOut.sorted { $0.path < $1.path }
    }

    private static func names(in directory: String) throws(PackingError) -> [String] {
        do throws(OpenedDirectory.Failure) {
            // A name that is not UTF-8 contains U+FFFD after this, which every tree refuses.
            return try OpenedDirectory(path: directory).names.map(OpenedDirectory.text)
        } catch {
            throw .refused(.unreadable, error.path, cannot: "be listed", errno: error.errno)
        }
    }

    private static func target(of link: String) throws(PackingError) -> String {
        do throws(OpenedDirectory.Failure) {
            let directory = try OpenedDirectory(path: Path.parent(link))
            return OpenedDirectory.text(try directory.linkTarget(OpenedDirectory.name(Path.lastComponent(link))))
        } catch {
            throw .refused(.unreadable, error.path, cannot: "be read", errno: error.errno)
        }
    }
}

extension FileTree {
    /// The size of the smallest text that gets a compiled table.
    ///
    /// Reading a smaller text takes no longer than opening a compiled table.
    private static let smallestTable: Int64 = 8192

    /// Adds the compiled form of each large strings table beside the table.
    ///
    /// A table with a fault gets no compiled form; the linter reports the fault.
    mutating func addCompiledTables() throws(PackingError) {
        for path in paths where path.hasSuffix(".strings") {
            guard case .file(let text, _)? = entries[path], text.count >= Self.smallestTable,
                text.count <= Int64(PropertyListLimits.stringsTable.size),
                let compiled = CompiledStrings.compile(try text.bytes(), modified: Int64(Self.time) * 1_000_000_000)
            else { continue }
            let place = path.dropLast("strings".utf8.count) + CompiledStrings.pathExtension
            try add(String(place), .file(.memory(compiled), isExecutable: false))
        }
    }
}

/// Files among the resources that are never packed, because an operating system or an editor left them there.
enum NeverPacked {
    private static let names: [String: String] = [
        "Thumbs.db": "a file of another system", "desktop.ini": "a file of another system",
        "__MACOSX": "a directory of another system", "CVS": "a directory of a version control system",
    ]
    private static let suffixes = ["~", ".bak", ".orig", ".rej", ".swp"]

    /// The reason why a file or directory of this name is left out; nil if it is packed.
    static func reason(_ name: String) -> String? {
        if name.hasPrefix(".") { return "its name begins with a dot" }
        if let reason = names[name] { return reason }
        if name.hasSuffix("." + CompiledStrings.pathExtension) { return "a compiled table, which is made anew" }
        if suffixes.contains(where: name.hasSuffix) { return "a backup of an editor" }
        return name.hasPrefix("#") && name.hasSuffix("#") ? "a backup of an editor" : nil
    }
}

import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost

/// The files of a bundle before they are written: paths relative to the bundle's directory, each with its content.
///
/// A tree that passed ``check()`` is safe to write to a disk: no path or link leads out of it, no two paths are the
/// same on a file system that ignores case or the Unicode form, and its size is within the limits.
struct FileTree {
    enum Content: Equatable {
        case directory
        case file(FileBytes, isExecutable: Bool)
        case link(to: String)
    }

    /// Where the bytes of a file come from.
    enum FileBytes: Equatable {
        case memory([UInt8])
        case disk(path: String, size: Int64)

        var count: Int64 {
            switch self {
            case .memory(let bytes): Int64(bytes.count)
            case .disk(_, let size): size
            }
        }
    }

    /// The limits on a bundle's content, equal to those of the copies for hot reload (docs/bundle-format.md, “Limits”).
    struct Limits {
        var entries = 100_000
        var bytes: Int64 = 1 << 30
        var levels = 32
        /// The most bytes of a path in the bundle.
        ///
        /// The limit leaves room for the path of the bundle's directory.
        var path = 2048
    }

    /// The bundle's directory, which messages name.
    let root: String
    let limits: Limits
    private(set) var entries: [String: Content] = [:]
    private var bytes: Int64 = 0
    /// The paths by their form on a file system that ignores case and the Unicode form.
    private var folded: [String: String] = [:]

    init(root: String, limits: Limits = Limits()) {
        self.root = root
        self.limits = limits
    }

    /// All paths; each comes after the directory that contains it.
    var paths: [String] { entries.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

    /// The files whose paths are included, as text, in the order of ``paths``.
    func texts(where isIncluded: (String) -> Bool = { _ in true }) throws(PackingError) -> [(
        path: String, text: String
    )] {
        var texts: [(path: String, text: String)] = []
        for path in paths where isIncluded(path) {
            guard case .file(let bytes, _)? = entries[path] else { continue }
            texts.append((path, String(decoding: try bytes.bytes(), as: UTF8.self)))
        }
        return texts
    }

    /// Adds one entry, and the directories above it that are missing.
    ///
    /// - Throws: ``PackingError`` for a path that is not plain, that exists already, or that exceeds a limit.
    mutating func add(_ path: String, _ content: Content) throws(PackingError) {
        try checkPath(path)
        if let slash = path.lastIndex(of: "/") {
            let above = String(path[..<slash])
            switch entries[above] {
            case nil: try add(above, .directory)
            case .directory: break
            case .file, .link: throw unsafe(path, "\(quoted(above)) is no directory")
            }
        }
        // Swift compares strings by canonical equivalence, so this also detects different Unicode forms of one name.
        if let other = folded.updateValue(path, forKey: path.lowercased()) {
            let isSame = other.utf8.elementsEqual(path.utf8)
            // An archive may list a directory after a file in it, so the directory may already exist.
            if isSame, content == .directory, entries[path] == .directory { return }
            throw unsafe(
                path, isSame ? "it is there twice" : "\(quoted(other)) differs from it in case or Unicode form only")
        }
        switch content {
        // Limit the size, because a header may state any number.
        case .file(let file, _): bytes += min(file.count, limits.bytes + 1)
        case .link(let target):
            guard target.utf8.count <= limits.path else {
                throw tooLarge("a link to a path of more than \(limits.path) bytes")
            }
        case .directory: break
        }
        entries[path] = content
        guard bytes <= limits.bytes, entries.count <= limits.entries else {
            throw tooLarge("more than \(limits.entries) files or \(limits.bytes >> 20) MiB")
        }
    }

    private func checkPath(_ path: String) throws(PackingError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= limits.levels, path.utf8.count <= limits.path else {
            throw tooLarge("more than \(limits.levels) levels, or a path of more than \(limits.path) bytes")
        }
        for part in parts {
            if part.isEmpty || part == "." || part == ".." { throw unsafe(path, "a part of the path is “\(part)”") }
            if part.utf8.count > 255 { throw unsafe(path, "a name has more than 255 bytes") }
            if part.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F || $0 == "\u{FFFD}" }) {
                throw unsafe(path, "a name holds a control character, or is not UTF-8")
            }
        }
    }

    /// Checks that each link leads to something in the tree.
    func check() throws(PackingError) {
        var steps = 1 << 20
        for case (let path, .link(let target)) in entries { steps += path.utf8.count + target.utf8.count }
        for path in paths {
            guard case .link(let target) = entries[path] else { continue }
            let leadsToFile = leads(path, &steps)
            guard steps > 0 else { throw tooLarge("links that lead through too many others") }
            guard leadsToFile else {
                throw unsafe(path, "it is a link to \(quoted(target)), which is not in the bundle")
            }
        }
    }

    /// Follows a link as the kernel does, including through other links.
    ///
    /// `steps`: how many path components may still be examined. Why: a small archive can have thousands of links that
    /// each lead through 40 long paths.
    private func leads(_ link: String, _ steps: inout Int) -> Bool {
        var waiting = link.split(separator: "/").map(String.init)[...]
        var at: [String] = []
        var links = 0
        while let part = waiting.popFirst(), steps > 0 {
            steps -= 1
            if part == "." { continue }
            if part == ".." {
                if at.popLast() == nil { return false }
                continue
            }
            at.append(part)
            switch entries[at.joined(separator: "/")] {
            case nil: return false
            case .directory: break
            case .file: if !waiting.isEmpty { return false }
            case .link(let target):
                links += 1
                guard links <= 40, !target.hasPrefix("/"), !target.isEmpty else { return false }
                at.removeLast()
                waiting = (target.split(separator: "/").map(String.init) + waiting)[...]
                steps -= waiting.count
            }
        }
        return true
    }

    func unsafe(_ path: String, _ reason: String) -> PackingError {
        PackingError(
            .unsafeFile, path: Path.join(root, path),
            message: "\(quoted(path)) cannot be a file of the bundle \(quoted(root)): \(reason).",
            remedy: "Remove it, rename it, or put a copy of the file in the link's place.")
    }

    private func tooLarge(_ what: String) -> PackingError {
        PackingError(
            .tooLarge, path: root, message: "The bundle \(quoted(root)) has \(what).",
            remedy: "Leave out what the plug-in does not need, or fetch it at run time.")
    }
}

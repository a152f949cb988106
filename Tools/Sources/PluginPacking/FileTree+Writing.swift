import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost

extension FileTree {
    /// The time that all files of a bundle get: `SOURCE_DATE_EPOCH` if it is set, otherwise the beginning of 1980.
    ///
    /// 1980 is the first year that every archive format can store. The maximum is eleven octal digits, as in the
    /// headers of tar archives.
    static let time: Int =
        getenv("SOURCE_DATE_EPOCH").flatMap { Int(String(cString: $0)) }.map { min(max(0, $0), 0o77777777777) }
        ?? 315_532_800

    /// Writes the tree.
    ///
    /// ``setTimes(in:)`` sets the times later.
    ///
    /// `directory`: an existing empty directory to which only this user may write.
    func write(to directory: String) throws(PackingError) {
        for path in paths {
            let target = Path.join(directory, path)
            switch entries[path] {
            case .directory:
                guard mkdir(target, 0o700) == 0 else {
                    throw .refused(.unwritable, target, cannot: "be made", to: .make, errno: errno)
                }
            case .file(let bytes, _): try Self.write(bytes, to: target)
            case .link, nil: break
            }
        }
        try finish(in: directory)
    }

    /// Gives directories and executables the mode 0755 and other files 0644, whatever the umask is, and makes the
    /// links.
    ///
    /// Links are made last, so that nothing is ever written through one.
    func finish(in directory: String) throws(PackingError) {
        for path in paths.reversed() + [""] {
            let target = Path.join(directory, path)
            let mode: mode_t
            switch path.isEmpty ? .directory : entries[path] {
            case .directory, .file(_, isExecutable: true): mode = 0o755
            case .file: mode = 0o644
            case .link(let goal):
                guard symlink(goal, target) == 0 else {
                    throw .refused(.unwritable, target, cannot: "be made", to: .make, errno: errno)
                }
                continue
            case nil: continue
            }
            guard chmod(target, mode) == 0 else {
                throw .refused(.unwritable, target, cannot: "be changed", errno: errno)
            }
        }
    }

    /// Makes a directory, and the ones above it that are missing.
    ///
    /// - Returns: the directories that it made, the outermost first.
    /// - Throws: ``PackingError``; then no directory was made.
    @discardableResult
    static func makeDirectory(_ path: String) throws(PackingError) -> [String] {
        var made: [String] = []
        var place = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            place += part
            if mkdir(place, 0o777) == 0 {
                made.append(place)
            } else {
                var number = errno
                // Why not check only for EEXIST: for an existing directory, the error may also be EROFS or EACCES.
                let identity = FileIdentity(path: place)
                // What exists may be a directory that cannot be examined: that is the cause then.
                if identity == nil, number == EEXIST { number = errno }
                guard identity?.isDirectory ?? false else {
                    removeEmpty(made)
                    throw .refused(.unwritable, place, cannot: "be made", to: .make, errno: number)
                }
            }
            place += "/"
        }
        return made
    }

    /// Removes directories that were made for a failed operation, if they are still empty.
    ///
    /// `directories`: the outermost first.
    static func removeEmpty(_ directories: [String]) {
        for directory in directories.reversed() { rmdir(directory) }
    }

    /// Gives every file and directory the same time.
    ///
    /// A directory comes after its content, because writing the content changes the directory's time.
    func setTimes(in directory: String) throws(PackingError) {
        let times = [timespec](repeating: timespec(tv_sec: Self.time, tv_nsec: 0), count: 2)
        for path in paths.reversed() + [""] {
            let target = Path.join(directory, path)
            guard utimensat(AT_FDCWD, target, times, AT_SYMLINK_NOFOLLOW) == 0 else {
                throw .refused(.unwritable, target, cannot: "be given a time", errno: errno)
            }
        }
    }

    private static func write(_ bytes: FileBytes, to path: String) throws(PackingError) {
        let descriptor = openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .refused(.unwritable, path, cannot: "be made", to: .make, errno: errno) }
        defer { close(descriptor) }
        switch bytes {
        case .memory(let bytes): try append(bytes, to: descriptor, path)
        case .disk(let source, let size):
            try eachPart(of: source, size: size) { (part) throws(PackingError) in
                try append(part, to: descriptor, path)
            }
        }
    }

    static func append(_ bytes: some Sequence<UInt8>, to descriptor: CInt, _ path: String) throws(PackingError) {
        let bytes = Array(bytes)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw .refused(.unwritable, path, cannot: "be written", errno: count == 0 ? ENOSPC : errno)
            }
            written += count
        }
    }

    /// Reads a file in parts.
    ///
    /// - Throws: ``PackingError`` if the file's size is no longer `size`.
    static func eachPart(
        of path: String, size: Int64, _ body: ([UInt8]) throws(PackingError) -> Void
    ) throws(PackingError) {
        let descriptor = openFile(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .refused(.unreadable, path, cannot: "be read", errno: errno) }
        defer { close(descriptor) }
        var total: Int64 = 0
        var part = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = part.withUnsafeMutableBytes { read(descriptor, $0.baseAddress!, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .refused(.unreadable, path, cannot: "be read", errno: errno) }
            total += Int64(count)
            guard total <= size, count > 0 || total == size else {
                throw PackingError(
                    .unreadable, path: path, message: "\(quoted(path)) changed while it was read.",
                    remedy: "Try again when nothing writes to it.")
            }
            if count == 0 { return }
            try body(Array(part[..<count]))
        }
    }

    /// Whether two trees that were read from a disk have the same names, kinds, modes, links and bytes.
    func holdsSame(as other: FileTree) throws(PackingError) -> Bool {
        guard entries.count == other.entries.count else { return false }
        for (path, content) in entries {
            guard let others = other.entries[path] else { return false }
            guard case .file(let mine, let isExecutable) = content, case .file(let theirs, isExecutable) = others
            else {
                if content != others { return false }
                continue
            }
            guard mine.count == theirs.count, try mine.bytes() == theirs.bytes() else { return false }
        }
        return true
    }
}

extension FileTree.FileBytes {
    func bytes() throws(PackingError) -> [UInt8] {
        switch self {
        case .memory(let bytes): return bytes
        case .disk(let path, let size):
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Int(size))
            try FileTree.eachPart(of: path, size: size) { (part) throws(PackingError) in bytes += part }
            return bytes
        }
    }
}

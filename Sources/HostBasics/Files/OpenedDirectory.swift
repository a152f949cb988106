import CPluginSupport.Shims
package import Glibc

/// An open directory through which its content is accessed, so that renaming a parent directory cannot divert a walk.
///
/// Names are bytes here and need not be UTF-8, because items are copied or removed whatever their names are.
public struct OpenedDirectory: ~Copyable {
    package let descriptor: CInt

    /// The kind of an item in a directory.
    package enum Kind {
        case file, directory, link
        /// A FIFO, socket or device.
        case other
    }

    /// A name, ended by a zero.
    public typealias Name = [CChar]

    /// The failure of a system call.
    public struct Failure: Error {
        /// The path of the operation that failed.
        public let path: String
        /// The error number of the operation.
        public let errno: CInt
        /// The operation that the system refused.
        public var operation = ErrorNumber.Operation.read

        package init(path: String, errno: CInt, operation: ErrorNumber.Operation = .read) {
            self.path = path
            self.errno = errno
            self.operation = operation
        }
    }

    /// A name as text, with U+FFFD in place of bytes that are not UTF-8.
    public static func text(_ name: Name) -> String {
        String(decoding: name.lazy.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// A text as a name.
    public static func name(_ text: String) -> Name { Array(text.utf8CString) }

    /// The path by which the directory was opened, for messages.
    package let path: String

    /// `path`: the directory; a link at its end is not followed.
    public init(path: String) throws(Failure) {
        try self.init(Self.name(path), in: AT_FDCWD, path: path)
    }

    private init(_ name: Name, in directory: CInt, path: String) throws(Failure) {
        descriptor = phs_open(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        self.path = path
        guard descriptor >= 0 else { throw Failure(path: path, errno: errno) }
    }

    deinit { close(descriptor) }

    /// The failure of the last system call on a name in this directory.
    package func failure(_ name: Name, to operation: ErrorNumber.Operation = .read) -> Failure {
        let number = errno
        return Failure(path: Path.join(path, Self.text(name)), errno: number, operation: operation)
    }

    package func directory(_ name: Name) throws(Failure) -> OpenedDirectory {
        try OpenedDirectory(name, in: descriptor, path: Path.join(path, Self.text(name)))
    }

    /// Opens a directory; creates it, for its owner only, if it does not exist.
    func madeDirectory(_ name: Name) throws(Failure) -> OpenedDirectory {
        guard mkdirat(descriptor, name, 0o700) == 0 || errno == EEXIST else {
            throw failure(name, to: .make)
        }
        return try directory(name)
    }

    /// Opens a file; links are not followed, and opening a FIFO does not wait for a writer.
    package func file(_ name: Name, _ flags: CInt = O_RDONLY, mode: mode_t = 0) throws(Failure) -> CInt {
        let file = phs_open(descriptor, name, flags | O_NOFOLLOW, mode)
        guard file >= 0 else {
            throw failure(name, to: flags & O_CREAT != 0 ? .make : flags & O_ACCMODE != O_RDONLY ? .write : .read)
        }
        return file
    }

    /// Opens a regular file for reading; links are not followed.
    ///
    /// - Throws: `ENOENT` also if it is not a regular file, as if it did not exist.
    func regularFile(_ name: Name) throws(Failure) -> OpenedFile {
        let path = Path.join(path, Self.text(name))
        let file = try file(name)
        do throws(OpenedFile.Failure) {
            return try OpenedFile(adopting: file)
        } catch {
            throw Failure(path: path, errno: error.errno ?? ENOENT)
        }
    }

    /// All names except `.` and `..`, sorted by bytes.
    public var names: [Name] {
        get throws(Failure) {
            guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Failure(path: path, errno: errno) }
            var names: [Name] = []
            var error: CInt = 0
            withTemporaryBytes(32768) { buffer in
                while true {
                    let count = phs_read_directory(descriptor, buffer.baseAddress!, buffer.count)
                    if count < 0 { error = errno }
                    guard count > 0 else { return }
                    var start = 0
                    while start < count {
                        let entry = UnsafeRawPointer(buffer.baseAddress! + start)
                        let text = (entry + Self.nameOffset).assumingMemoryBound(to: CChar.self)
                        names.append(Array(UnsafeBufferPointer(start: text, count: strlen(text) + 1)))
                        start += Int(entry.load(fromByteOffset: Self.lengthOffset, as: UInt16.self))
                    }
                }
            }
            guard error == 0 else { throw Failure(path: path, errno: error) }
            return names.filter { $0 != [46, 0] && $0 != [46, 46, 0] }.sorted { $0.lexicographicallyPrecedes($1) }
        }
    }

    private static let lengthOffset = MemoryLayout<phs_directory_entry>.offset(of: \.length)!
    private static let nameOffset = MemoryLayout<phs_directory_entry>.offset(of: \.name)!

    /// Nil if nothing has the name.
    package func kind(_ name: Name) throws(Failure) -> Kind? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw failure(name)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .directory
        case S_IFLNK: return .link
        default: return .other
        }
    }

    /// The target of a symbolic link.
    public func linkTarget(_ name: Name) throws(Failure) -> Name {
        var target = Name(repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlinkat(descriptor, name, &target, Int(PATH_MAX))
        guard length >= 0 else { throw failure(name) }
        return Array(target[..<length]) + [0]
    }

    package func makeLink(_ name: Name, to target: Name) throws(Failure) {
        guard symlinkat(target, descriptor, name) == 0 else { throw failure(name, to: .make) }
    }

    package func rename(_ old: Name, to new: Name) throws(Failure) {
        guard renameat(descriptor, old, descriptor, new) == 0 else { throw failure(new, to: .rename) }
    }

    /// Removes the item with a name and, if it is a directory, everything in it; links are removed, not followed.
    public func remove(_ name: Name) throws(Failure) {
        if unlinkat(descriptor, name, 0) == 0 || errno == ENOENT { return }
        guard errno == EISDIR || errno == EPERM else { throw failure(name, to: .remove) }
        do {
            let inside = try directory(name)
            for name in try inside.names { try inside.remove(name) }
        }
        guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 || errno == ENOENT else {
            throw failure(name, to: .remove)
        }
    }
}

import Glibc

/// A directory tree for one test, removed with the last reference to it.
package final class TemporaryTree: Sendable {
    /// The absolute path of its root, with links resolved.
    package let path: String

    package init(_ files: [String: String] = [:]) throws {
        var template = Array("\(P_tmpdir)/pluginhost-resources-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(errno) }
        let made = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        guard let resolved = realpath(made, nil) else { throw SystemError(errno) }
        defer { free(resolved) }
        path = String(cString: resolved)
        for (name, content) in files { try write(name, content) }
    }

    deinit { Self.remove(path) }

    package struct SystemError: Error {
        let number: CInt
        package init(_ number: CInt) { self.number = number }
    }

    /// The absolute path of a name in the tree.
    package func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Writes a file and the directories above it.
    ///
    /// A name with a slash at its end makes a directory.
    package func write(_ name: String, _ content: String = "") throws {
        try write(name, bytes: Array(content.utf8))
    }

    package func write(_ name: String, bytes: [UInt8]) throws {
        var directory = path
        for component in name.split(separator: "/").dropLast(name.hasSuffix("/") ? 0 : 1) {
            directory += "/" + component
            mkdir(directory, 0o755)
        }
        if name.hasSuffix("/") { return }
        let descriptor = open(self(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemError(errno) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw SystemError(errno) }
            rest = rest.dropFirst(count)
        }
    }

    package func link(_ name: String, to target: String) throws {
        guard symlink(target, self(name)) == 0 else { throw SystemError(errno) }
    }

    package func remove(_ name: String) { Self.remove(self(name)) }

    /// Exchanges two items in one step, as an installer does.
    package func exchange(_ name: String, with other: String) throws {
        typealias Function =
            @convention(c) (
                CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt
            ) -> CInt
        // The module Glibc does not have it.
        guard let symbol = dlsym(nil, "renameat2") else { throw SystemError(ENOSYS) }
        let exchange: CUnsignedInt = 2
        guard unsafeBitCast(symbol, to: Function.self)(AT_FDCWD, self(name), AT_FDCWD, self(other), exchange) == 0
        else { throw SystemError(errno) }
    }

    package func rename(_ old: String, to new: String) throws {
        guard Glibc.rename(self(old), self(new)) == 0 else { throw SystemError(errno) }
    }

    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        guard let stream = opendir(path) else { return }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: entry.pointee.d_name) {
                String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { remove(path + "/" + name) }
        }
        closedir(stream)
        rmdir(path)
    }
}

/// The text of a file, by a path relative to the test's source file.
package func textFile(_ relative: String, beside file: String = #filePath) throws -> String {
    let folder = file.split(separator: "/").dropLast().joined(separator: "/")
    guard let stream = fopen("/" + folder + "/" + relative, "r") else { throw TemporaryTree.SystemError(errno) }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    while case let next = getc(stream), next != EOF { bytes.append(UInt8(next)) }
    return String(decoding: bytes, as: UTF8.self)
}

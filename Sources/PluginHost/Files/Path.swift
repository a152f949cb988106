import Glibc

/// Paths as texts: one spelling for each directory.
@_spi(Tools) public enum Path {
    /// An absolute path without empty, `.` and trailing components, or nil if only the file system can tell where the
    /// path leads (it has `..`) or it cannot be a path (empty, NUL, 4,096 bytes and more).
    ///
    /// **Cost.** One pass over the bytes; no system call for an absolute path.
    @_spi(Tools) public static func normalized(_ path: String) -> String? {
        var path = path
        let (first, isPath, isNormalized) = path.withUTF8 { bytes in
            (bytes.first, bytes.count < PATH_MAX && !bytes.contains(0), Self.isNormalized(bytes))
        }
        guard let first, isPath else { return nil }
        guard first == UInt8(ascii: "/") else {
            guard let directory = currentDirectory else { return nil }
            return normalized(directory + "/" + path)
        }
        if isNormalized { return path }
        var result = ""
        for component in path.split(separator: "/") where component != "." {
            guard component != ".." else { return nil }
            result += "/"
            result += component
        }
        return result.isEmpty ? "/" : result
    }

    /// The path with every link resolved, or nil with errno.
    @_spi(Tools) public static func resolved(_ path: String) -> String? {
        // realpath() goes by components, and would follow a path that the kernel refuses as a whole.
        guard path.utf8.count < PATH_MAX else {
            errno = ENAMETOOLONG
            return nil
        }
        guard !path.utf8.contains(0) else {
            errno = EINVAL
            return nil
        }
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(validatingCString: pointer)
    }

    /// Whether a resolved path stands inside a resolved directory.
    static func isInside(_ path: String, directory: String) -> Bool {
        path.utf8.count > directory.utf8.count && path.hasPrefix(directory)
            && (directory == "/" || path.utf8.dropFirst(directory.utf8.count).first == UInt8(ascii: "/"))
    }

    /// What stands before the last slash of an absolute path.
    static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.utf8.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// What stands behind the last slash of a path.
    @_spi(Tools) public static func lastComponent(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    /// An absolute path with `.`, `..` and doubled slashes resolved by its text alone.
    static func lexicallyNormalized(_ path: String) -> String {
        var components: [Substring] = []
        for component in path.split(separator: "/") {
            switch component {
            case ".": continue
            case "..": _ = components.popLast()
            default: components.append(component)
            }
        }
        return "/" + components.joined(separator: "/")
    }

    /// The program that runs, its links resolved.
    static let mainProgram = resolved("/proc/self/exe") ?? "/"

    /// The last component, without its extension.
    @_spi(Tools) public static func stem(_ path: String) -> String {
        let last = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = last.lastIndex(of: "."), dot != last.startIndex else { return last }
        return String(last[..<dot])
    }

    /// The directory that an absolute path stands in.
    @_spi(Tools) public static func parent(_ path: String) -> String { join(path, "..") }

    /// Appends relative components to a resolved directory; the empty string appends nothing, and each `..` at the start
    /// goes up.
    @_spi(Tools) public static func join(_ directory: String, _ relative: String) -> String {
        if relative.isEmpty { return directory }
        if relative == ".." || relative.hasPrefix("../") { return joinAbove(directory, relative) }
        return join(directory, "", file: relative, "", "")
    }

    private static func joinAbove(_ directory: String, _ relative: String) -> String {
        var up = directory.split(separator: "/")
        var down = relative.split(separator: "/")[...]
        while down.first == ".." {
            down.removeFirst()
            _ = up.popLast()
        }
        return join("/" + up.joined(separator: "/"), down.joined(separator: "/"))
    }

    /// The first directory on the way to an absolute path that this process may not enter, or nil.
    ///
    /// **Cost.** A system call for each directory; for messages only.
    static func closedDirectory(above path: String) -> String? {
        guard path.hasPrefix("/") else { return nil }
        var directory = "/"
        for component in path.split(separator: "/").dropLast() {
            directory = join(directory, String(component))
            if faccessat(AT_FDCWD, directory, X_OK, AT_EACCESS) != 0 { return errno == EACCES ? directory : nil }
        }
        return nil
    }

    /// What a symbolic link says, nil if there is none at the path.
    static func linkTarget(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            let length = readlink(path, buffer.baseAddress!, Int(PATH_MAX))
            guard length >= 0 else { return nil }
            buffer[length] = 0
            return String(validatingCString: buffer.baseAddress!)
        }
    }

    /// The path of a file whose name has three parts. One allocation, because each load needs it: appending part by
    /// part costs three times as much.
    static func join(
        _ directory: String, _ relative: String, file prefix: String, _ stem: String, _ suffix: String
    ) -> String {
        let capacity =
            directory.utf8.count + relative.utf8.count + prefix.utf8.count + stem.utf8.count + suffix.utf8.count + 2
        return String(unsafeUninitializedCapacity: capacity) { buffer in
            var path = Bytes(start: buffer.baseAddress!)
            path.put(directory)
            if !relative.isEmpty {
                path.putSlash()
                path.put(relative)
            }
            path.putSlash()
            path.put(prefix)
            path.put(stem)
            path.put(suffix)
            return path.count
        }
    }

    /// A path that is put together. A type, because a local function's variables are checked for overlapping access at
    /// each call.
    private struct Bytes {
        let start: UnsafeMutablePointer<UInt8>
        var count = 0

        mutating func put(_ part: String) {
            let end = start + count
            count += part.withoutCopy { bytes in
                if let source = bytes.baseAddress { end.initialize(from: source, count: bytes.count) }
                return bytes.count
            }
        }

        mutating func putSlash() {
            // The root directory ends with one already.
            guard count > 1 else { return }
            start[count] = UInt8(ascii: "/")
            count += 1
        }
    }

    private static var currentDirectory: String? {
        guard let pointer = getcwd(nil, 0) else { return nil }
        defer { free(pointer) }
        return String(validatingCString: pointer)
    }

    /// Whether no component is empty, `.` or `..` and no slash ends the path.
    private static func isNormalized(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var length = 1  // of the present component, counted so that the slash at the start opens one
        var onlyDots = true
        for byte in utf8.dropFirst() {
            if byte == UInt8(ascii: "/") {
                if length == 1 || (onlyDots && length <= 3) { return false }
                length = 1
                onlyDots = true
            } else {
                length += 1
                onlyDots = onlyDots && byte == UInt8(ascii: ".")
            }
        }
        return length > 1 && !(onlyDots && length <= 3)
    }
}

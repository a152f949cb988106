package import Glibc

/// Functions on paths as text.
///
/// Normalised paths have one spelling for each directory.
public enum Path {
    /// The absolute path without empty components, `.` components and trailing slashes.
    ///
    /// Nil if only the file system knows where the path leads (it contains `..`), or if it cannot be a path (empty,
    /// with NUL, 4,096 bytes or more).
    ///
    /// **Cost.** One pass over the bytes; no system call for an absolute path.
    public static func normalized(_ path: String) -> String? {
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
    public static func resolved(_ path: String) -> String? {
        // realpath() goes component by component, and would follow a path that the kernel refuses as a whole.
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

    /// Whether a resolved path is inside a resolved directory.
    package static func isInside(_ path: String, directory: String) -> Bool { part(of: path, in: directory) != nil }

    /// The part of a resolved path after a resolved directory: “b/c” for “/a/b/c” in “/a”; nil if the path is not inside.
    ///
    /// Compares bytes, as the kernel does. Texts that Swift considers equal, such as “é” as one character and as “e” with
    /// an accent, are different names.
    public static func part(of path: String, in directory: String) -> Substring? {
        guard path.utf8.count > directory.utf8.count, path.utf8.starts(with: directory.utf8) else { return nil }
        let slash = path.utf8.index(path.startIndex, offsetBy: directory == "/" ? 0 : directory.utf8.count)
        guard path.utf8[slash] == UInt8(ascii: "/") else { return nil }
        return path[path.utf8.index(after: slash)...]
    }

    /// The directory that contains an absolute path, found from the text alone.
    public static func parent(_ path: String) -> String {
        let slash = UInt8(ascii: "/")
        guard let last = path.utf8.lastIndex(where: { $0 != slash }),
            let end = path.utf8[..<last].lastIndex(of: slash), end > path.utf8.startIndex
        else { return "/" }
        return String(path[..<end])
    }

    /// The part after the last slash of a path.
    public static func lastComponent(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    /// An absolute path with `.`, `..` and doubled slashes removed, without asking the file system.
    package static func lexicallyNormalized(_ path: String) -> String {
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

    /// The last component without its extension.
    public static func stem(_ path: String) -> String {
        let last = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = last.lastIndex(of: "."), dot != last.startIndex else { return last }
        return String(last[..<dot])
    }

    /// Appends relative components to a resolved directory; an empty string appends nothing, and each `..` at the start
    /// goes up.
    public static func join(_ directory: String, _ relative: String) -> String {
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

    /// Whether every user may enter the directories above an absolute path, as far as their permissions show.
    ///
    /// **Cost.** One system call for each directory.
    package static func isReachableByOthers(_ path: String) -> Bool {
        let directory = parent(lexicallyNormalized(path))
        return sequence(first: resolved(directory) ?? directory) { $0 == "/" ? nil : parent($0) }.allSatisfy {
            FileIdentity(path: $0).map { $0.mode & 0o001 != 0 } ?? false
        }
    }

    /// The first directory on the way to an absolute path that this process may not enter, or nil.
    ///
    /// **Cost.** One system call for each directory; only for messages.
    package static func closedDirectory(above path: String) -> String? {
        guard path.hasPrefix("/") else { return nil }
        var directory = "/"
        for component in path.split(separator: "/").dropLast() {
            directory = join(directory, String(component))
            if faccessat(AT_FDCWD, directory, X_OK, AT_EACCESS) != 0 { return errno == EACCES ? directory : nil }
        }
        return nil
    }

    /// The user whom a symbolic link belongs to; nil if there is no link at the path.
    package static func linkOwner(_ path: String) -> uid_t? {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK ? status.st_uid : nil
    }

    /// The target of a symbolic link; nil if there is no link at the path.
    package static func linkTarget(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            let length = readlink(path, buffer.baseAddress!, Int(PATH_MAX))
            guard length >= 0 else { return nil }
            buffer[length] = 0
            return String(validatingCString: buffer.baseAddress!)
        }
    }

    /// The path of a file whose name has three parts.
    ///
    /// Uses one allocation, because each load calls it: appending the parts one by one costs three times as much.
    package static func join(
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

    /// A path under construction.
    ///
    /// Why it is a type: the variables of a local function are checked for overlapping access at each call.
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
            // The root directory already ends with one.
            guard count > 1 || count == 1 && start[0] != UInt8(ascii: "/") else { return }
            start[count] = UInt8(ascii: "/")
            count += 1
        }
    }

    /// The process's current directory; nil if it cannot be named.
    public static var currentDirectory: String? {
        guard let pointer = getcwd(nil, 0) else { return nil }
        defer { free(pointer) }
        return String(validatingCString: pointer)
    }

    /// Whether no component is empty, `.` or `..`, and the path does not end with a slash.
    private static func isNormalized(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var length = 1  // of the current component with the slash before it
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

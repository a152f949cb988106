import CPluginSupport.Shims
import Glibc
import HostBasics

/// Measures how much a directory contains.
enum DirectorySize {
    /// Every file and directory counts as at least this many bytes, which limits their number, too.
    static let least = 4_096
    /// Deeper directories count as too large, because no plug-in needs them.
    private static let mostDepth = 64

    /// Whether a directory and everything in it is larger than a limit; links to directories are not followed.
    ///
    /// **Cost.** One system call for each file, until the limit is exceeded.
    static func exceeds(_ limit: Int, path: String) -> Bool {
        guard let directory = try? OpenedDirectory(path: path) else { return false }
        var left = limit
        return !subtract(directory, from: &left, depth: 0)
    }

    /// - Returns: whether anything is left.
    private static func subtract(_ directory: borrowing OpenedDirectory, from left: inout Int, depth: Int) -> Bool {
        guard depth < mostDepth else { return false }
        for name in (try? directory.names) ?? [] {
            var found = phs_file_identity()
            guard phs_stat_at(directory.descriptor, name, &found) == 0 else { continue }
            left -= max(least, Int(clamping: found.size))
            if left < 0 { return false }
            guard found.mode & UInt32(PHS_KIND_OF_FILE) == UInt32(PHS_DIRECTORY),
                let inner = try? directory.directory(name)
            else { continue }
            if !subtract(inner, from: &left, depth: depth + 1) { return false }
        }
        return true
    }
}

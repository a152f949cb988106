import Glibc
import HostBasics

extension PluginBundle {
    /// Findings about other users who may change the files that a load would use.
    ///
    /// These are warnings, because the dynamic linker loads the files anyway, and only the administrator knows whom to
    /// trust.
    ///
    /// - `writableByOthers`: everybody may write to a file of the bundle or to a directory above it, unless the
    ///   directory is sticky like `/tmp`.
    /// - `foreignOwner`: the bundle, its Info.plist or its executable belongs to neither root nor the user of the
    ///   process. The owners of the directories above are not checked: where user numbers are mapped, as in containers,
    ///   the system's own directories may appear to belong to any user.
    ///
    /// Write permission for a group is not reported: many systems give each user a group.
    var permissionFindings: [PluginFinding] {
        // Code that is linked into the program arrives with the program, not with a load.
        let executable = isLinked ? nil : executablePath
        return Permissions.findings(of: [bundlePath, manifestPath] + [executable].compactMap(\.self))
    }
}

/// Which other users may change files.
enum Permissions {
    /// The findings about files and directories, and about the directories above them.
    static func findings(of paths: [String]) -> [PluginFinding] {
        var seen: Set<String> = []
        var findings: [PluginFinding] = []
        for path in paths.compactMap(Path.resolved) {
            if let identity = FileIdentity(path: path), seen.insert(path).inserted {
                findings += writable(path, identity) + foreign(path, identity)
            }
            for directory in directories(above: path) where seen.insert(directory).inserted {
                if let identity = FileIdentity(path: directory) { findings += writable(directory, identity) }
            }
        }
        return findings
    }

    /// All directories above, the nearest first.
    private static func directories(above path: String) -> some Sequence<String> {
        sequence(first: Path.parent(path)) { $0 == "/" ? nil : Path.parent($0) }
    }

    private static func writable(_ path: String, _ identity: FileIdentity) -> [PluginFinding] {
        let isSticky = identity.isDirectory && identity.mode & S_ISVTX != 0
        guard identity.mode & S_IWOTH != 0, !isSticky else { return [] }
        return [
            PluginFinding(
                .warning, .writableByOthers, filePath: path,
                message: "Every user of the system may change \(quoted(path)), and thus what the application loads.",
                remedy: "Remove that permission: chmod o-w.")
        ]
    }

    private static func foreign(_ path: String, _ identity: FileIdentity) -> [PluginFinding] {
        guard identity.owner != 0, identity.owner != geteuid() else { return [] }
        return [
            PluginFinding(
                .warning, .foreignOwner, filePath: path, subject: "\(identity.owner)",
                message: "The user \(identity.owner) owns \(quoted(path)) and may change what the application loads.",
                remedy: "Let root or the user of the application own it, unless you trust that user.")
        ]
    }
}

import Glibc

extension PluginBundle {
    /// Who else may change what a load of the bundle would bring in: warnings, because the dynamic linker would load it
    /// all the same, and only the administrator knows whom to trust.
    ///
    /// - A file of the bundle, or a directory above one, that everybody may write to, unless the directory is sticky as
    ///   `/tmp` is: `writableByOthers`.
    /// - The bundle, its Info.plist or its executable where it belongs to neither root nor the user of the process:
    ///   `foreignOwner`. Directories above are not asked for their owners: where user numbers are mapped, as in
    ///   containers, the system's own may seem to be anybody's.
    ///
    /// A group that may write is trusted: many systems give each user a group.
    var permissionFindings: [PluginFinding] {
        // What is linked into the program comes with it, and not by a load.
        let executable = isLinked ? nil : executablePath
        return Permissions.findings(of: [bundlePath, manifestPath] + [executable].compactMap(\.self))
    }
}

/// Who may change files beside their users.
enum Permissions {
    /// What is wrong with files and directories, and with the directories above them.
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

    /// The nearest one first.
    private static func directories(above path: String) -> some Sequence<String> {
        sequence(first: Path.parent(path)) { $0 == "/" ? nil : Path.parent($0) }
    }

    private static func writable(_ path: String, _ identity: FileIdentity) -> [PluginFinding] {
        let isSticky = identity.isDirectory && identity.mode & S_ISVTX != 0
        guard identity.mode & S_IWOTH != 0, !isSticky else { return [] }
        return [
            PluginFinding(
                .warning, .writableByOthers, filePath: path,
                message: "Every user of the system may change \(quoted(path)), and so what the application loads.",
                remedy: "Take the permission away: chmod o-w.")
        ]
    }

    private static func foreign(_ path: String, _ identity: FileIdentity) -> [PluginFinding] {
        guard identity.owner != 0, identity.owner != geteuid() else { return [] }
        return [
            PluginFinding(
                .warning, .foreignOwner, filePath: path, subject: "\(identity.owner)",
                message: "The user \(identity.owner) owns \(quoted(path)) and may change what the application loads.",
                remedy: "Let root or the user of the application own it, unless that user is to be trusted.")
        ]
    }
}

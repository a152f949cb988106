internal import CPackingSupport
import Glibc
@_spi(Tools) public import PluginHost

/// Puts bundles into a folder of plug-ins, takes them out, and goes back to the version before.
///
/// A bundle is unpacked beside its place, checked, and put in place in one step: whoever looks, and whatever ends the
/// process, there is the old bundle or the new one. The bundle that was replaced is kept in the hidden folder `.previous`,
/// one of each name.
///
/// **Threads.** A value. Two processes that change one folder take turns.
public struct PluginInstaller: Sendable {
    /// The folder of plug-ins.
    public let folder: String
    /// The application's executable, whose libraries count as present; nil where it is not known.
    public var program: String?

    /// An installer for a folder, which need not exist.
    public init(folder: String) { self.folder = folder }

    /// What was done.
    public struct Result: Sendable {
        /// The bundle that is in place now; nil where there is none any more.
        public var path: String?
        /// `CFBundleIdentifier`, or the bundle's name.
        public var identifier: String
        /// The version that is in place now.
        public var version: String?
        /// The version that was in place before; nil where there was none.
        public var replaced: String?
        /// What the checker found in a bundle that was to be installed.
        public var findings: [PluginFinding] = []
        /// Whether it was done.
        public var isDone = true
    }

    /// Where the bundle that was replaced is kept.
    private static let previousName = ".previous"
    /// How long another process may have the folder.
    private static let longestWait = Duration.seconds(30)

    // MARK: Installing

    /// Installs an archive that was packed by ``BundlePacker``, or a copy of a bundle's directory.
    ///
    /// - Parameter file: the archive or directory.
    /// - Returns: what was done; nothing where the checker found an error.
    /// - Throws: ``PackingError``; then nothing was changed.
    public func install(_ file: String) throws(PackingError) -> Result {
        try FileTree.makeDirectory(folder)
        return try locked { (folder) throws(PackingError) in try install(file, in: folder) }
    }

    private func install(_ file: String, in folder: String) throws(PackingError) -> Result {
        let staging = try StagingDirectory(in: folder)
        let (name, tree) = try unpacked(file, in: staging.path)
        let staged = Path.join(staging.path, name)
        let target = Path.join(folder, name)
        let bundle = try Self.opened(staged)
        var result = Result(path: target, identifier: Self.identifier(of: bundle, name), version: bundle.shownVersion)
        result.findings = bundle.findings(forHost: program, from: staged, as: target)
        guard !result.findings.contains(where: { $0.severity == .error }) else {
            result.isDone = false
            return result
        }
        result.replaced = try replacedVersion(by: result.identifier, name, in: folder)
        try tree.setTimes(in: staged)
        try Self.flush(folder)
        if try !staging.publishIfFree(name, at: target) {
            try replace(target, by: staged, in: folder, staging.path)
        }
        try Self.flush(folder)
        return result
    }

    private func unpacked(_ file: String, in staging: String) throws(PackingError) -> (name: String, tree: FileTree) {
        guard let source = Path.resolved(file), FileIdentity(path: source)?.isDirectory ?? false else {
            return try ArchiveReader.unpack(file, into: staging)
        }
        let name = Path.lastComponent(source)
        guard name.hasSuffix(".bundle") else {
            throw PackingError(
                .archiveInvalid, path: file, message: "\(quoted(file)) is neither an archive nor named as a bundle.",
                remedy: "Name a file that “pluginhost pack --archive” made, or a directory NAME.bundle.")
        }
        var tree = FileTree(root: source)
        _ = try tree.add(contentsOf: source)
        try tree.check()
        let staged = Path.join(staging, name)
        guard mkdir(staged, 0o700) == 0 else { throw .refused(.unwritable, staged, cannot: "be made", errno: errno) }
        try tree.write(to: staged)
        return (name, tree)
    }

    /// The old bundle goes to where one can go back to it. Before that, what is there is taken away: whenever the process ends,
    /// what is kept is the version before the one in place, or none.
    private func replace(
        _ target: String, by staged: String, in folder: String, _ staging: String
    ) throws(PackingError) {
        let previous = Path.join(folder, Self.previousName)
        try FileTree.makeDirectory(previous)
        let kept = Path.join(previous, Path.lastComponent(target))
        let number = packing_rename_to_free(kept, Path.join(staging, "older"))
        guard number == 0 || number == ENOENT else {
            throw .refused(.unwritable, kept, cannot: "be removed", errno: number)
        }
        try StagingDirectory.exchange(staged, target)
        let move = packing_rename_to_free(staged, kept)
        guard move == 0 else { throw .refused(.unwritable, kept, cannot: "be kept", errno: move) }
    }

    /// The version of the bundle in place.
    ///
    /// - Throws: ``PackingError`` if that is another plug-in, or the plug-in stands under another name.
    private func replacedVersion(
        by identifier: String, _ name: String, in folder: String
    ) throws(PackingError) -> String? {
        var replaced: String?
        for (path, known, version) in Self.bundles(in: folder) {
            let isSameName = Path.lastComponent(path) == name
            if isSameName == (known == identifier) {
                if isSameName { replaced = version ?? "" }
                continue
            }
            throw PackingError(
                .nameInvalid, path: path,
                message: isSameName
                    ? "\(quoted(path)) is another plug-in, \(quoted(known)), and is not replaced by \(quoted(identifier))."
                    : "\(quoted(identifier)) is installed already, under another name: \(quoted(path)).",
                remedy: "Uninstall \(quoted(known)) first.")
        }
        return replaced
    }

    // MARK: Taking away, and going back

    /// Removes a plug-in, and the version of it that was kept.
    ///
    /// - Parameter plugin: its identifier, or its bundle's name.
    /// - Returns: what was done.
    /// - Throws: ``PackingError``, of code `notInstalled` where it is not in the folder.
    public func uninstall(_ plugin: String) throws(PackingError) -> Result {
        try locked { (folder) throws(PackingError) in
            let found = try find(plugin, in: folder)
            let staging = try StagingDirectory(in: folder)
            let number = packing_rename_to_free(found.path, Path.join(staging.path, "removed"))
            guard number == 0 else { throw .refused(.unwritable, found.path, cannot: "be removed", errno: number) }
            let kept = Path.join(folder, Self.previousName + "/" + Path.lastComponent(found.path))
            _ = packing_rename_to_free(kept, Path.join(staging.path, "older"))
            return Result(path: nil, identifier: found.identifier, version: nil, replaced: found.version ?? "")
        }
    }

    /// Puts the version before in place of a plug-in; a second time brings the later one back.
    ///
    /// - Parameter plugin: its identifier, or its bundle's name.
    /// - Returns: what was done.
    /// - Throws: ``PackingError``, of code `notInstalled` where the plug-in or a version before is not there.
    public func rollBack(_ plugin: String) throws(PackingError) -> Result {
        try locked { (folder) throws(PackingError) in
            let found = try find(plugin, in: folder)
            let kept = Path.join(folder, Self.previousName + "/" + Path.lastComponent(found.path))
            guard FileIdentity(path: kept)?.isDirectory ?? false else {
                throw PackingError(
                    .notInstalled, path: kept, message: "No version before is kept of \(quoted(found.identifier)).",
                    remedy: "Install the version that you want from its archive.")
            }
            let bundle = try Self.opened(kept)
            var result = Result(
                path: found.path, identifier: found.identifier, version: bundle.shownVersion,
                replaced: found.version ?? "")
            result.findings = bundle.findings(forHost: program, from: kept, as: found.path)
            guard !result.findings.contains(where: { $0.severity == .error }) else {
                result.isDone = false
                return result
            }
            try StagingDirectory.exchange(kept, found.path)
            return result
        }
    }

    // MARK: The folder

    private typealias Found = (path: String, identifier: String, version: String?)

    private func find(_ plugin: String, in folder: String) throws(PackingError) -> Found {
        let found = Self.bundles(in: folder).first {
            $0.identifier == plugin || Path.lastComponent($0.path) == plugin || Path.stem($0.path) == plugin
        }
        guard let found else {
            throw PackingError(
                .notInstalled, path: folder, message: "\(quoted(plugin)) is not installed in \(quoted(folder)).",
                remedy: "“pluginhost list \(folder)” shows what is; --in names another folder.")
        }
        return found
    }

    private static func bundles(in folder: String) -> [Found] {
        PluginCatalog(searchPaths: [folder], options: .init(index: .none)).candidates.map {
            ($0.path, $0.identifier, $0.version)
        }
    }

    private static func identifier(of bundle: PluginBundle, _ name: String) -> String {
        bundle.bundleIdentifier ?? Path.stem(name)
    }

    private static func opened(_ path: String) throws(PackingError) -> PluginBundle {
        do {
            return try PluginBundle.open(path: path)
        } catch {
            throw PackingError(
                .archiveInvalid, path: path, message: "It cannot be opened as a bundle: \(error)",
                remedy: "Pack it again.")
        }
    }

    /// Calls body with the folder, its links resolved, while no other installer changes it. The lock is one that the kernel
    /// holds on the directory, so that none is left behind.
    private func locked(_ body: (String) throws(PackingError) -> Result) throws(PackingError) -> Result {
        guard let folder = Path.resolved(folder) else {
            throw .refused(.notInstalled, folder, cannot: "be looked through", errno: errno)
        }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .refused(.unwritable, folder, cannot: "be opened", errno: errno) }
        defer { close(descriptor) }
        let end = ContinuousClock.now + Self.longestWait
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard ContinuousClock.now < end else {
                throw PackingError(
                    .unwritable, path: folder, message: "Another program is changing \(quoted(folder)).",
                    remedy: "Try again when it has ended.")
            }
            usleep(20_000)
        }
        return try body(folder)
    }

    /// What was written is on the disk before the bundle is in its place.
    private static func flush(_ folder: String) throws(PackingError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        let number = descriptor < 0 ? errno : packing_flush(descriptor)
        guard number == 0 else { throw .refused(.unwritable, folder, cannot: "be written", errno: number) }
    }
}

extension PluginBundle {
    /// The version that people speak of.
    var shownVersion: String? { manifest.shortVersion ?? manifest.version }

    /// What the checker says about a bundle that is not in its place yet. Libraries that the application brings are not
    /// missing where nobody knows the application.
    func findings(forHost program: String?, from staged: String, as target: String) -> [PluginFinding] {
        findings(loadedBy: program).map { finding in
            var finding = finding.moved(from: staged, to: target)
            if program == nil, finding.isAboutSurroundings {
                finding.severity = .warning
                finding.remedy = "Name the application's executable by --host, so that this can be checked."
            }
            return finding
        }
    }
}

internal import CPackingSupport
import Glibc
public import HostBasics
@_spi(Tools) internal import PluginHost

/// Installs bundles in a folder of plug-ins, removes them, and restores the previous version.
///
/// A bundle is unpacked beside its destination, checked, and moved there in one step. So the destination always has
/// either the complete old bundle or the complete new one, even if the process ends in between. The hidden folder
/// `.previous` keeps the replaced bundle, one for each name.
///
/// **Threads.** A value that may be used on any thread. Processes that change the same folder wait for each other.
public struct PluginInstaller: Sendable {
    /// The folder of plug-ins.
    public let folder: String
    /// The application's executable, whose libraries are not reported as missing; nil if it is not known.
    public var program: String?

    /// Creates an installer for a folder, which may not exist yet.
    public init(folder: String) { self.folder = folder }

    /// The result of an operation.
    public struct Result: Sendable {
        /// The bundle that is installed now; nil if there is none.
        public var path: String?
        /// The bundle's `CFBundleIdentifier`, or its name if it has none.
        public var identifier: String
        /// The version that is installed now.
        public var version: String?
        /// The version that was installed before; nil if there was none.
        public var replaced: String?
        /// The findings of the checks on the bundle to install.
        public var findings: [PluginFinding] = []
        /// Whether the operation was carried out.
        public var isDone = true
    }

    /// The folder for replaced bundles.
    private static let previousName = ".previous"
    /// How long to wait for another process that is changing the folder.
    private static let longestWait = Duration.seconds(30)

    // MARK: Installing

    /// Installs an archive from ``BundlePacker``, a ZIP archive, a tar archive compressed with gzip, or a copy of a
    /// bundle's directory.
    ///
    /// - Parameter file: the archive or directory.
    /// - Returns: the result. If the checks found an error, nothing was installed.
    /// - Throws: ``PackingError`` if it failed; then nothing was changed.
    public func install(_ file: String) throws(PackingError) -> Result {
        let made = try FileTree.makeDirectory(folder)
        var isDone = false
        // A failed installation leaves nothing behind.
        defer { if !isDone { FileTree.removeEmpty(made) } }
        let result = try locked { (folder) throws(PackingError) in try install(file, in: folder) }
        isDone = result.isDone
        return result
    }

    private func install(_ file: String, in folder: String) throws(PackingError) -> Result {
        let staging = try StagingDirectory(in: folder)
        let (name, tree) = try unpacked(file, in: staging.path)
        // No catalogue would find the bundle, and the installer's own directories have such names.
        guard !name.hasPrefix(".") else {
            throw PackingError(
                .unsafeFile, path: file, message: "\(quoted(name)) cannot be a bundle's name: it begins with a dot.",
                remedy: "Give the bundle another name, and pack it again.")
        }
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
            try replace(target, by: staged, in: folder, staging)
        }
        // The bundle is installed, and its content is on the disk. If this fails, the kernel writes the bundle's name
        // later.
        try? Self.flush(folder)
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
                remedy:
                    "Name a file that “pluginhost pack --archive” made, a .tar.gz or .zip file, or a directory NAME.bundle."
            )
        }
        var tree = FileTree(root: source)
        _ = try tree.add(contentsOf: source)
        try tree.check()
        let staged = Path.join(staging, name)
        guard mkdir(staged, 0o700) == 0 else {
            throw .refused(.unwritable, staged, cannot: "be made", to: .make, errno: errno)
        }
        try tree.write(to: staged)
        return (name, tree)
    }

    /// Exchanges the bundles, and keeps the old one.
    ///
    /// The previously kept version is removed first. So if the process ends at any moment, the kept version is either
    /// the one before the installed version, or missing.
    private func replace(
        _ target: String, by staged: String, in folder: String, _ staging: borrowing StagingDirectory
    ) throws(PackingError) {
        let kept = Path.join(try Self.previous(in: folder, isMade: true), Path.lastComponent(target))
        let older = Path.join(staging.path, "older")
        let number = try staging.move(kept, to: older)
        guard number == 0 || number == ENOENT else {
            throw .refused(.unwritable, kept, cannot: "be removed", to: .rename, errno: number)
        }
        do throws(PackingError) {
            try staging.exchange(staged, target)
            let move = packing_rename_to_free(staged, kept)
            guard move != 0 else { return }
            // Undo the exchange: an error means that nothing was changed.
            try staging.exchange(staged, target)
            throw .refused(.unwritable, kept, cannot: "be kept", to: .rename, errno: move)
        } catch {
            _ = packing_rename_to_free(older, kept)
            throw error
        }
    }

    /// The folder for replaced bundles.
    ///
    /// - Throws: ``PackingError`` if something else has its name, such as a link, which is not followed.
    private static func previous(in folder: String, isMade: Bool) throws(PackingError) -> String {
        let path = Path.join(folder, previousName)
        var status = stat()
        if lstat(path, &status) != 0 {
            let number = errno
            guard number == ENOENT else {
                throw .refused(.unreadable, path, cannot: "be examined", to: .read, errno: number)
            }
            if isMade { try FileTree.makeDirectory(path) }
            return path
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw PackingError(
                .unsafeFile, path: path,
                message: "\(quoted(path)), the folder for replaced bundles, is not a directory of \(quoted(folder)).",
                remedy: "Remove it: links are not followed.")
        }
        return path
    }

    /// The version of the installed bundle.
    ///
    /// - Throws: ``PackingError`` if that bundle is another plug-in, or if the plug-in is installed under another name.
    private func replacedVersion(
        by identifier: String, _ name: String, in folder: String
    ) throws(PackingError) -> String? {
        var replaced: String?
        for candidate in try Self.candidates(in: folder) {
            let (path, known) = (candidate.path, candidate.identifier)
            let isSameName = Path.lastComponent(path) == name
            if isSameName == (known == identifier) {
                if isSameName { replaced = candidate.version ?? "" }
                continue
            }
            if let fault = candidate.unreadable {
                // Elsewhere, an unreadable bundle only has that name, and nothing shows which plug-in it is.
                if !isSameName { continue }
                throw fault
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

    // MARK: Removing and restoring

    /// Removes a plug-in and its kept previous version.
    ///
    /// - Parameter plugin: its identifier, or its bundle's name.
    /// - Returns: the result.
    /// - Throws: ``PackingError``; the code is `notInstalled` if the plug-in is not in the folder.
    public func uninstall(_ plugin: String) throws(PackingError) -> Result {
        try locked { (folder) throws(PackingError) in
            // Make this first, because it finishes the work of a killed process.
            let staging = try StagingDirectory(in: folder)
            let found = try find(plugin, in: folder)
            let kept = Path.join(
                try Self.previous(in: folder, isMade: false), Path.lastComponent(found.path))
            let number = try staging.move(found.path, to: Path.join(staging.path, "removed"))
            guard number == 0 else {
                throw .refused(.unwritable, found.path, cannot: "be removed", to: .remove, errno: number)
            }
            _ = try? staging.move(kept, to: Path.join(staging.path, "older"))
            return Result(path: nil, identifier: found.identifier, version: nil, replaced: found.version ?? "")
        }
    }

    /// Exchanges a plug-in with its previous version.
    ///
    /// A second call restores the later version.
    ///
    /// - Parameter plugin: its identifier, or its bundle's name.
    /// - Returns: the result.
    /// - Throws: ``PackingError``; the code is `notInstalled` if the plug-in or its previous version is not there.
    public func rollBack(_ plugin: String) throws(PackingError) -> Result {
        try locked { (folder) throws(PackingError) in
            // Make this first, because it finishes the work of a killed process.
            let staging = try StagingDirectory(in: folder)
            let found = try find(plugin, in: folder)
            let kept = Path.join(
                try Self.previous(in: folder, isMade: false), Path.lastComponent(found.path))
            var status = stat()
            let number = lstat(kept, &status) == 0 ? 0 : errno
            guard number == 0 || number == ENOENT else {
                throw .refused(.unreadable, kept, cannot: "be examined", to: .read, errno: number)
            }
            guard number == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw PackingError(
                    .notInstalled, path: kept, message: "No earlier version of \(quoted(found.identifier)) is kept.",
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
            try staging.exchange(kept, found.path)
            return result
        }
    }

    // MARK: The folder

    private func find(_ plugin: String, in folder: String) throws(PackingError) -> PluginCandidate {
        let candidates = try Self.candidates(in: folder)
        // If a bundle's Info.plist cannot be read, its identifier is its name. It must not be found instead of the real
        // plug-in.
        let found =
            candidates.first { $0.identifier == plugin && $0.unreadable == nil }
            ?? candidates.first { Path.lastComponent($0.path) == plugin || Path.stem($0.path) == plugin }
            ?? candidates.first { $0.identifier == plugin }
        guard let found else {
            // This may be the plug-in, but only its name suggests so.
            let unreadable = candidates.first { $0.unreadable != nil }
            let exception =
                unreadable.map { ", unless it is \(quoted($0.path)), whose Info.plist cannot be read" } ?? ""
            throw PackingError(
                .notInstalled, path: folder,
                message: "\(quoted(plugin)) is not installed in \(quoted(folder))\(exception).",
                remedy: "“pluginhost list --all \(folder)” shows what is; --in names another folder.")
        }
        return found
    }

    private static func candidates(in folder: String) throws(PackingError) -> [PluginCandidate] {
        let catalog = PluginCatalog(searchPaths: [folder], options: .init(index: .none))
        if let finding = catalog.folders.lazy.compactMap(\.finding).first {
            throw PackingError(.unreadable, path: folder, finding)
        }
        return catalog.candidates
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

    /// Calls `body` with the resolved path of the folder while no other installer changes the folder.
    ///
    /// The kernel holds the lock on the directory, so a process that ends leaves no lock behind.
    private func locked(_ body: (String) throws(PackingError) -> Result) throws(PackingError) -> Result {
        guard let folder = Path.resolved(folder) else {
            throw .refused(.notInstalled, folder, cannot: "be looked through", errno: errno)
        }
        let descriptor = openFile(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .refused(.unwritable, folder, cannot: "be opened", to: .read, errno: errno)
        }
        defer { close(descriptor) }
        let end = ContinuousClock.now + Self.longestWait
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .refused(.unwritable, folder, cannot: "be locked", errno: errno)
            }
            guard ContinuousClock.now < end else {
                throw PackingError(
                    .unwritable, path: folder, message: "Another program is changing \(quoted(folder)).",
                    remedy: "Try again when it has ended.")
            }
            usleep(20_000)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw .refused(.unreadable, folder, cannot: "be examined", to: .read, errno: errno)
        }
        guard status.st_nlink > 0 else {
            throw PackingError(
                .unwritable, path: folder, message: "Another program has removed \(quoted(folder)) meanwhile.",
                remedy: "Try again.")
        }
        return try body(folder)
    }

    /// Writes the new files to the disk, before the bundle is moved to its destination.
    private static func flush(_ folder: String) throws(PackingError) {
        let descriptor = openFile(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        let number = descriptor < 0 ? errno : packing_flush(descriptor)
        guard number == 0 else { throw .refused(.unwritable, folder, cannot: "be written", errno: number) }
    }
}

extension PluginCandidate {
    /// The error if the bundle's Info.plist cannot be read, so that its identifier is unknown.
    fileprivate var unreadable: PackingError? {
        findings.first { $0.code == .manifestUnreadable }.map {
            PackingError(.unreadable, path: path, $0)
        }
    }
}

extension PluginBundle {
    /// The version that users see.
    var shownVersion: String? { manifest.shortVersion ?? manifest.version }

    /// The findings about a bundle that is not at its destination yet.
    ///
    /// If the application is unknown, a missing library is only a warning, because the application may bring it.
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

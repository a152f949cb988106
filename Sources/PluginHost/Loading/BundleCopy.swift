import BundleReading
import Glibc
import HostBasics
import Synchronization

/// A private copy of a bundle from which a generation of its code is loaded.
///
/// Why a copy: for a file at a known path, or a link to a known file, the dynamic linker returns the library that is
/// already loaded; and writing over a mapped file crashes the process. The whole bundle is copied, so that old code
/// keeps the resources for which it was built.
struct BundleCopy: Sendable {
    /// The bundle that was copied, with links resolved.
    private let source: String
    /// The bundle whose resources the copy has: the one that was copied, unless a link to it leads elsewhere now.
    var original: String { CopiedPaths.original(of: path) ?? source }
    /// The path of the copy.
    ///
    /// Its last component is the same as the original's.
    let path: String
    /// Warnings about the files that were left out of the copy.
    let findings: [PluginFinding]

    private static let count = Atomic(0)

    /// Copies a bundle completely or not at all.
    ///
    /// - Parameters:
    ///   - original: its directory.
    ///   - edit: changes the copy before it is used, as in the other initialiser.
    /// - Throws: ``PluginError`` of code `copyFailed`, or `bundleNotFound`.
    init(of original: String, editing edit: Edit = { _, _ in true }) throws(PluginError) {
        let directory: PrivateDirectory
        do throws(PrivateDirectory.Failure) {
            directory = try PrivateDirectory.shared()
        } catch {
            throw error.asError(bundlePath: original)
        }
        try self.init(of: original, in: directory, editing: edit)
    }

    /// Changes a copy that no other code uses yet.
    ///
    /// It gets the directory and the paths of the code files in it, and returns false to give up the copy.
    typealias Edit = (String, Set<String>) throws(OpenedDirectory.Failure) -> Bool

    init(
        of original: String, in directory: PrivateDirectory, limits: TreeCopy.Limits = .init(),
        editing edit: Edit = { _, _ in true }
    ) throws(PluginError) {
        // Read again, because an object that was opened earlier has the old state.
        let contents = try BundleContents.read(original)
        let original = contents.path
        source = original
        guard !contents.layout.executableDirectories.contains(where: BundleLayout.isBeside) else {
            throw Self.error(
                original, "Its code is next to the bundle and not inside it, so it cannot be copied with the bundle.",
                remedy: "Restart the application to use new code of this bundle.")
        }
        let number = Self.count.add(1, ordering: .relaxed).newValue
        let place = Path.join(directory.path, "\(number)")
        // Until the copy is complete, it has another name that no other code uses.
        let draft = place + ".part"
        do throws(OpenedDirectory.Failure) {
            let code = contents.code
            findings = try Self.fill(draft, from: original, code: code, limits)
            let target = Path.join(draft, Self.name(original))
            guard try edit(target, code.files(in: target)) else {
                throw OpenedDirectory.Failure(path: target, errno: ECANCELED, operation: .write)
            }
        } catch {
            try? OpenedDirectory(path: directory.path).remove(OpenedDirectory.name("\(number).part"))
            throw Self.error(original, error)
        }
        guard rename(draft, place) == 0 else {
            throw Self.error(original, OpenedDirectory.Failure(path: place, errno: errno, operation: .rename))
        }
        path = Path.join(place, Self.name(original))
        CopiedPaths.insert(path, of: original)
    }

    /// Copies again until the code does not change during the copy.
    private static func fill(
        _ draft: String, from original: String, code: BundleCode, _ limits: TreeCopy.Limits
    ) throws(OpenedDirectory.Failure) -> [PluginFinding] {
        let target = Path.join(draft, name(original))
        let place = permissions(original) & 0o711
        guard mkdir(draft, place) == 0, mkdir(target, 0o700) == 0, chmod(draft, place) == 0 else {
            throw OpenedDirectory.Failure(path: draft, errno: errno, operation: .make)
        }
        var last = OpenedDirectory.Failure(path: original, errno: EAGAIN)
        // If the bundle still changes after this many attempts, its installation is not finished. That is reported, and
        // the copy is made again when the directory is quiet.
        for _ in 0..<4 {
            let before = try code.identity(in: original)
            let report: TreeCopy.Report
            do throws(OpenedDirectory.Failure) {
                report = try TreeCopy.run(
                    from: original, to: target, limits: limits, permissions: permissions(original))
            } catch {
                guard [ENOENT, ENOTDIR, ELOOP].contains(error.errno) else { throw error }
                last = error
                continue
            }
            if try code.identity(in: original) == before { return leftOut(report, original) }
        }
        throw last
    }

    /// The most that other users may do with a copy: read it, if the application runs as root and they may read the
    /// original.
    ///
    /// Why: its workers run as another user.
    private static func permissions(_ original: String) -> mode_t {
        geteuid() == 0 && Path.isReachableByOthers(original) ? 0o755 : TreeCopy.ownerOnly
    }

    private static func leftOut(_ report: TreeCopy.Report, _ original: String) -> [PluginFinding] {
        report.leftOut.map { name in
            let path = Path.join(original, name)
            let kind = FileIdentity(path: path)?.kind ?? "not a regular file"
            return PluginFinding(
                .warning, .copyIncomplete, filePath: path,
                message: "\(quoted(path)) is left out of the private copy of the bundle: it is \(kind).",
                remedy: "Keep FIFOs, sockets and devices out of bundles.")
        }
    }

    /// Removes the copy when it is no longer used.
    ///
    /// Mapped parts of it stay mapped.
    func remove() {
        CopiedPaths.remove(path)
        let place = Path.parent(path)
        guard let directory = try? OpenedDirectory(path: Path.parent(place)) else { return }
        try? directory.remove(OpenedDirectory.name(Path.lastComponent(place)))
    }

    private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "bundle" }

    /// Updates the resources of the copy from a bundle with the same code, which does not change.
    ///
    /// - Parameters:
    ///   - code: which files are code.
    ///   - bundle: where the bundle is now: a new place if a link on its path was replaced.
    /// - Returns: whether any resource was different.
    /// - Throws: ``PluginError`` of code `copyFailed`.
    func refreshResources(_ code: BundleCode, from bundle: String) throws(PluginError) -> Bool {
        do throws(OpenedDirectory.Failure) {
            let isChanged = try TreeCopy.run(
                from: bundle, to: path, permissions: Self.permissions(bundle), leaving: code.contains
            ).isChanged
            if bundle != original { CopiedPaths.insert(path, of: bundle) }
            return isChanged
        } catch {
            throw Self.error(bundle, error)
        }
    }

    /// The same error for the original bundle instead of the copy, whose path is unknown to the reader.
    func ofOriginal(_ error: PluginError) -> PluginError {
        // The findings already name the original: see CopiedPaths.
        PluginError(bundlePath: original, findings: error.findings)
    }

    // MARK: Errors

    private static func error(
        _ bundlePath: String, _ message: String, remedy: String, _ system: String? = nil, refusal: CInt? = nil
    ) -> PluginError {
        var finding = PluginFinding(
            .copyFailed, filePath: bundlePath, message: message, remedy: remedy, systemMessage: system)
        finding.refusal = refusal
        return PluginError(bundlePath: bundlePath, finding)
    }

    /// Why a bundle could not be copied, or compared with its copy.
    static func error(_ bundlePath: String, _ failure: OpenedDirectory.Failure) -> PluginError {
        let system = describe(errno: failure.errno)
        switch failure.errno {
        // Only for reading: an installation does not remove a directory of the copy.
        case EAGAIN,
            ENOENT where failure.operation == .read, ENOTDIR where failure.operation == .read,
            ELOOP where failure.operation == .read:
            return error(
                bundlePath, "The bundle is being changed while its private copy is made, at \(quoted(failure.path)).",
                remedy: "It is loaded as soon as its installation is complete.", system, refusal: failure.errno)
        case EFBIG:
            return error(
                bundlePath,
                "The bundle is too large for a private copy: the limit was reached at \(quoted(failure.path)).",
                remedy: """
                    Look for a file in the bundle that does not belong there. A copy has at most \
                    \(TreeCopy.Limits().entries) files and directories, \(TreeCopy.Limits().bytes >> 20) MiB and \
                    \(TreeCopy.Limits().levels) levels.
                    """)
        case ENOSPC, EDQUOT:
            return error(
                bundlePath, "There is no space for a private copy of the bundle, at \(quoted(failure.path)).",
                remedy: ErrorNumber.remedy(failure.errno, to: failure.operation)
                    + " Or set PLUGINHOST_COPIES to a directory on another file system.", system,
                refusal: failure.errno)
        default:
            return error(
                bundlePath, "The private copy of the bundle cannot be made, because of \(quoted(failure.path)).",
                remedy: ErrorNumber.remedy(failure.errno, to: failure.operation), system, refusal: failure.errno)
        }
    }
}

extension BundleContents {
    /// Which files of the bundle are its code.
    fileprivate var code: BundleCode {
        BundleCode(layout: layout, executable: executableName)
    }
}

extension PrivateDirectory.Failure {
    func asError(bundlePath: String) -> PluginError {
        let places = refusals.map { "\(quoted($0.place)) \($0.reason)" }
        var finding = PluginFinding(
            .copyFailed, filePath: refusals.first?.place,
            message: "There is no directory for private copies of plug-ins: \(places.joined(separator: "; ")).",
            remedy: (refusals.first?.remedy.map { $0 + " Or set" } ?? "Set")
                + """
                 the environment variable PLUGINHOST_COPIES to a directory of your own, with permissions 0700, on a file \
                system that is not mounted noexec.
                """)
        // The next use of the plug-in tries each place again.
        finding.refusal = EACCES
        return PluginError(bundlePath: bundlePath, finding)
    }
}

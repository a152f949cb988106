import Glibc
import Synchronization

/// A private copy of a bundle, that a generation of its code is loaded from.
///
/// Why a copy: the dynamic linker takes a file at a known path, or a link to a known file, for the one that it has; and
/// a file that is mapped and then written over ends the process. The whole bundle is copied, so that old code keeps the
/// resources that it was built for.
struct BundleCopy: Sendable {
    /// The bundle that was copied, links resolved.
    let original: String
    /// The copy; its last component is the original's.
    let path: String
    /// What was left out of it.
    let findings: [PluginFinding]

    private static let count = Atomic(0)

    /// Copies a bundle, completely or not at all.
    ///
    /// - Parameter original: its directory.
    /// - Throws: ``PluginError`` of code `copyFailed`, or `bundleNotFound`.
    init(of original: String) throws(PluginError) {
        let directory: PrivateDirectory
        do throws(PrivateDirectory.Failure) {
            directory = try PrivateDirectory.shared()
        } catch {
            throw error.asError(bundlePath: original)
        }
        try self.init(of: original, in: directory)
    }

    init(
        of original: String, in directory: PrivateDirectory, limits: TreeCopy.Limits = .init()
    ) throws(PluginError) {
        // Read anew: an object that was opened before knows how it was then.
        let contents = try BundleOpening.contents(path: original)
        let original = contents.path
        self.original = original
        guard !contents.layout.executableDirectories.contains(where: BundleLayout.isBeside) else {
            throw Self.error(
                original, "Its code stands beside the bundle, and not inside of it, so it cannot be copied with it.",
                remedy: "Restart the application to use new code of this bundle.")
        }
        let number = Self.count.add(1, ordering: .relaxed).newValue
        let place = Path.join(directory.path, "\(number)")
        // Until it is complete it bears another name, which nobody is told.
        let draft = place + ".part"
        do throws(OpenedDirectory.Failure) {
            findings = try Self.fill(draft, from: original, code: contents.code, limits)
        } catch {
            try? OpenedDirectory(path: directory.path).remove(OpenedDirectory.name("\(number).part"))
            throw Self.error(original, error)
        }
        guard rename(draft, place) == 0 else {
            throw Self.error(original, OpenedDirectory.Failure(path: place, errno: errno))
        }
        path = Path.join(place, Self.name(original))
        CopiedPaths.insert(path, of: original)
    }

    /// Copies until nothing of the code was changed meanwhile.
    private static func fill(
        _ draft: String, from original: String, code: BundleCode, _ limits: TreeCopy.Limits
    ) throws(OpenedDirectory.Failure) -> [PluginFinding] {
        let target = Path.join(draft, name(original))
        guard mkdir(draft, 0o700) == 0, mkdir(target, 0o700) == 0 else {
            throw OpenedDirectory.Failure(path: draft, errno: errno)
        }
        var last = OpenedDirectory.Failure(path: original, errno: EAGAIN)
        // Whoever replaces a bundle that often has not done when the copy is made; then it is told, and made again when
        // the directory is quiet.
        for _ in 0..<4 {
            let before = try code.identity(in: original)
            let report: TreeCopy.Report
            do throws(OpenedDirectory.Failure) {
                report = try TreeCopy.run(from: original, to: target, limits: limits)
            } catch {
                guard [ENOENT, ENOTDIR, ELOOP].contains(error.errno) else { throw error }
                last = error
                continue
            }
            if try code.identity(in: original) == before { return leftOut(report, original) }
        }
        throw last
    }

    private static func leftOut(_ report: TreeCopy.Report, _ original: String) -> [PluginFinding] {
        report.leftOut.map { name in
            let path = Path.join(original, name)
            let kind = FileIdentity(path: path)?.kind ?? "no regular file"
            return PluginFinding(
                .warning, .copyIncomplete, filePath: path,
                message: "\(quoted(path)) is left out of the private copy of the bundle: it is \(kind).",
                remedy: "Keep FIFOs, sockets and devices out of bundles.")
        }
    }

    /// Removes the copy. For when nobody uses it any more; what is mapped of it stays mapped.
    func remove() {
        CopiedPaths.remove(path)
        let place = Path.parent(path)
        guard let directory = try? OpenedDirectory(path: Path.parent(place)) else { return }
        try? directory.remove(OpenedDirectory.name(String(place.dropFirst(directory.path.utf8.count + 1))))
    }

    private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "bundle" }

    /// Gives the copy the resources that the original has now; its code stays.
    ///
    /// - Returns: whether any was different.
    func refreshResources(_ code: BundleCode) throws(PluginError) -> Bool {
        do throws(OpenedDirectory.Failure) {
            return try TreeCopy.run(from: original, to: path, leaving: code.contains).isChanged
        } catch {
            throw Self.error(original, error)
        }
    }

    /// An error that speaks of the original and not of the copy, which its reader has never seen.
    func told(_ error: PluginError) -> PluginError {
        // The findings name the original already: see CopiedPaths.
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
        case EAGAIN, ENOENT, ENOTDIR, ELOOP:
            return error(
                bundlePath, "The bundle is being changed while its private copy is made, at \(quoted(failure.path)).",
                remedy: "It is loaded when its installation has ended.", system, refusal: failure.errno)
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
                remedy: "Free some space, or name another directory by PLUGINHOST_COPIES.", system,
                refusal: failure.errno)
        default:
            return error(
                bundlePath, "The private copy of the bundle cannot be made, because of \(quoted(failure.path)).",
                remedy: ErrorNumber.remedy(failure.errno), system, refusal: failure.errno)
        }
    }
}

extension BundleContents {
    /// Which files of the bundle are its code.
    fileprivate var code: BundleCode {
        let name = manifest.executable ?? Path.stem(path)
        return BundleCode(layout: layout, executable: name)
    }
}

extension PrivateDirectory.Failure {
    func asError(bundlePath: String) -> PluginError {
        let places = refusals.map { "\(quoted($0.place)) \($0.reason)" }
        var finding = PluginFinding(
            .copyFailed, filePath: refusals.first?.place,
            message: "There is no directory for private copies of plug-ins: \(places.joined(separator: "; ")).",
            remedy: """
                Name a directory of your own, with permissions 0700 and not mounted noexec, by the environment \
                variable PLUGINHOST_COPIES.
                """)
        // The next use of the plug-in looks at each place again.
        finding.refusal = EACCES
        return PluginError(bundlePath: bundlePath, finding)
    }
}

import BundleReading
import CPluginSupport.Shims
import ELFImages
import Glibc
import HostBasics
import Synchronization

/// The values that are read when a bundle is opened.
///
/// Not copyable: each copy would retain some twenty references.
struct BundleContents: ~Copyable, Sendable {
    let path: String
    let layout: BundleLayout
    /// Where Info.plist was found, or would be expected.
    let manifestPath: String
    /// The file that was read; nil if none could be opened.
    let manifestIdentity: FileIdentity?
    /// Empty if there is none.
    let manifest: Manifest
    /// Why there is no manifest.
    let finding: PluginFinding?
    /// Whether the system refused to let us read the bundle: the next attempt may succeed.
    var isProvisional: Bool { finding?.isProvisional ?? false }

    /// The contents of a bundle whose Info.plist was found.
    init(path: String, layout: BundleLayout, manifestPath: String, list: borrowing OpenedFile) {
        self.path = path
        self.layout = layout
        self.manifestPath = manifestPath
        manifestIdentity = list.identity
        do throws(PluginFinding) {
            manifest = try ManifestReader.read(list, path: manifestPath)
            finding = nil
        } catch {
            manifest = .empty
            finding = error
        }
    }

    /// The contents of a bundle whose Info.plist values come from another process.
    init(path: String, layout: BundleLayout, manifestPath: String, manifest: Manifest) {
        self.path = path
        self.layout = layout
        self.manifestPath = manifestPath
        manifestIdentity = nil
        self.manifest = manifest
        finding = nil
    }

    /// The contents of a bundle without an Info.plist that can be opened.
    init(path: String, layout: BundleLayout, manifestPath: String, finding: PluginFinding) {
        self.path = path
        self.layout = layout
        self.manifestPath = manifestPath
        manifestIdentity = nil
        manifest = .empty
        self.finding = finding
    }
}

/// Finds bundles: by path, by identifier, by class, and the main bundle.
enum BundleOpening {
    static func bundle(path: String) throws(PluginError) -> PluginBundle {
        let normalized = Path.normalized(path)
        if let normalized {
            if let existing = existing(normalized) { return existing }
            if let contents = usualContents(normalized) {
                return BundleTable.shared.insert(PluginBundle(contents: contents))
            }
        }
        let resolved = try resolved(normalized ?? path, askedFor: path)
        if let existing = existing(resolved) { return existing }
        return BundleTable.shared.insert(PluginBundle(contents: try contents(resolved, askedFor: path)))
    }

    /// Opens a bundle that is a private copy of another.
    static func bundle(path: String, copyOf original: String) throws(PluginError) -> PluginBundle {
        BundleTable.shared.insert(PluginBundle(contents: try contents(path: path), copyOf: original))
    }

    /// Reads the current contents of the bundle at a directory, without creating its object.
    ///
    /// The base is an open directory on the path.
    static func contents(path: String, from base: PathBase = .none) throws(PluginError) -> BundleContents {
        let normalized = Path.normalized(path)
        if let normalized, let contents = usualContents(normalized, from: normalized == path ? base : .none) {
            return contents
        }
        return try contents(try resolved(normalized ?? path, askedFor: path), askedFor: path)
    }

    private static func resolved(_ path: String, askedFor: String) throws(PluginError) -> String {
        if let resolved = Path.resolved(path) { return resolved }
        throw notFound(askedFor, errno: errno)
    }

    /// The bundle object of a directory, if the directory still exists.
    private static func existing(_ path: String) -> PluginBundle? {
        guard let bundle = BundleTable.shared.bundle(atPath: path), !bundle.isProvisional,
            FileIdentity(path: path)?.isDirectory ?? false
        else { return nil }
        return bundle
    }

    /// The contents of a bundle with the usual layout and no links; nil for any other bundle.
    ///
    /// This is the case if `Contents/Info.plist` can be opened and the path contains no link, as for nearly every
    /// bundle. The path is then the only spelling of the directory. One more check is needed: whether a list for this
    /// platform replaces that Info.plist.
    private static func usualContents(_ path: String, from base: PathBase = .none) -> BundleContents? {
        // These have other places for Info.plist, before the usual one or in addition to it.
        if path.hasSuffix(".framework") || path.hasSuffix(".resources") { return nil }
        let list = Path.join(path, "Contents", file: "Info", ".plist", "")
        guard let file = try? OpenedFile(path: list, from: base), !file.passedLinks,
            !hasListForPlatform(beside: list, from: base)
        else { return nil }
        return BundleContents(path: path, layout: .contents, manifestPath: list, list: file)
    }

    /// Whether an Info.plist has an Info-linux.plist next to it.
    ///
    /// Every opening checks this, so the path is built on the stack.
    private static func hasListForPlatform(beside list: String, from base: PathBase) -> Bool {
        let count = list.utf8.count - ".plist".utf8.count
        let ending: StaticString = "-linux.plist"
        return withUnsafeTemporaryAllocation(
            of: CChar.self, capacity: count + ending.utf8CodeUnitCount + 1
        ) { buffer in
            guard let path = buffer.baseAddress else { return false }
            list.withCString { path.update(from: $0, count: count) }
            memcpy(path + count, ending.utf8Start, ending.utf8CodeUnitCount + 1)
            var identity = phs_file_identity()
            if phs_stat_at(base.directory, path + base.length, &identity) == 0 { return true }
            // If the check fails, the file may exist. The slower way then reads it, or reports why it cannot.
            return !ErrorNumber.saysAbsent(errno)
        }
    }

    /// Reads the contents of any directory.
    ///
    /// All parts come from the same bundle: if the directory is replaced while it is read, it is read again.
    private static func contents(_ path: String, askedFor: String) throws(PluginError) -> BundleContents {
        var contents = BundleContents?.none
        var before: FileIdentity?
        // A directory that changes this often may never stop changing; then the last contents are as good as any.
        for _ in 0..<8 {
            guard let now = FileIdentity(path: path) else { throw notFound(askedFor, errno: errno) }
            guard now.isDirectory else { throw notFound(askedFor, "it is \(now.kind), not a directory") }
            if let before, before.isSameFile(as: now) { break }
            before = now
            var failure: OpenedDirectory.Failure?
            let layout = BundleLayout.detect(root: path, failure: &failure)
            contents = findInfoList(path, layout, failure)
        }
        return contents.take() ?? findInfoList(path, .flat, nil)
    }

    /// `failure`: what could not be examined when the layout was detected.
    private static func findInfoList(
        _ path: String, _ layout: BundleLayout, _ failure: OpenedDirectory.Failure?
    ) -> BundleContents {
        // A directory that may be entered but not listed still opens files by name. After any other failure it is
        // unknown which layout the bundle has.
        if let failure, failure.errno != EACCES { return unlisted(path, layout, failure) }
        for directory in layout.infoDirectories {
            for name in BundleLayout.infoNames {
                let list = Path.join(Path.join(path, directory), name)
                do throws(OpenedFile.Failure) {
                    let file = try OpenedFile(path: list)
                    return BundleContents(path: path, layout: layout, manifestPath: list, list: file)
                } catch .missing {
                    continue
                } catch {
                    // If the directory may not be entered, it is unknown which of the names exist in it; report the
                    // usual one.
                    let named = FileIdentity(path: list) == nil ? Path.join(path, layout.usualInfoList) : list
                    return BundleContents(
                        path: path, layout: layout, manifestPath: named,
                        finding: ManifestReader.unreadable(named, error))
                }
            }
        }
        let expected = Path.join(path, layout.usualInfoList)
        return BundleContents(
            path: path, layout: layout, manifestPath: expected,
            finding: missingInfoList(path, layout, expected).refused(by: failure?.errno))
    }

    private static func unlisted(
        _ path: String, _ layout: BundleLayout, _ failure: OpenedDirectory.Failure
    ) -> BundleContents {
        let expected = Path.join(path, layout.usualInfoList)
        let finding = PluginFinding(
            .manifestUnreadable, filePath: expected,
            message: """
                Info.plist cannot be searched for: \(quoted(failure.path)) cannot be read \
                (\(describe(errno: failure.errno))).
                """)
        return BundleContents(
            path: path, layout: layout, manifestPath: expected, finding: finding.refused(by: failure.errno))
    }

    private static func missingInfoList(_ path: String, _ layout: BundleLayout, _ expected: String) -> PluginFinding {
        let places = layout.infoDirectories.map { quoted(Path.join(Path.join(path, $0), "Info.plist")) }
        let verb = places.count == 1 ? "does" : "do"
        if let (link, target) = danglingLink(path, layout) {
            return PluginFinding(
                .manifestUnreadable, filePath: link, subject: target,
                message:
                    "There is no Info.plist: \(quoted(link)) is a broken link to \(quoted(target)).",
                remedy: "Create that file, or install the bundle again.")
        }
        // Not joined(): its first call searches all conformances of the process, and a program without Info.plist gets
        // here when it first uses its main bundle.
        let list = places.dropFirst().reduce(places.first ?? "") { $0 + " and " + $1 }
        return PluginFinding(
            .manifestUnreadable, filePath: expected,
            message: "There is no Info.plist: \(list) \(verb) not exist.",
            remedy: "Add \(layout.usualInfoList) with at least CFBundleIdentifier and NSExecutable.")
    }

    /// The first link to a missing target, among the places of Info.plist and their folders, with its target.
    private static func danglingLink(_ path: String, _ layout: BundleLayout) -> (link: String, target: String)? {
        let folders = ["Contents", "Resources", "Support Files"] + layout.infoDirectories.filter { !$0.isEmpty }
        let lists = layout.infoDirectories.flatMap { folder in
            BundleLayout.infoNames.map { Path.join(Path.join(path, folder), $0) }
        }
        for link in folders.map({ Path.join(path, $0) }) + lists {
            if let target = Path.linkTarget(link), FileIdentity(path: link) == nil { return (link, target) }
        }
        return nil
    }

    private static func notFound(_ path: String, errno: CInt) -> PluginError {
        if ErrorNumber.leadsNowhere(errno) { return notFound(path, describe(errno: errno)) }
        let closed = errno == EACCES ? Path.closedDirectory(above: path) : nil
        let cause = closed.map { ": the directory \(quoted($0)) may not be opened by this user" } ?? ""
        let finding = PluginFinding(
            .bundleNotFound, filePath: closed ?? path,
            message: "The bundle directory \(quoted(path)) cannot be read\(cause).")
        return PluginError(bundlePath: path, finding.refused(by: errno))
    }

    private static func notFound(_ path: String, _ reason: String) -> PluginError {
        if let target = Path.linkTarget(path) {
            return PluginError(
                bundlePath: path,
                PluginFinding(
                    .bundleNotFound, filePath: path, subject: target,
                    message: """
                        \(quoted(path)) is a link to \(quoted(target)), and there is no bundle directory: \(reason).
                        """,
                    remedy: "Correct the link or remove it, or install the bundle to which it leads."))
        }
        return PluginError(
            bundlePath: path,
            PluginFinding(
                .bundleNotFound, filePath: path, message: "There is no bundle directory at \(quoted(path)): \(reason).",
                remedy: "Check the path and the permissions of the directories above it."))
    }

    // MARK: By class, by identifier, the main bundle

    static func bundle(definingClass aClass: AnyClass) -> PluginBundle {
        guard let base = LibraryClasses.base(ofLibraryDefining: aClass) else { return main }
        return BundleTable.shared.bundle(libraryBase: base)
            ?? BundleTable.shared.bundle(linkedClass: aClass)
            ?? BundleTable.shared.bundle(ofOtherLibrary: base) {
                LoadedLibraries.path(ofLibraryAt: base).flatMap(framework(containing:)) ?? main
            }
    }

    /// The innermost framework that contains a library.
    ///
    /// The library's links are resolved first, because systems put links to the libraries of frameworks into their
    /// library directories.
    static func framework(containing path: String) -> PluginBundle? {
        let path = Path.resolved(path) ?? path
        guard let end = path.ranges(of: ".framework/").last else { return nil }
        return try? bundle(path: String(path[..<path.index(before: end.upperBound)]))
    }

    static var main: PluginBundle {
        if let known = mainBundle.load(ordering: .acquiring) { return known.takeUnretainedValue() }
        let path = mainDirectory(ofProgram: Path.mainProgram)
        if let bundle = try? bundle(path: path) {
            // If the system does not let it be read now, the next call tries again.
            return bundle.isProvisional ? provisionalMain(bundle) : keptMain(bundle)
        }
        // The program's directory was removed while the program runs. A main bundle always exists.
        let gone = ManifestReader.unreadable(path, .missing)
        return keptMain(
            PluginBundle(contents: BundleContents(path: path, layout: .flat, manifestPath: path, finding: gone)))
    }

    /// Whether a bundle is the main bundle.
    ///
    /// Each load checks this, so the main bundle is not opened for a bundle that does not contain the program.
    static func isMain(_ bundle: PluginBundle) -> Bool {
        if let known = mainBundle.load(ordering: .acquiring) { return known.takeUnretainedValue() === bundle }
        let path = bundle.bundlePath
        guard path.hasSuffix(".resources") || Path.isInside(Path.mainProgram, directory: path) else { return false }
        return main === bundle
    }

    /// The main bundle, as soon as it could be read; kept until the process ends.
    private static let mainBundle = Atomic<Unmanaged<PluginBundle>?>(nil)

    /// The main bundle while the system does not let it be read.
    ///
    /// Always the same object. Why: code that compares a bundle with the main bundle must recognise the main bundle, or
    /// it would look up the main bundle of the main bundle without end.
    private static let unreadMain = Lock<PluginBundle?>(nil)

    private static func provisionalMain(_ bundle: PluginBundle) -> PluginBundle {
        unreadMain.withLock { known in
            if known == nil { known = bundle }
            return known
        } ?? bundle
    }

    /// Replaces the main bundle.
    ///
    /// The former one stays alive, because other code may use it.
    static func replaceMain(_ bundle: PluginBundle) {
        mainBundle.store(Unmanaged.passRetained(bundle), ordering: .releasing)
    }

    private static func keptMain(_ bundle: PluginBundle) -> PluginBundle {
        let kept = Unmanaged.passRetained(bundle)
        let (isFirst, known) = mainBundle.compareExchange(
            expected: nil, desired: kept, ordering: .acquiringAndReleasing)
        guard !isFirst, let known else { return bundle }
        kept.release()
        return known.takeUnretainedValue()
    }

    /// The directory of a program's bundle: `X.app` for `X.app/Contents/Linux/X`; `share/X.resources` for `bin/X`;
    /// `X.resources` next to X; otherwise the directory of the program.
    static func mainDirectory(ofProgram program: String) -> String {
        let directory = Path.parent(program)
        for place in BundleLayout.contents.executableDirectories where directory.hasSuffix("/" + place) {
            let root = String(directory.dropLast(place.count + 1))
            if !root.isEmpty { return root }
        }
        let resources = Path.stem(program) + ".resources"
        let installed = ["bin", "sbin", "libexec"].contains { directory.hasSuffix("/" + $0) }
        let places = installed ? ["../share/" + resources, resources] : [resources]
        let candidates = places.map { Path.join(directory, $0) }
        return candidates.first { FileIdentity(path: $0)?.isDirectory ?? false } ?? directory
    }
}

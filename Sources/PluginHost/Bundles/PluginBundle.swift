import BundleReading
import ELFImages
import HostBasics
import Synchronization

/// A directory with an Info.plist, code, resources and localised strings: NSBundle for Linux.
///
/// It has the members of Foundation's `Bundle` under the same names, so that an application can switch by renaming the
/// type. It adds what NSBundle lacks: errors that say how to fix the fault, checks before code runs, and typed
/// providers.
///
/// ```swift
/// let bundle = try PluginBundle.open(path: "/usr/lib/myapp/Typography.bundle")
/// for provider in try bundle.providers(of: .textFilter) {
///     print(try provider.make().apply("…"))
/// }
/// ```
///
/// **Threads.** Every member may be used on any thread. No lock is held while code of a plug-in or an observer runs.
/// **Lifetime.** Each directory (links resolved) has one object. It exists as long as a reference to it does; once its
/// code is loaded, until the process ends.
public final class PluginBundle: Sendable, BundleObject {
    let contents: BundleContents
    let resources: BundleResources
    /// The ``codeState``, created at its first use.
    let codeReference = AtomicLazyReference<CodeState>()
    /// The images and sounds, created when the first one is requested by name.
    let mediaReference = AtomicLazyReference<BundleMedia>()
    /// The settings, created at their first use.
    let settingsReference = AtomicLazyReference<BundleSettings>()
    /// For a private copy, the path where the original bundle is installed; otherwise nil.
    let original: String?

    /// The absolute path of the bundle's directory, with links resolved.
    public var bundlePath: String { contents.path }
    var layout: BundleLayout { contents.layout }
    /// Where the bundle's Info.plist is, or where it is expected.
    public var manifestPath: String { contents.manifestPath }
    /// Info.plist as a typed value; empty if there is none or it cannot be read, see ``manifestError``.
    public var manifest: Manifest { contents.manifest }
    /// Why ``manifest`` is empty, or nil.
    public var manifestError: PluginError? { contents.finding.map { PluginError(bundlePath: bundlePath, $0) } }

    /// Whether the system refused to let the bundle be read.
    ///
    /// The next opening then creates another object and tries again.
    var isProvisional: Bool { contents.isProvisional }

    /// `original`: for a private copy, the path where the original bundle is installed.
    init(contents: consuming BundleContents, copyOf original: String? = nil) {
        self.original = original
        resources = BundleResources(contents)
        self.contents = contents
    }

    deinit {
        if HeldLocks.areNone {
            BundleTable.shared.removeDead(path: bundlePath)
        } else {
            endLater()
        }
    }

    /// Delays the release of the bundle's objects until this thread holds no lock, because these may be the last
    /// references.
    @inline(never)
    private func endLater() {
        HeldLocks.keep((resources, codeReference.load(), settingsReference.load()))
        HeldLocks.afterRelease { [path = bundlePath] in BundleTable.shared.removeDead(path: path) }
    }

    /// Opens the bundle at a directory.
    ///
    /// - Parameter path: the directory; absolute or relative to the current directory.
    /// - Returns: the directory's only bundle object. As in NSBundle, a directory without Info.plist is a bundle too. A
    ///   bundle with a faulty Info.plist opens, has the error in ``manifestError``, and does not load.
    /// - Throws: ``PluginError`` of code `bundleNotFound`.
    ///
    /// A refusal by the system is not cached: if too many files were open, or the disk failed, the opened object keeps
    /// its ``manifestError``, but the next opening reads the bundle again and returns a new object.
    ///
    /// **Cost.** If the path contains no link: the four system calls that read Info.plist, and one that checks for an
    /// Info-linux.plist.
    public static func open(path: String) throws -> PluginBundle {
        try BundleOpening.bundle(path: path)
    }

    /// Opens the bundle at a directory; nil if there is no directory.
    ///
    /// ``open(path:)`` reports the reason.
    public convenience init?(path: String) {
        self.init(object: try? Self.open(path: path))
    }

    /// The bundle whose code defines a class; the main bundle if there is none.
    ///
    /// For code that is linked into the program (``linked(at:entry:)``), only registered classes are known.
    ///
    /// **Cost.** Two or three look-ups in tables; no search.
    public convenience init(for aClass: AnyClass) {
        self.init(theObject: BundleOpening.bundle(definingClass: aClass))
    }

    /// The application's own bundle: `X.app` for a program in `X.app/Contents/Linux`, otherwise the program's
    /// directory.
    public static var main: PluginBundle { BundleOpening.main }

    /// All bundles that the process has opened and that still exist, without frameworks; the main bundle comes first.
    public static var allBundles: [PluginBundle] {
        let others = BundleTable.shared.all.filter { !$0.isFramework && $0 !== main }
        return [main] + others
    }

    /// All frameworks that the process has opened, and those that contain its loaded libraries.
    public static var allFrameworks: [PluginBundle] {
        let loaded = LoadedLibraries.all().compactMap { BundleOpening.framework(containing: $0.path) }
        var seen: Set<PluginBundle> = []
        return (BundleTable.shared.all.filter(\.isFramework) + loaded).filter { seen.insert($0).inserted }
    }

    /// The directory where the bundle is installed.
    ///
    /// It differs from ``bundlePath`` only for a generation that a watched catalogue loaded: then it is the bundle from
    /// which the private copy was made. If a link on that path was replaced since, it is the bundle with the same code
    /// to which the link now leads.
    public var originalPath: String {
        guard let original else { return bundlePath }
        return CopiedPaths.original(of: bundlePath) ?? original
    }

    var isFramework: Bool { bundlePath.hasSuffix(".framework") }
}

extension PluginBundle: Hashable {
    /// Whether both are the same object: each directory has one.
    public static func == (a: PluginBundle, b: PluginBundle) -> Bool { a === b }

    /// Adds the object's identity, which `==` compares, to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Lets an initialiser of ``PluginBundle`` return an existing object, as NSBundle's initialisers do.
///
/// An initialiser of a class cannot assign to `self`. One in an extension of a protocol can, and a convenience
/// initialiser may delegate to it.
protocol BundleObject {}

extension BundleObject {
    init?(object: PluginBundle?) {
        guard let object else { return nil }
        self.init(theObject: object)
    }

    init(theObject: PluginBundle) {
        // PluginBundle is final and the only type that conforms.
        self = theObject as! Self
    }
}

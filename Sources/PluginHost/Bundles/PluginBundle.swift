import Synchronization

/// A bundle: a directory with an Info.plist, code, resources and localised strings. NSBundle for Linux.
///
/// It has the members of Foundation's `Bundle`, under the same names, so that an application moves over by renaming
/// the type, and beside them those that NSBundle lacks: errors that say what to do, checks before code runs, and
/// typed providers.
///
/// ```swift
/// let bundle = try PluginBundle.open(path: "/usr/lib/myapp/Typography.bundle")
/// for provider in try bundle.providers(of: .textFilter) {
///     print(try provider.make().apply("…"))
/// }
/// ```
///
/// **Threads.** Every member may be used on any thread. No lock is held while code of a plug-in or an observer runs.
/// **Lifetime.** There is one object for each directory, links resolved, as long as somebody holds it; once code was
/// loaded, for the life of the process.
public final class PluginBundle: Sendable, BundleObject {
    let contents: BundleContents
    let resources: BundleResources
    /// What loading keeps on the bundle, from the first time that it asks: its ``codeState``. Why no type: a bundle is
    /// found and read without knowing how code is loaded.
    let loadingState = AtomicLazyReference<any AnyObject & Sendable>()
    /// The images and sounds, from the first that is asked for by name.
    let mediaReference = AtomicLazyReference<BundleMedia>()
    /// Where the bundle is installed that this one is a private copy of; nil for one that is no copy.
    private let original: String?

    /// The absolute path of the bundle's directory, links resolved.
    public var bundlePath: String { contents.path }
    var layout: BundleLayout { contents.layout }
    /// Where the bundle's Info.plist is, or would be.
    public var manifestPath: String { contents.manifestPath }
    /// Info.plist as a typed value; empty where there is none or it cannot be read, see ``manifestError``.
    public var manifest: Manifest { contents.manifest }
    /// Why ``manifest`` is empty, or nil.
    public var manifestError: PluginError? { contents.finding.map { PluginError(bundlePath: bundlePath, $0) } }

    /// Whether the system refused to let the bundle be read: the next opening makes another object, which reads it again.
    var isProvisional: Bool { contents.isProvisional }

    /// `original`: where the bundle is installed, for a private copy of it.
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

    /// Leaves the end to the time when this thread holds no lock: that of the table, and that of what the bundle owns and
    /// may be the last to hold.
    @inline(never)
    private func endLater() {
        HeldLocks.keep((resources, loadingState.load()))
        HeldLocks.afterRelease { [path = bundlePath] in BundleTable.shared.removeDead(path: path) }
    }

    /// Opens the bundle at a directory.
    ///
    /// - Parameter path: the directory; absolute or relative to the current directory.
    /// - Returns: the one object of the directory. A directory without Info.plist is a bundle too, as for NSBundle; one
    ///   whose Info.plist is bad opens, tells so in ``manifestError``, and does not load.
    /// - Throws: ``PluginError`` of code `bundleNotFound`.
    ///
    /// What the system refused is not remembered: where too many files were open, or the disk failed, the object that was
    /// opened keeps its ``manifestError``, and the next opening reads the bundle again and gives a new object.
    ///
    /// **Cost.** Where no link is in the path: the four system calls that read Info.plist, and one that asks whether
    /// there is an Info-linux.plist.
    public static func open(path: String) throws -> PluginBundle {
        try BundleOpening.bundle(path: path)
    }

    /// The bundle at a directory, or nil if there is no directory. ``open(path:)`` tells why.
    public convenience init?(path: String) {
        self.init(object: try? Self.open(path: path))
    }

    /// The bundle whose code defines a class; the main bundle if no bundle's does.
    ///
    /// Of code that is linked into the program (``linked(at:entry:)``) those classes are known that were registered.
    ///
    /// **Cost.** Two or three look-ups in tables; no search.
    public convenience init(for aClass: AnyClass) {
        self.init(theObject: BundleOpening.bundle(definingClass: aClass))
    }

    /// The application's own bundle: `X.app` for a program in `X.app/Contents/Linux`, else the program's directory.
    public static var main: PluginBundle { BundleOpening.main }

    /// All bundles that the process has opened and still holds, the main bundle first, without frameworks.
    public static var allBundles: [PluginBundle] {
        let others = BundleTable.shared.all.filter { !$0.isFramework && $0 !== main }
        return [main] + others
    }

    /// All frameworks that the process has opened or that its loaded libraries stand in.
    public static var allFrameworks: [PluginBundle] {
        let loaded = LoadedImages.all().compactMap { BundleOpening.framework(containing: $0.path) }
        var seen: Set<PluginBundle> = []
        return (BundleTable.shared.all.filter(\.isFramework) + loaded).filter { seen.insert($0).inserted }
    }

    /// Where the bundle is installed: ``bundlePath``, but for a generation that a watched catalogue loaded the bundle that
    /// it was copied from.
    public var originalPath: String { original ?? bundlePath }

    var isFramework: Bool { bundlePath.hasSuffix(".framework") }
}

extension PluginBundle: Hashable {
    /// Whether both are one object: there is one for each directory.
    public static func == (a: PluginBundle, b: PluginBundle) -> Bool { a === b }

    /// Feeds what equality compares into the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Lets an initialiser of ``PluginBundle`` give an object that exists already, as NSBundle's do.
///
/// A class's own initialiser cannot assign to `self`; one in an extension of a protocol can, and a convenience
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

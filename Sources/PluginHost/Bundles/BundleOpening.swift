import BundleReading
import ELFImages
import HostBasics
import Synchronization

/// Finds bundles: by path, by identifier, by class, and the main bundle.
enum BundleOpening {
    static func bundle(path: String) throws(PluginError) -> PluginBundle {
        let normalized = Path.normalized(path)
        if let normalized {
            if let existing = existing(normalized) { return existing }
            if let contents = BundleContents.usual(normalized) {
                return BundleTable.shared.insert(PluginBundle(contents: contents))
            }
        }
        let resolved = try BundleContents.resolved(normalized ?? path, askedFor: path)
        if let existing = existing(resolved) { return existing }
        return BundleTable.shared.insert(PluginBundle(contents: try .read(resolved: resolved, askedFor: path)))
    }

    /// Opens a bundle that is a private copy of another.
    static func bundle(path: String, copyOf original: String) throws(PluginError) -> PluginBundle {
        BundleTable.shared.insert(PluginBundle(contents: try .read(path), copyOf: original))
    }

    /// The bundle object of a directory, if the directory still exists.
    private static func existing(_ path: String) -> PluginBundle? {
        guard let bundle = BundleTable.shared.bundle(atPath: path), !bundle.isProvisional,
            FileIdentity(path: path)?.isDirectory ?? false
        else { return nil }
        return bundle
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
        let path = BundleLayout.mainDirectory(ofProgram: Path.mainProgram)
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
}

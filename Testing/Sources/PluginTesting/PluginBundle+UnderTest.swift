public import PluginABI
public import PluginHost

extension PluginBundle {
    /// The author's own bundle, with the code that was built for this test run.
    ///
    /// It is assembled once per process, in a temporary directory, from the files that `pluginhost pack` and
    /// `swift package bundle` use.
    ///
    /// The test target must not depend on the plug-in's own target, because its code would then be in the process
    /// twice. To test types that only the plug-in's module has, use ``underTest(entry:source:filePath:)``.
    ///
    /// 1. The package is the nearest directory above the test's file that has a Package.swift.
    /// 2. The bundle's source, a folder with Info.plist and Resources, is `source` in the package. If `source` is nil,
    ///    it is the package's directory if that has an Info.plist, otherwise the folder in the package with the
    ///    bundle's name.
    /// 3. The code is `libNAME.so` beside the test program, where `swift test` puts it.
    ///
    /// - Parameters:
    ///   - name: the bundle's name. If nil, the executable's name in Info.plist is used, or the folder's name if
    ///     Info.plist has none.
    ///   - source: the folder with Info.plist, as a path from the package's directory.
    ///   - filePath: the test's file.
    /// - Returns: the bundle, opened but not loaded. In a ``TestHost`` it is unloaded when the test ends.
    /// - Throws: ``TestKitError`` of code `sourceMissing`, `notBuilt`, `unreadable`, `manifestInvalid` or
    ///   `notWritable`; the errors of `open(path:)`.
    ///
    /// **Threads.** Any. **Lifetime.** The directory is removed when the process ends.
    public static func underTest(
        _ name: String? = nil, source: String? = nil, filePath: StaticString = #filePath
    ) throws -> PluginBundle {
        let source = try BundleSourceFolder(name: name, folder: source, testFile: filePath.description)
        return try opened(AssembledBundles.shared.path(of: source))
    }

    /// The author's own bundle with code that is linked into the tests, for tests that use types of the plug-in's
    /// module: the test target depends on the plug-in's target.
    ///
    /// Resources are read from the source, and no file is loaded.
    ///
    /// - Parameters:
    ///   - entry: the plug-in's entry.
    ///   - source: the folder with Info.plist, as a path from the package's directory. Nil means that directory.
    ///   - filePath: the test's file. The package is the nearest directory above it that has a Package.swift.
    /// - Returns: the bundle, opened but not loaded. In a ``TestHost`` it is unloaded when the test ends.
    /// - Throws: ``TestKitError`` of code `sourceMissing`; the errors of `linked(at:entry:)`.
    ///
    /// **Threads.** Any.
    public static func underTest(
        entry: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status, source: String? = nil,
        filePath: StaticString = #filePath
    ) throws -> PluginBundle {
        let folder = try BundleSourceFolder(name: nil, folder: source ?? ".", testFile: filePath.description)
        let bundle = try linked(at: folder.path, entry: entry)
        TestHost.current?.keep(bundle)
        return bundle
    }

    /// A bundle that was packed before the tests, by `pluginhost pack` or `swift package bundle`.
    ///
    /// - Parameters:
    ///   - path: the bundle's directory: an absolute path, or a path from the package's directory.
    ///   - filePath: the test's file. The package is the nearest directory above it that has a Package.swift.
    /// - Returns: the bundle, opened but not loaded. In a ``TestHost`` it is unloaded when the test ends.
    /// - Throws: ``TestKitError`` of code `sourceMissing` or `notBuilt`; the errors of `open(path:)`.
    ///
    /// **Threads.** Any.
    public static func underTest(packed path: String, filePath: StaticString = #filePath) throws -> PluginBundle {
        let place = path.hasPrefix("/") ? path : try BundleSourceFolder.package(of: filePath.description) + "/" + path
        guard BundleSourceFolder.isDirectory(place) else {
            throw TestKitError(
                code: .notBuilt, path: place, message: "There is no bundle “\(place)”.",
                remedy: "Make it before the tests, by “pluginhost pack --build” or “swift package bundle”.")
        }
        return try opened(place)
    }

    private static func opened(_ path: String) throws -> PluginBundle {
        let bundle = try open(path: path)
        TestHost.current?.keep(bundle)
        return bundle
    }
}

import ArgumentParser
import Glibc
import PluginHost

/// The arguments that every command takes: the bundles and the output format.
struct BundleArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Bundles, or folders of them: then every *.bundle directly in the folder.", valueName: "bundle"),
        completion: .directory)
    var bundles: [String]

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    /// The bundles that the arguments name, in the order of the arguments.
    ///
    /// The bundles in a folder are sorted by name.
    func select() -> [SelectedBundle] { bundles.flatMap { SelectedBundle.all(at: $0) } }
}

/// A bundle from the command line, or the reason why there is none.
enum SelectedBundle {
    case bundle(PluginBundle)
    /// An item of a folder that has a bundle's name but cannot be opened: a finding about the folder.
    case unopened(PluginError)
    /// An argument that is not a directory: wrong usage.
    case missing(PluginError)

    /// Directories with these extensions are bundles themselves, whatever they contain.
    private static let extensions: Set = ["bundle", "framework", "app", "plugin", "resources"]

    /// A directory that contains bundles and does not have a bundle's extension means those bundles.
    ///
    /// Any other directory is itself a bundle.
    ///
    /// `prefersSource`: whether a directory that has its own Info.plist means itself, even if its bundle was packed
    /// into it.
    static func all(at path: String, prefersSource: Bool = false) -> [SelectedBundle] {
        let isSource = prefersSource && access(path + "/Info.plist", F_OK) == 0
        if !isNamedAsBundle(path), !isSource {
            // Without the index, to see the current files.
            let catalog = PluginCatalog(searchPaths: [path], options: .init(index: .none))
            let found = catalog.candidates
            if !found.isEmpty { return found.map { open($0.path, $0.open, else: Self.unopened) } }
            if let problem = catalog.folders.first?.finding { return [unlisted(path, problem)] }
        }
        return [open(path, { try PluginBundle.open(path: path) }, else: Self.missing)]
    }

    private static func open(
        _ path: String, _ body: () throws -> PluginBundle, else failed: (PluginError) -> SelectedBundle
    ) -> SelectedBundle {
        do {
            return .bundle(try body())
        } catch {
            return failed(error as? PluginError ?? noReason(path))
        }
    }

    /// A directory that cannot be listed counts as a bundle only if its name says so: it may also be a folder of
    /// bundles.
    private static func unlisted(_ path: String, _ problem: PluginFinding) -> SelectedBundle {
        let bundle = try? PluginBundle.open(path: path)
        if let bundle, bundle.manifestError == nil { return .bundle(bundle) }
        return .unopened(PluginError(bundlePath: bundle?.bundlePath ?? path, findings: [problem]))
    }

    private static func isNamedAsBundle(_ path: String) -> Bool {
        guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: ".") else { return false }
        return dot != name.startIndex && extensions.contains(String(name[name.index(after: dot)...]))
    }

    private static func noReason(_ path: String) -> PluginError {
        PluginError(
            bundlePath: path,
            findings: [PluginFinding(.bundleNotFound, filePath: path, message: "It cannot be opened as a bundle.")])
    }
}

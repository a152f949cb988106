import ArgumentParser
import PluginHost

/// What every command takes: the bundles, and the form of its output.
struct BundleArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Bundles, or folders of them: then every *.bundle directly in the folder.", valueName: "bundle"),
        completion: .directory)
    var bundles: [String]

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    /// The bundles that the arguments mean, in the order of the arguments and, in a folder, of the names.
    func select() -> [SelectedBundle] { bundles.flatMap(SelectedBundle.all(at:)) }
}

/// A bundle that was asked for, or why there is none.
enum SelectedBundle {
    case bundle(PluginBundle)
    /// A name in a folder that looks like a bundle's and cannot be opened: a finding about the folder.
    case unopened(PluginError)
    /// An argument that leads to no directory: a wrong use of the tool.
    case missing(PluginError)

    /// Directories of these names are bundles themselves, whatever stands in them.
    private static let extensions: Set = ["bundle", "framework", "app", "plugin", "resources"]

    /// A directory whose name is no bundle's and that holds bundles stands for these; any other is a bundle.
    static func all(at path: String) -> [SelectedBundle] {
        if !isNamedAsBundle(path) {
            // Without the index: what is asked for is what stands there now.
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

    /// What cannot be listed is a bundle only if it shows to be one: it may also be a folder of bundles.
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

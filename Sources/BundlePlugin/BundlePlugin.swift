import Foundation
import PackagePlugin

/// `swift package bundle`: builds the plug-ins of a package and makes bundles of them.
///
/// It works in every package that depends on PluginHost.
///
/// The command runs `pluginhost pack`, which must be in PATH. Why: if the package built the tool itself, the first
/// build of each plug-in would contain a second, unoptimised build of the whole library.
@main
struct BundlePlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var extractor = ArgumentExtractor(arguments)
        let wanted = extractor.extractOption(named: "product")
        let configuration = extractor.extractOption(named: "configuration").last
        let isHelp = extractor.extractFlag(named: "help") > 0
        let options = extractor.remainingArguments
        if isHelp {
            print(Self.help)
            return
        }
        guard let tool = try? context.tool(named: "pluginhost").url else {
            throw Failure("There is no program “pluginhost” in PATH. \(Self.remedy(context))")
        }
        let libraries = context.package.products(ofType: LibraryProduct.self).filter { $0.kind == .dynamic }.map(\.name)
        let package = context.package.directoryURL
        let sources = try Self.sources(in: package, libraries)
        var made = MadeBundles(in: context.pluginWorkDirectoryURL)
        try made.removeOrphans()
        guard !sources.isEmpty else {
            throw Failure(
                """
                Neither “\(package.path)” nor a folder in it or in its Plugins has an Info.plist, of which a bundle could \
                be made. “pluginhost new” makes a package that has one.
                """)
        }
        for name in wanted where !libraries.contains(name) {
            throw Failure(
                "The package has no dynamic library product “\(name)”, only \(libraries.joined(separator: ", ")).")
        }
        // An application with its own plug-ins. Its bundles go where it looks for them, to be tried at once.
        let programs = context.package.products(ofType: ExecutableProduct.self).map(\.name)
        let isDebug = (configuration ?? (programs.isEmpty ? "release" : "debug")) == "debug"
        var place: URL?
        for name in programs + (wanted.isEmpty ? libraries : wanted) {
            place = try build(name, isDebug: isDebug) ?? place
        }
        var given: [String] = []
        if let place {
            given += ["--products", place.path, "--just-built"]
            if let program = programs.first, !options.contains("--host") {
                given += ["--host", place.appending(path: program).path]
            }
        }
        let beside = programs.isEmpty ? nil : place?.appending(path: "Plugins")
        let output = beside ?? context.pluginWorkDirectoryURL
        let isElsewhere = options.contains { $0 == "--output" || $0.hasPrefix("--output=") }
        if !isElsewhere { given += ["--output", output.path] }
        let chosen = sources.filter { wanted.isEmpty || sources.count == 1 || wanted.contains($0.lastPathComponent) }
        let isPacked = try Self.run(tool, ["pack"] + given + options + ["--"] + chosen.map(\.path))
        if !isElsewhere { try made.note(chosen, in: output) }
        if isPacked { return }
        let strangers = chosen.map(\.lastPathComponent).filter { !libraries.contains($0) }
        throw Failure(
            "At least one bundle was not made; the report of “pluginhost pack” stands above."
                + strangers.filter { $0 != context.package.directoryURL.lastPathComponent }.map {
                    """
                     If the code of “\($0)” is missing: Package.swift has no product .library(name: "\($0)", type: .dynamic, …).
                    """
                }.joined())
    }

    /// Builds a product, and returns the directory that the package manager put it into.
    private func build(_ name: String, isDebug: Bool) throws -> URL? {
        let result = try packageManager.build(
            .product(name), parameters: .init(configuration: isDebug ? .debug : .release, echoLogs: true))
        // The compiler's messages stand above already: echoLogs.
        guard result.succeeded else {
            throw Failure("The product “\(name)” cannot be built; the compiler's messages stand above.")
        }
        return result.builtArtifacts.first { [name, "lib\(name).so"].contains($0.url.lastPathComponent) }?.url
            .deletingLastPathComponent()
    }

    /// The folders with sources of bundles, which have an Info.plist: the package's own, those directly in it, and those
    /// in its folder Plugins.
    ///
    /// `libraries`: the names of the package's dynamic libraries.
    private static func sources(in package: URL, _ libraries: [String]) throws -> [URL] {
        func folders(in directory: URL) throws -> [URL] {
            try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
                .filter { !$0.lastPathComponent.hasPrefix(".") && !$0.pathExtension.hasSuffix("bundle") }
                // Not a package of its own, unless this package builds its code too.
                .filter { folder in
                    libraries.contains(folder.lastPathComponent)
                        || !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
                }
                .sorted { $0.path < $1.path }
        }
        let inside = try folders(in: package)
        let plugins = inside.contains { $0.lastPathComponent == "Plugins" } ? package.appending(path: "Plugins") : nil
        return ([package] + inside + (try plugins.map(folders) ?? [])).filter {
            FileManager.default.fileExists(atPath: $0.appending(path: "Info.plist").path)
        }
    }

    /// Whether the tool made every bundle.
    private static func run(_ tool: URL, _ arguments: [String]) throws -> Bool {
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }

    /// How the command gets into PATH: it is installed with the library, or must be built in the checkout.
    private static func remedy(_ context: PluginContext) -> String {
        let library = context.package.dependencies.first { $0.package.displayName == "PluginHost" }?.package
            .directoryURL
        // An installed package is LIBDIR/pluginhost/PluginHost.
        var prefix = library
        for _ in 0..<4 {
            prefix?.deleteLastPathComponent()
            if let bin = prefix?.appending(path: "bin"),
                FileManager.default.isExecutableFile(atPath: bin.appending(path: "pluginhost").path)
            {
                return "It is in “\(bin.path)”: export PATH=\"\(bin.path):$PATH\""
            }
        }
        let tools = library?.appending(path: "Tools").path ?? "PluginHost/Tools"
        return """
            Install it, or build it where PluginHost is: \
            swift build --package-path \(tools) -c release --product pluginhost
            """
    }

    private static let help = """
        USAGE: swift package bundle [--product NAME]… [--configuration release|debug] [OPTIONS OF pluginhost pack]

        Builds the package's dynamic libraries, all or those that are named, and makes a bundle of each Info.plist: the \
        package's own, and those of the folders directly in it and in its folder Plugins. Without --output the bundles go \
        to .build/plugins.

        If the package has a program, that is built too, without the optimiser by default. Without --output the bundles \
        then go to the folder Plugins beside the program, where its catalogue finds them.

        A bundle that it made there is removed when the folder of its sources is gone.
        """

    /// The reason why no bundle was made.
    private struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}

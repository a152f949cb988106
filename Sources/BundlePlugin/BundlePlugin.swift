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
        let configuration = extractor.extractOption(named: "configuration").last ?? "release"
        let isHelp = extractor.extractFlag(named: "help") > 0
        if isHelp {
            print(Self.help)
            return
        }
        guard let tool = try? context.tool(named: "pluginhost").url else {
            throw Failure(
                """
                There is no program “pluginhost” in PATH. Install it, or build it where PluginHost is: \
                swift build --package-path \(Self.checkout(context)) -c release --product pluginhost
                """)
        }
        let sources = try Self.sources(in: context.package.directoryURL)
        let libraries = context.package.products(ofType: LibraryProduct.self).filter { $0.kind == .dynamic }.map(\.name)
        for name in wanted where !libraries.contains(name) {
            throw Failure(
                "The package has no dynamic library product “\(name)”, only \(libraries.joined(separator: ", ")).")
        }
        var products: URL?
        for name in wanted.isEmpty ? libraries : wanted {
            let built = try packageManager.build(
                .product(name),
                parameters: .init(configuration: configuration == "debug" ? .debug : .release, echoLogs: true))
            guard built.succeeded else { throw Failure("The product “\(name)” cannot be built:\n\(built.logText)") }
            let library = built.builtArtifacts.first { $0.url.lastPathComponent == "lib\(name).so" }
            products = library?.url.deletingLastPathComponent() ?? products
        }
        let output =
            extractor.remainingArguments.contains("--output") ? [] : ["--output", context.pluginWorkDirectoryURL.path]
        let place = products.map { ["--products", $0.path] } ?? []
        let chosen = sources.filter { wanted.isEmpty || sources.count == 1 || wanted.contains($0.lastPathComponent) }
        try Self.run(
            tool, ["pack"] + place + output + extractor.remainingArguments + ["--"] + chosen.map(\.path))
    }

    /// The folders with sources of bundles: the package's own, and those directly in it, if they have an Info.plist.
    private static func sources(in package: URL) throws -> [URL] {
        let inside = try FileManager.default.contentsOfDirectory(at: package, includingPropertiesForKeys: nil)
            .filter { !$0.lastPathComponent.hasPrefix(".") && !$0.pathExtension.hasSuffix("bundle") }
            .sorted { $0.path < $1.path }
        let sources = ([package] + inside).filter {
            FileManager.default.fileExists(atPath: $0.appending(path: "Info.plist").path)
        }
        guard !sources.isEmpty else {
            throw Failure(
                """
                Neither “\(package.path)” nor a folder in it has an Info.plist, of which a bundle could be made. \
                “pluginhost new” makes a package that has one.
                """)
        }
        return sources
    }

    private static func run(_ tool: URL, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure("“pluginhost pack” ended with \(process.terminationStatus); its report stands above.")
        }
    }

    /// The path of the tool's package, for a message; a relative one if the place is not known.
    private static func checkout(_ context: PluginContext) -> String {
        let library = context.package.dependencies.first { $0.package.displayName == "PluginHost" }?.package
            .directoryURL
        return library?.appending(path: "Tools").path ?? "PluginHost/Tools"
    }

    private static let help = """
        USAGE: swift package bundle [--product NAME]… [--configuration release|debug] [OPTIONS OF pluginhost pack]

        Builds the package's dynamic libraries, all or those that are named, and makes a bundle of the package's own \
        Info.plist and of that in each folder directly in it. Without --output the bundles go to .build/plugins.
        """

    /// The reason why no bundle was made.
    private struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}

import Foundation
import PackagePlugin

/// `swift package remote-interfaces`: writes the proxies of an application's plug-in API, or checks them.
///
/// It works in every package that depends on PluginHost, and in one that depends on the API. It uses the package's own
/// build folder, so the library is not compiled again, and leaves nothing there.
///
/// The command runs `pluginhost remote`, which must be in PATH, for the reason that `BundlePlugin` states.
@main
struct RemotePlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var extractor = ArgumentExtractor(arguments)
        let wanted = extractor.extractOption(named: "target")
        let checks = extractor.extractFlag(named: "check") > 0
        let isHelp = extractor.extractFlag(named: "help") > 0
        if isHelp {
            print(Self.help)
            return
        }
        guard let tool = try? context.tool(named: "pluginhost").url else {
            throw Failure(
                "There is no program “pluginhost” in PATH. Install it, or add the directory in which it was built.")
        }
        for api in try Self.targets(of: context.package, wanted) {
            let graphs = context.pluginWorkDirectoryURL.appending(path: "graphs")
            try? FileManager.default.removeItem(at: graphs)
            try FileManager.default.createDirectory(at: graphs, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: graphs) }
            try writeGraphs(of: api, to: graphs, context, extractor.remainingArguments)
            let names = try FileManager.default.contentsOfDirectory(atPath: graphs.path).sorted()
            let proxies = api.directoryURL.appending(path: "Proxies.swift").path
            try Self.run(
                tool,
                ["remote", "--module", api.moduleName, "--output", proxies] + (checks ? ["--check"] : [])
                    + names.filter { $0.hasSuffix(".symbols.json") }.map { graphs.appending(path: $0).path })
        }
    }

    // MARK: The API

    /// The targets with an application's plug-in API: those whose sources declare an extension point, in the package
    /// and in the packages on this machine that it depends on; or those that are named.
    private static func targets(of package: Package, _ wanted: [String]) throws -> [SwiftSourceModuleTarget] {
        var packages = [package]
        packages += package.dependencies.map(\.package).filter { other in
            if case .local = other.origin { return !["PluginHost", "PluginTesting"].contains(other.displayName) }
            return false
        }
        let all = packages.flatMap { $0.targets(ofType: SwiftSourceModuleTarget.self) }.filter { $0.kind == .generic }
        for name in wanted where !all.contains(where: { $0.name == name }) {
            let names = all.map(\.name).joined(separator: ", ")
            throw Failure("There is no target “\(name)” with Swift sources, only \(names).")
        }
        let found = try all.filter { target in
            wanted.isEmpty ? try declaresExtensionPoint(target) : wanted.contains(target.name)
        }
        guard !found.isEmpty else {
            throw Failure(
                """
                No source of \(all.map(\.name).joined(separator: ", ")) declares an extension point: “extension \
                ExtensionPoint where Interface == …”. Run the command in the package of the application or of its API, or \
                name the API by --target.
                """)
        }
        return found
    }

    private static func declaresExtensionPoint(_ target: SwiftSourceModuleTarget) throws -> Bool {
        try target.sourceFiles(withSuffix: ".swift").contains { file in
            try String(contentsOf: file.url, encoding: .utf8).contains("extension ExtensionPoint where Interface ==")
        }
    }

    // MARK: The symbol graph

    /// Builds what the API needs, and compiles the API once more for its symbol graph only.
    ///
    /// Why not `packageManager.getSymbolGraph`: after a change of an interface the old proxies do not fit, so the API
    /// compiles only with GENERATING_PROXIES. As a flag of the build, that would compile everything again.
    private func writeGraphs(
        of api: SwiftSourceModuleTarget, to graphs: URL, _ context: PluginContext, _ flags: [String]
    ) throws {
        let build = try packageManager.build(.target(api.name), parameters: .init(configuration: .debug))
        // The work directory is plugins/RemotePlugin/outputs in the build folder.
        let folder = (0..<3).reduce(context.pluginWorkDirectoryURL) { url, _ in url.deletingLastPathComponent() }
            .appending(path: "debug")
        let version = context.package.toolsVersion.major < 6 ? "5" : "6"
        let compiler = try context.tool(named: "swiftc").url
        let log = graphs.appending(path: "log")
        func compile(_ sources: [URL]) throws {
            try Self.run(
                compiler,
                [
                    "-emit-module", "-parse-as-library", "-module-name", api.moduleName, "-swift-version", version,
                    "-package-name", "pluginhost_remote", "-D", "GENERATING_PROXIES", "-emit-symbol-graph",
                    "-emit-symbol-graph-dir", graphs.path, "-symbol-graph-minimum-access-level", "private", "-o",
                    graphs.appending(path: "\(api.moduleName).swiftmodule").path, "-I",
                    folder.appending(path: "Modules").path,
                ] + Self.searchFlags(of: api, in: folder) + api.compilationConditions.flatMap { ["-D", $0] } + flags
                    + sources.map(\.path), log: log)
        }
        let sources = api.sourceFiles(withSuffix: ".swift").map(\.url)
        if (try? compile(sources)) != nil { return }
        // The old proxies may name a protocol or a type that has another name now.
        let copies = try Self.copies(of: sources, in: graphs.appending(path: "Sources"))
        if (try? compile(copies.map(\.copy))) != nil { return }
        var text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        if text.contains("no such module") { text = build.logText }
        for (source, copy) in copies { text = text.replacing(copy.path, with: source.path) }
        throw Failure("“\(api.name)” cannot be compiled:\n\(text)")
    }

    /// Copies of the sources without Proxies.swift, in new directories below one.
    ///
    /// Where a proxy is named, another value of the same type stands.
    private static func copies(of sources: [URL], in directory: URL) throws -> [(source: URL, copy: URL)] {
        let kept = sources.filter { $0.lastPathComponent != "Proxies.swift" }
        return try kept.enumerated().map { number, source in
            // Two directories of a target may have a file of one name.
            let folder = directory.appending(path: "\(number)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let copy = folder.appending(path: source.lastPathComponent)
            let text = try String(contentsOf: source, encoding: .utf8)
            try text.replacing(
                #/\b[A-Za-z_][A-Za-z0-9_]*Proxy\.interface\b/#,
                with: "RemoteInterface(proxy: { _ in while true {} }, methods: [])"
            ).write(to: copy, atomically: true, encoding: .utf8)
            return (source, copy)
        }
    }

    /// The flags with which the compiler finds the C modules that a target imports, directly or not.
    private static func searchFlags(of target: SwiftSourceModuleTarget, in folder: URL) -> [String] {
        target.recursiveTargetDependencies.flatMap { dependency -> [String] in
            switch dependency {
            case let system as SystemLibraryTarget:
                return ["-Xcc", "-fmodule-map-file=\(system.directoryURL.appending(path: "module.modulemap").path)"]
                    + system.compilerFlags
            case let clang as ClangSourceModuleTarget:
                let own = clang.publicHeadersDirectoryURL?.appending(path: "module.modulemap")
                let made = folder.appending(path: "\(clang.name).build/module.modulemap")
                let map = [own, made].compactMap(\.self).first { FileManager.default.fileExists(atPath: $0.path) }
                return map.map { ["-Xcc", "-fmodule-map-file=\($0.path)"] } ?? []
            default: return []
            }
        }
    }

    /// `log`: the file that gets what the program writes; nil for the terminal.
    private static func run(_ tool: URL, _ arguments: [String], log: URL? = nil) throws {
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        if let log {
            try Data().write(to: log)
            let file = try FileHandle(forWritingTo: log)
            process.standardOutput = file
            process.standardError = file
        }
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let name = tool.lastPathComponent
            throw Failure("“\(name)” ended with \(process.terminationStatus); its report stands above.")
        }
    }

    private static let help = """
        USAGE: swift package remote-interfaces [--check] [--target NAME]… [FLAGS OF swiftc]

        Writes the file Proxies.swift of an application's plug-in API, with which plug-ins run in processes of their own. \
        The API is each target whose sources declare an extension point, in this package and in the packages on this \
        machine that it depends on; or those that are named. With --check nothing is written, and the command fails if the \
        file would change.
        """

    /// The reason why no proxies were written.
    private struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}

import DemoAPI
import Fixtures
import Foundation
import PluginHost
import Testing

/// One copy of each module: two Swift types are equal only if they come from the same copy.
@Suite struct SingleCopy {
    @Test func exactlyOneLoadedImageDefinesEachSharedModulesTypes() async {
        // In a process of its own: other tests load plug-ins with copies on purpose.
        await #expect(processExitsWith: .success) { try LoadedCopies.expectOneOfEach() }
    }

    /// The object files of modules, to link statically what should be linked dynamically.
    private func objects(_ modules: String...) throws -> [String] {
        try modules.flatMap { module in
            let folder = Workspace.products.appending(path: "\(module).build")
            return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                .filter { $0.hasSuffix(".o") }.map { folder.appending(path: $0).path }
        }
    }

    static let plugin = """
        import PluginABI
        final class Sample: Plugin { init(context: PluginContext) throws {} }
        @c(plugin_entry)
        public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
            registerPlugin(with: host) { plugin in plugin.register(Sample.self) }
        }
        """

    @Test func aPluginWithItsOwnStaticCopyOfPluginABIIsRefusedWithTheRemedy() throws {
        let fixture = try BundleFixture(
            "OwnPluginABI", code: .swift(Self.plugin, flags: try objects("PluginABI", "CPluginSupport") + ["-lffi"]))
        let error = try loadError(fixture)
        #expect(error.code == .duplicateABI)
        let message = """
            The bundle “\(fixture.path)”: The plug-in “\(fixture.executable.path)” contains its own copy of the module \
            PluginABI, so the host does not recognise its classes. In its Package.swift, which must be a different \
            package than PluginHost, depend on .product(name: "PluginHost", package: "PluginHost") instead of on a target: \
            that product is .dynamic, and host and plug-in then share one copy.
            """
        #expect(error.description.hasPrefix(message))
        // The check before the load reports the same.
        let checked = #expect(throws: PluginError.self) { try PluginBundle.open(path: fixture.path).preflight() }
        #expect(checked?.findings.contains { $0.code == .duplicateABI } == true)
    }

    @Test func anApplicationThatLinksItsAPIStaticallyGetsAnErrorWithTheRemedy() throws {
        // A host whose executable has a copy of DemoAPI, and a plug-in that uses libDemoAPI.so.
        let source = """
            import DemoAPI
            import PluginHost
            let bundle = try PluginBundle.open(path: CommandLine.arguments[1])
            do {
                let providers = try bundle.providers(of: .textFilter)
                print("found \\(providers.count)")
            } catch let error as PluginError {
                print(error.code)
                print(error.description)
                for finding in error.findings { print(finding.message, finding.remedy) }
            }
            """
        let host = try Compiler.executable("StaticHost", source: source, flags: try objects("DemoAPI"))
        let plugin = """
            import DemoAPI
            import PluginABI
            final class Same: TextFilter {
                init(context: PluginContext) throws {}
                func filter(_ passage: String) throws -> String { passage }
            }
            @c(plugin_entry)
            public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                registerPlugin(with: host) { plugin in plugin.provide(.textFilter, named: "same", Same.init) }
            }
            """
        let bundle = try BundleFixture(
            "UsesDynamicAPI",
            code: .swift(plugin, flags: ["-lDemoAPI", "-Xlinker", "-rpath", "-Xlinker", Workspace.products.path]))
        let output = try Tool.output(host.path, [bundle.path])
        #expect(output.standardOutput.hasPrefix("duplicateABI\n"), "\(output)")
        #expect(output.standardOutput.contains("another copy of the module that declares it"))
        #expect(output.standardOutput.contains(".library(type: .dynamic)"))
        #expect(output.standardOutput.contains("DemoAPI"))
    }

    @Test func aPluginThatImportsOnlyPluginABINeedsNoFoundation() throws {
        let fixture = try BundleFixture("NeedsNoFoundation", code: .swift(Self.plugin))
        let needed = try Tool.run(try Tool.find("readelf"), ["-d", fixture.executable.path])
        #expect(needed.contains("libPluginHost.so"))
        #expect(!needed.contains("Foundation"))
    }

    @Test func pluginABIItselfRefersToNothingOfFoundation() throws {
        let nm = try Tool.find("nm")
        let files = try objects("PluginABI")
        #expect(!files.isEmpty)
        let symbols = try files.map { try Tool.run(nm, ["-u", $0]) }.joined()
        #expect(symbols.contains("swift_"))  // it did read symbols
        #expect(!symbols.contains("Foundation"))
    }
}

/// A process that loads the sample plug-ins and looks for copies of the shared modules.
enum LoadedCopies {
    static func expectOneOfEach() throws {
        let samples = try Workspace.samplePlugins.get()
        for name in ["Reporter", "Typography", "Charts"] {
            try PluginBundle.open(path: samples.appending(path: "\(name).bundle").path).loadAndReturnError()
        }
        // The type descriptor of PluginABI.PluginRegistrar and the protocol descriptor of DemoAPI.TextFilter.
        for (symbol, library) in [
            ("$s9PluginABI0A9RegistrarCMn", "libPluginHost.so"), ("$s7DemoAPI10TextFilterMp", "libDemoAPI.so"),
        ] {
            let found = try images(defining: symbol).map { URL(filePath: $0).lastPathComponent }
            guard found == [library] else {
                throw Tool.Failure(description: "\(symbol) is defined by \(found), and not by \(library) alone")
            }
        }
    }

    /// The images of this process that define a symbol, read by nm from the files that are mapped.
    private static func images(defining symbol: String) throws -> [String] {
        // With cat, because Foundation reads only what the kernel gives in one read.
        let maps = try Tool.run(Tool.find("cat"), ["/proc/\(getpid())/maps"])
        let files = Set(
            maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } })
        let nm = try Tool.find("nm")
        return try files.filter { FileManager.default.fileExists(atPath: $0) }.filter { file in
            // Both tables: a static copy may be stripped of one of them.
            try [["--defined-only", file], ["--defined-only", "-D", file]].contains { arguments in
                try Tool.output(nm, arguments).standardOutput.split(separator: "\n").contains {
                    $0.hasSuffix(" " + symbol)
                }
            }
        }.sorted()
    }
}

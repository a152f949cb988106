import DemoAPI
import Fixtures
import Foundation
import PluginHost
import Testing

/// One copy of each module: a Swift type equals itself only within one copy.
@Suite struct SingleCopy {
    /// The images of this process that define a symbol, read by nm from the files that are mapped.
    private func images(defining symbol: String) throws -> [String] {
        // By cat, because Foundation reads no more of it than the kernel gives at once.
        let maps = try Tool.run(Tool.find("cat"), ["/proc/\(getpid())/maps"])
        let files = Set(
            maps.split(separator: "\n").compactMap { line in
                line.firstIndex(of: "/").map { String(line[$0...]) }
            })
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

    @Test func exactlyOneLoadedImageDefinesEachSharedModulesTypes() throws {
        let samples = try Workspace.samplePlugins.get()
        for name in ["Reporter", "Typography", "Charts"] {
            try PluginBundle.open(path: samples.appending(path: "\(name).bundle").path).loadAndReturnError()
        }
        // The type descriptor of PluginABI.PluginRegistrar and the protocol descriptor of DemoAPI.TextFilter.
        let abi = try images(defining: "$s9PluginABI0A9RegistrarCMn")
        #expect(abi.map { URL(filePath: $0).lastPathComponent } == ["libPluginHost.so"])
        let api = try images(defining: "$s7DemoAPI10TextFilterMp")
        #expect(api.map { URL(filePath: $0).lastPathComponent } == ["libDemoAPI.so"])
    }

    /// The object files of modules, to link statically what must be linked dynamically.
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
        #expect(error.description.contains("PluginABI"))
        #expect(error.findings[0].remedy.contains(".product(name: \"PluginHost\", package: \"PluginHost\")"))
        // The check before the load tells the same.
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
        for file in files {
            let symbols = try Tool.run(nm, ["-u", file])
            #expect(symbols.contains("swift_"))  // it did read symbols
            #expect(!symbols.contains("Foundation"), "\(file)")
        }
    }
}

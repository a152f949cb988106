import Fixtures
import Foundation
import PluginHost
import Testing

/// Fault 296: an application whose interface gained a requirement, under the same version of its extension point.
@Suite struct ChangedInterfaces {
    /// An application's API before and after the change, each as a library that plug-ins are compiled against.
    private struct API {
        let folders: [URL]

        static let grown = Result { try API() }

        private init() throws {
            let source = """
                public import PluginABI
                public protocol Filter: Plugin {
                    func filter(_ text: String) -> String
                    #if GROWN
                    func undo(_ text: String) -> String
                    #endif
                }
                #if GROWN
                extension Filter { public func undo(_ text: String) -> String { text } }
                #endif
                extension ExtensionPoint where Interface == any Filter {
                    public static var grownFilter: Self { .init("org.example.grown-filter") }
                }
                """
            folders = ["before", "after"].map { Workspace.temporary.appending(path: "GrownAPI/\($0)") }
            for (folder, flags) in zip(folders, [[], ["-D", "GROWN"]]) {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let file = folder.appending(path: "GrownAPI.swift")
                try source.write(to: file, atomically: true, encoding: .utf8)
                try Tool.run(
                    try Tool.find("swiftc"),
                    [
                        "-emit-library", "-emit-module", "-parse-as-library", "-module-name", "GrownAPI", file.path,
                        "-enable-upcoming-feature", "InternalImportsByDefault",
                        "-o", folder.appending(path: "libGrownAPI.so").path,
                        "-emit-module-path", folder.appending(path: "GrownAPI.swiftmodule").path,
                    ] + Compiler.libraryFlags + flags)
            }
        }

        /// The flags to compile against one of the two, and to find the changed one when the program runs.
        func flags(_ compiled: URL) -> [String] {
            [
                "-I", compiled.path, "-L", compiled.path, "-lGrownAPI", "-Xlinker", "-rpath", "-Xlinker",
                folders[1].path,
            ]
        }
    }

    private static let plugin = """
        import GrownAPI
        import PluginABI
        final class Upper: Filter {
            init(context: PluginContext) throws {}
            func filter(_ text: String) -> String { text.uppercased() }
        }
        @c(plugin_entry)
        public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
            registerPlugin(with: host) { plugin in plugin.provide(.grownFilter, named: "upper", Upper.init) }
        }
        """

    @Test func fault296_aPluginThatWasCompiledBeforeTheChangeIsRefusedWithBothSidesNamed() throws {
        let api = try API.grown.get()
        let fixture = try BundleFixture(
            "CompiledBefore",
            info: ["PHFactories": [["name": "upper", "extensionPoint": "org.example.grown-filter"]]],
            code: .swift(Self.plugin, flags: api.flags(api.folders[0])))
        let library = api.folders[1].appending(path: "libGrownAPI.so").path
        let message = """
            The type “CompiledBefore.Upper” was compiled when the protocol “GrownAPI.Filter” had 2 requirements; in \
            “\(library)” it has 3.
            """
        let error = try loadError(fixture)
        #expect(error.code == .interfaceMismatch)
        #expect(error.findings[0].message == message)
        #expect(error.filePath == fixture.executable.path)
        // The check before a load finds the same, for this process and for a program that has loaded nothing.
        let bundle = try PluginBundle.open(path: fixture.path)
        let checked = #expect(throws: PluginError.self) { try bundle.preflight() }
        #expect(checked?.findings.map(\.message) == [message])
        let program = try Compiler.executable(
            "GrownHost", source: "import GrownAPI\nimport PluginABI\nprint(ExtensionPoint.grownFilter.name)\n",
            flags: api.flags(api.folders[1]))
        #expect(bundle.findings(loadedBy: program.path).map(\.message) == [message])
    }

    @Test func aPluginThatWasCompiledAfterTheChangeIsLoaded() throws {
        let api = try API.grown.get()
        let fixture = try BundleFixture("CompiledAfter", code: .swift(Self.plugin, flags: api.flags(api.folders[1])))
        let bundle = try PluginBundle.open(path: fixture.path)
        try bundle.preflight()
        try bundle.loadAndReturnError()
        #expect(bundle.registrations.map(\.name) == ["upper"])
    }
}

import Foundation

/// An application's API before and after the change, each as a library that plug-ins are compiled against.
public struct GrownAPI: Sendable {
    /// The folders of both libraries: before the change, and after it.
    public let folders: [URL]

    /// Both libraries, built once.
    public static let built = Result { try GrownAPI() }

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
    public func flags(_ compiled: URL) -> [String] {
        [
            "-I", compiled.path, "-L", compiled.path, "-lGrownAPI", "-Xlinker", "-rpath", "-Xlinker",
            folders[1].path,
        ]
    }

    /// The source of a plug-in that implements the interface as it was before.
    public static let plugin = """
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
}

import Fixtures
import Foundation
import Testing

/// The most common first mistake: the module of the application's API is a target of the application's package.
///
/// Then it is linked into the application, and the library that plug-ins need does not exist.
@Suite struct ApplicationLibraryTests {
    /// A plug-in that needs libNotesAPI.so, which does not exist, and the application with the module in it.
    private func mistake() throws -> (plugin: BundleFixture, application: String) {
        let folder = Workspace.temporary.appending(path: "notes-\(UUID().uuidString)")
        let modules = folder.appending(path: "modules")
        try FileManager.default.createDirectory(at: modules, withIntermediateDirectories: true)
        func file(_ name: String, _ text: String) throws -> String {
            let url = folder.appending(path: name)
            try Data(text.utf8).write(to: url)
            return url.path
        }
        let api = try file(
            "NotesAPI.swift",
            "public protocol Note { func text() -> String }\npublic func shown(_ note: any Note) -> String { note.text() }\n"
        )
        let swiftc = try Tool.find("swiftc")
        let module = ["-parse-as-library", "-module-name", "NotesAPI", api]
        try Tool.run(
            swiftc,
            module + [
                "-emit-library", "-emit-module", "-emit-module-path", modules.path + "/NotesAPI.swiftmodule",
                "-o", folder.path + "/libNotesAPI.so",
            ])
        let main = try file(
            "main.swift",
            "import NotesAPI\nstruct Empty: Note { func text() -> String { \"\" } }\nprint(shown(Empty()))\n")
        try Tool.run(swiftc, module + ["-emit-object", "-o", folder.path + "/NotesAPI.o"])
        try Tool.run(
            swiftc,
            [
                "-module-name", "notes", main, folder.path + "/NotesAPI.o", "-I", modules.path, "-o",
                folder.path + "/notes",
            ])
        let source = """
            import NotesAPI
            import PluginABI
            final class Thing: Plugin { init(context: PluginContext) throws {} }
            struct Mine: Note { func text() -> String { "mine" } }
            @c(plugin_entry)
            public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                print(shown(Mine()))
                return registerPlugin(with: host) { $0.register(Thing.self) }
            }
            """
        let plugin = try BundleFixture(
            "Notes", code: .swift(source, flags: ["-I", modules.path, "-L", folder.path, "-lNotesAPI"]))
        try FileManager.default.removeItem(at: folder.appending(path: "libNotesAPI.so"))
        return (plugin, folder.path + "/notes")
    }

    @Test func aMissingLibraryOfTheApplicationIsNamedAsThat() throws {
        let (plugin, application) = try mistake()
        let alone = try PluginHostTool.document("check", plugin.path)
        let unknown = try #require(alone.findings.first { $0["code"] as? String == "dependencyMissing" })
        #expect(
            (unknown["message"] as? String)?.contains(
                "belong to the Swift module NotesAPI, which is most likely part of the application") == true)
        let remedy = try #require(unknown["remedy"] as? String)
        #expect(
            remedy.hasPrefix("If the application contains it, name the application: pluginhost check --host PROGRAM."))
        #expect(remedy.contains("make NotesAPI a product .library(type: .dynamic) in a separate package"))
        #expect(!alone.text.contains("apt-file"))

        let hosted = try PluginHostTool.document("check", "--host", application, plugin.path)
        let known = try #require(hosted.findings.first { $0["code"] as? String == "dependencyMissing" })
        #expect(
            (known["message"] as? String)?.hasSuffix(
                "The Swift module NotesAPI, from which that library is built, is contained in “\(application)”.")
                == true)
        #expect((known["remedy"] as? String)?.hasPrefix("Make NotesAPI a product .library(type: .dynamic)") == true)
        #expect(!hosted.text.contains("apt-file") && !hosted.text.contains("--host PROGRAM"))

        // The load finds the same.
        let load = try PluginHostTool.document("load", plugin.path)
        #expect(load.codes.contains("dependencyMissing") && !load.text.contains("apt-file"))
    }

    @Test func anApplicationWithoutTheLibraryIsNamed() throws {
        let (plugin, _) = try mistake()
        let other = Workspace.products.appending(path: "pluginhost").path
        let document = try PluginHostTool.document("check", "--host", other, plugin.path)
        let finding = try #require(document.findings.first { $0["code"] as? String == "dependencyMissing" })
        #expect(
            (finding["message"] as? String)?.hasSuffix("it is not among the libraries that the application needs.")
                == true)
        #expect((finding["remedy"] as? String)?.hasPrefix("In the application, make NotesAPI") == true)
    }

    @Test func theTemplateIsFineForItsApplication() throws {
        let template = try Workspace.samplePlugins.get().appending(path: "Template.bundle").path
        let host = Workspace.products.appending(path: "demo-host").path
        let output = try PluginHostTool.run("check", "--host", host, template, environment: ["LD_LIBRARY_PATH": ""])
        #expect(output.status == 0)
        #expect(output.standardOutput == "\(template): fine\n")
    }
}

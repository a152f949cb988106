import Fixtures
import Foundation
import Testing

/// The settings of an application itself: the Settings.bundle of its main bundle.
@Suite struct ApplicationSettingsTests {
    private static let program = """
        import PluginABI
        import PluginHost

        HostEnvironment.current.name = "my-editor"
        // The command knows an application that has had a catalogue.
        _ = PluginCatalog(application: "my-editor")
        let size = Setting<Double>("size", default: -1)
        let settings = try PluginBundle.main.settings!
        print(settings[size], settings.origin(of: "size")!.layer, settings.page().title)
        print(settings.page(languages: ["fr"]).panes[0].rows[0].title!)
        if CommandLine.arguments.count > 1 {
            try settings.set(size, to: 12)
            print(settings[size])
        }
        """

    private let home = URL(filePath: "/tmp/own-settings-\(UUID().uuidString)")
    private let program: URL

    init() throws {
        let contents = home.appending(path: "Editor.app/Contents")
        program = contents.appending(path: "Linux/Editor")
        for (path, text) in [
            (
                "Info.plist",
                "{ CFBundleIdentifier = \"org.example.Editor\"; CFBundleDisplayName = Editor; NSExecutable = Editor; }"
            ),
            (
                "Resources/Settings.bundle/Root.plist",
                """
                { StringsTable = Root; PreferenceSpecifiers = ({ Type = PSTextFieldSpecifier; Key = size; Title = Size;
                  DefaultValue = <*R10>; MinimumValue = <*I6>; MaximumValue = <*I72>; }); }
                """
            ),
            ("Resources/Settings.bundle/fr.lproj/Root.strings", "Size = Taille;"),
        ] {
            let file = contents.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try FileManager.default.createDirectory(
            at: program.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: Compiler.executable("ApplicationWithSettings", source: Self.program), to: program)
    }

    private var environment: [String: String] {
        [
            "HOME": home.path, "XDG_DATA_HOME": home.path + "/share", "XDG_STATE_HOME": home.path + "/state",
            "XDG_CACHE_HOME": home.path + "/cache", "XDG_CONFIG_DIRS": home.path + "/etc",
            "XDG_CONFIG_HOME": home.path + "/config", "XDG_DATA_DIRS": "/nowhere",
        ]
    }

    private func run(_ arguments: String...) throws -> [String] {
        let output = try Tool.output(program.path, arguments, environment: environment)
        #expect(output.status == 0, "\(output)")
        return output.standardOutput.split(separator: "\n").map(String.init)
    }

    private func document(_ arguments: String...) throws -> PluginHostTool.Document {
        try PluginHostTool.document(of: arguments + ["--application", "my-editor"], environment: environment)
    }

    @Test func theApplicationAndTheCommandReadAndStoreTheSameValues() throws {
        defer { try? FileManager.default.removeItem(at: home) }
        #expect(try run() == ["10.0 plugin Editor", "Taille"])
        let list = try document("settings", "list")
        let found = try #require(list.object["plugins"] as? [[String: Any]])
        #expect(list.status == 0 && found.map { $0["identifier"] as? String } == ["org.example.Editor"])
        #expect(found[0]["path"] as? String == home.appending(path: "Editor.app").path)
        #expect(try document("settings", "set", "org.example.Editor", "size", "20").status == 0)
        #expect(try document("settings", "set", "org.example.Editor", "size", "5").status == 1)
        #expect(try run("set") == ["20.0 user Editor", "Taille", "12.0"])
        let value = try document("settings", "get", "org.example.Editor", "size").object["value"] as? Double
        #expect(value == 12)
        let doctor = try document("doctor")
        let checks = try #require(doctor.object["checks"] as? [[String: Any]])
        let facts = checks.first { $0["name"] as? String == "Settings" }?["facts"] as? [String]
        #expect(facts?.first == "org.example.Editor has 1 setting")
        #expect(try document("settings", "reset", "org.example.Editor").status == 0)
        #expect(try run() == ["10.0 plugin Editor", "Taille"])
    }

    /// The command cannot know where an application is that was never run or is gone.
    @Test func anApplicationThatIsGoneHasNoSettings() throws {
        defer { try? FileManager.default.removeItem(at: home) }
        _ = try run()
        try FileManager.default.removeItem(at: program)
        let list = try document("settings", "list")
        #expect(list.status == 0 && (list.object["plugins"] as? [Any])?.isEmpty ?? false)
    }
}

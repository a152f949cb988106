import Fixtures
import Foundation
import Testing

/// The demonstration with its plug-ins in processes of their own.
@Suite(.timeLimit(.minutes(5))) struct DemoIsolation {
    private let folder: URL

    init() throws {
        folder = Workspace.temporary.appending(path: "demo-isolation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func demo(_ arguments: [String]) throws -> Tool.Output {
        try Tool.output(
            Workspace.products.appending(path: "demo-host").path, arguments,
            environment: ["LANGUAGE": "en", "XDG_CACHE_HOME": Workspace.temporary.appending(path: "cache").path])
    }

    /// The page without the line that has the time.
    private func page(_ file: URL) throws -> [Substring] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.contains("class=\"date\"") }
    }

    @Test(arguments: ["isolated", "sandboxed"]) func theReportIsTheSame(execution: String) throws {
        let plugins = try Workspace.samplePlugins.get().path
        let documents = ["README.md", "docs/abi.md"].map { Workspace.project.appending(path: $0).path }
        let usual = folder.appending(path: "usual.html"), isolated = folder.appending(path: "isolated.html")
        let first = try demo(["--plugins", plugins, "--output", usual.path] + documents)
        let second = try demo(
            ["--isolate=\(execution)", "--plugins", plugins, "--output", isolated.path] + documents)
        #expect(first.status == 0 && second.status == 0, "\(first) \(second)")
        #expect(try page(usual) == page(isolated))
        #expect(try page(usual).contains { $0.contains("<aside class=\"card\">") })
        for name in ["Reporter", "Typography", "Charts"] {
            #expect(second.standardOutput.contains("Loaded \(name) in the process "), "\(second)")
            #expect(!first.standardOutput.contains("Loaded \(name) in the process "))
        }
    }

    /// Settings of this run, and of the user; the report shows them wherever the plug-in runs.
    @Test func aSettingChangesTheReportEverywhereAlike() throws {
        let plugins = try Workspace.samplePlugins.get().path
        let document = Workspace.project.appending(path: "docs/abi.md").path
        func report(_ options: [String]) throws -> [Substring] {
            let file = folder.appending(path: "settings-\(UUID().uuidString).html")
            let output = try demo(options + ["--plugins", plugins, "--output", file.path, document])
            #expect(output.status == 0, "\(output)")
            return try page(file)
        }
        let usual = try report([])
        let setting = ["--setting", "org.example.Charts.numbers=no", "--setting", "org.example.Charts.height=400"]
        let changed = try report(setting)
        #expect(changed != usual)
        for execution in ["isolated", "sandboxed"] {
            #expect(try report(["--isolate=\(execution)"] + setting) == changed)
        }
    }

    @Test func aSettingThatCannotBeIsAnError() throws {
        let plugins = try Workspace.samplePlugins.get().path
        for (setting, words) in [
            ("numbers", "is no setting"), ("org.example.Charts.size=1", "has a setting size"),
            ("org.example.None.size=1", "No plug-in org.example.None"),
            ("org.example.Charts.order=sideways", "given"), ("org.example.Charts.height=1000", "500"),
        ] {
            let output = try demo(["--plugins", plugins, "--setting", setting, "README.md"])
            #expect(output.status == 2 && output.standardError.contains(words), "\(setting): \(output)")
        }
    }

    @Test func thePageOfTheSettingsShowsEachOfThem() throws {
        let file = folder.appending(path: "page-of-settings.html")
        let output = try demo([
            "--plugins", try Workspace.samplePlugins.get().path, "--setting", "org.example.Charts.order=largest",
            "--settings", file.path,
        ])
        #expect(output.status == 0 && output.standardOutput.contains(file.path), "\(output)")
        let html = try String(contentsOf: file, encoding: .utf8)
        for part in [
            "<legend>Bar charts</legend>", "<option selected>Largest first</option>", "set for this run",
            "<input type=\"checkbox\" disabled checked>", "min=\"200.0\" max=\"500.0\"",
            "org.example.Charts height …</code>",
        ] { #expect(html.contains(part), "\(part)") }
    }

    @Test func oneNamedPluginRunsElsewhere() throws {
        let output = try demo([
            "--plugin", "org.example.Charts=isolated", "--plugins", try Workspace.samplePlugins.get().path, "--output",
            folder.appending(path: "page.html").path, Workspace.project.appending(path: "docs/abi.md").path,
        ])
        #expect(output.status == 0)
        #expect(output.standardOutput.contains("Loaded Charts in the process "), "\(output)")
        #expect(!output.standardOutput.contains("Loaded Reporter in the process "), "\(output)")
    }

    @Test func anUnknownExecutionIsAnError() throws {
        let output = try demo(["--isolate=somewhere", "README.md"])
        #expect(output.status == 2)
        #expect(output.standardError.contains("There is no execution somewhere; there are: in-process, isolated,"))
    }

    // MARK: The plug-in Misbehaving

    private static let misbehaving = Result {
        let folder = Workspace.temporary.appending(path: "Misbehaving")
        let samples = ["Misbehaving", "Reporter", "Checksum", "Wordlist"].map {
            Workspace.project.appending(path: "Plugins/\($0)").path
        }
        try Tool.run(
            Workspace.products.appending(path: "pluginhost").path,
            [
                "pack", "--products", Workspace.products.path, "--host",
                Workspace.products.appending(path: "demo-host").path, "--output", folder.path,
            ] + samples)
        return folder
    }

    /// What the report notes for each harm; nil for one that does not end the plug-in.
    @Test(arguments: ["crash": "was ended by the signal", "hang": "did not answer", "flood": "was ended", "keys": nil])
    func theReportIsWrittenWhateverAPluginDoes(harm: String, note: String?) throws {
        let document = folder.appending(path: "document.txt"), report = folder.appending(path: "page.html")
        try Data("One two three. Four five.\nMisbehave: \(harm)\n".utf8).write(to: document)
        let output = try demo([
            "--isolate=sandboxed", "--plugins", try Self.misbehaving.get().path, "--pipeline",
            "misbehaving,summary,html", "--output", report.path, document.path,
        ])
        let page = try String(contentsOf: report, encoding: .utf8)
        #expect(page.contains("Summary"), "\(output)")
        if let note {
            #expect(output.status == 1)
            #expect(output.standardError.contains(note), "\(output)")
            #expect(page.contains(note))
        } else {
            #expect(output.status == 0, "\(output)")
            #expect(page.contains("Your private files"))
            #expect(!page.contains("open to read"))
        }
    }
}

import Fixtures
import Foundation
import Testing

/// The settings of the sample plug-in Charts, in files in the demonstration.
@Suite(.timeLimit(.minutes(5))) struct DemoSettings {
    private let folder: URL

    init() throws {
        folder = Workspace.temporary.appending(path: "demo-settings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func demo(_ arguments: [String], language: String = "en") throws -> Tool.Output {
        try Tool.output(
            Workspace.products.appending(path: "demo-host").path,
            ["--plugins", try Workspace.samplePlugins.get().path] + arguments,
            environment: [
                "LANGUAGE": language, "XDG_CACHE_HOME": Workspace.temporary.appending(path: "cache").path,
                "XDG_CONFIG_HOME": folder.appending(path: "home").path,
                "XDG_CONFIG_DIRS": folder.appending(path: "etc").path, "XDG_DATA_DIRS": folder.path,
            ])
    }

    private func write(_ layer: String, _ list: String) throws {
        let file = folder.appending(path: "\(layer)/demo-host/settings/org.example.Charts.plist")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(list.utf8).write(to: file)
    }

    /// The report, without the line that has the time.
    private func report(_ arguments: [String] = []) throws -> String {
        let file = folder.appending(path: "page.html")
        let document = Workspace.project.appending(path: "docs/abi.md").path
        let output = try demo(arguments + ["--output", file.path, document])
        #expect(output.status == 0, "\(output)")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { !$0.contains("class=\"date\"") }.joined(separator: "\n")
    }

    @Test func valuesOfFilesChangeTheReportAlikeInEveryPlace() throws {
        let usual = try report()
        try write("home", "{ Settings = { numbers = no; order = smallest; }; }")
        let changed = try report()
        #expect(changed != usual)
        for place in ["isolated", "sandboxed"] { #expect(try report(["--isolate=\(place)"]) == changed, "\(place)") }
    }

    @Test func aPageShowsTheSettingsInTheUsersLanguageWithWhoseTheyAre() throws {
        try write("home", "{ Settings = { order = largest; }; }")
        try write("etc", "{ Settings = { height = 400; }; }")
        let file = folder.appending(path: "settings.html")
        let output = try demo(["--settings", file.path], language: "fr")
        #expect(output.status == 0 && output.standardOutput.contains(file.path), "\(output)")
        #expect(!output.standardOutput.contains("Charts"), "no code runs for a page")
        let page = try String(contentsOf: file, encoding: .utf8)
        let row = /<input type="range" step="any" disabled min="200.0" max="500.0" value="400.0">/
        #expect(page.contains(row) && page.contains("<html lang=\"fr\">"), "\(page)")
        #expect(page.contains("<input type=\"checkbox\" disabled checked>"))
        #expect(page.contains(/org.example.Charts order …<\/code>, [^<]+<\/div>/), "\(page)")
        #expect(page.contains(/org.example.Charts numbers …<\/code><\/div>/), "\(page)")
    }

    @Test func aWrongValueIsReportedAndThePageIsWritten() throws {
        try write("home", "{ Settings = { height = tall; }; }")
        let file = folder.appending(path: "settings.html")
        let output = try demo(["--settings", file.path])
        #expect(output.status == 1 && output.standardError.contains("“tall”"), "\(output)")
        #expect(try String(contentsOf: file, encoding: .utf8).contains("value=\"300.0\""))
    }
}

import DemoAPI
import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// The sample plug-ins, as `make demo` assembles them.
@Suite struct SamplePlugins {
    private func sample(_ name: String) throws -> PluginBundle {
        try PluginBundle.open(path: Workspace.samplePlugins.get().appending(path: "\(name).bundle").path)
    }

    @Test(arguments: ["Reporter", "Typography", "Charts", "Checksum", "Template"])
    func everySampleWithCodePassesPreflightAndLoads(name: String) throws {
        let bundle = try sample(name)
        try bundle.preflight()
        try bundle.loadAndReturnError()
        #expect(bundle.isLoaded)
        #expect(bundle.bundleIdentifier == "org.example.\(name)")
        #expect(!bundle.registrations.map(\.name).isEmpty)
    }

    @Test func declaredExtensionsAreRegistered() throws {
        for name in ["Reporter", "Typography", "Charts", "Checksum", "Template"] {
            let bundle = try sample(name)
            try bundle.loadAndReturnError()
            let registered = Set(bundle.registrations.map(\.name))
            for factory in bundle.manifest.extensions {
                #expect(registered.contains(factory.name), "\(name): \(factory.name)")
            }
            for (function, _) in bundle.manifest.functions { _ = try bundle.function(function) }
        }
    }

    @Test func reportersPrincipalClassIsThatOfItsKey() throws {
        let bundle = try sample("Reporter")
        #expect(bundle.manifest.principalClass == "Reporter")
        #expect(bundle.principalClass.map { "\($0)" } == "Reporter")
        for name in ["Reporter", "NotePad", "QueryList"] {
            #expect(bundle.classNamed(name) != nil, "\(name)")
            #expect(PluginBundle(for: try #require(bundle.classNamed(name))) === bundle)
        }
    }

    @Test func typographysPrincipalClassIsTheFirstRegistered() throws {
        let bundle = try sample("Typography")
        #expect(bundle.manifest.principalClass == nil)
        let principal: AnyClass = try #require(bundle.principalClass)
        #expect(bundle.classNamed(bundle.registrations.map(\.name)[0]).map { $0 == principal } == true)
    }

    @Test func aProviderIsUsedWithoutACast() throws {
        let providers = try sample("Typography").providers(of: .textFilter)
        let uppercase = try #require(providers.first { $0.name == "uppercase" })
        let filter: any TextFilter = try uppercase.make()
        #expect(try filter.filter("straße") == "STRASSE")
    }

    @Test func checksumsAreRightThroughTheFactoryAndThroughLibffi() throws {
        let bundle = try sample("Checksum")
        // The check value of CRC-32: its result on the digits 1 to 9.
        let digits = [UInt8]("123456789".utf8)
        let crc32 = try bundle.function("crc32", "(bytes) -> uint32")
        #expect(try crc32(.bytes(digits)).uint64 == 0xCBF4_3926)
        #expect(try crc32(.bytes([])).uint64 == 0)
        let wrong = #expect(throws: PluginError.self) { try crc32(.string("123456789")) }
        #expect(wrong?.code == .argumentInvalid)
        #expect(throws: PluginError.self) { try crc32() }
        #expect(throws: PluginError.self) { try bundle.function("crc32", "(string) -> uint32") }
        #expect(throws: PluginError.self) { try bundle.function("crc64") }
        #expect(try bundle.cProviders(at: "org.example.checksum", version: 1).map(\.name).contains("sha-256"))
    }

    @Test func aBundleWithoutCodeHasResourcesAndDoesNotLoad() throws {
        let bundle = try sample("Wordlist")
        #expect(bundle.findings().isEmpty)
        #expect(!bundle.load())
        #expect(bundle.loadError?.code == .notCode)
        #expect(bundle.principalClass == nil)
        #expect(Set(bundle.localizations).isSuperset(of: ["en", "fr", "de", "ja"]))
    }

    @Test func stringsAreInTheLanguageThatTheHostSets() throws {
        // In a process of its own, because the languages belong to the process.
        let demo = Workspace.products.appending(path: "demo-host").path
        let plugins = try Workspace.samplePlugins.get().path
        let document = Workspace.temporary.appending(path: "document.txt")
        try "One small step for a man, one giant leap.".write(to: document, atomically: true, encoding: .utf8)
        let cases: [(environment: [String: String], lang: String)] = [
            (["LANG": "fr_FR.UTF-8"], "fr"), (["LANGUAGE": "ja"], "ja"), (["LC_ALL": "de_DE.UTF-8"], "de"),
            (["LANG": "C"], "en"),
        ]
        for (environment, lang) in cases {
            let report = Workspace.temporary.appending(path: "report-\(lang).html")
            var all = ["LANG": "", "LANGUAGE": "", "LC_ALL": "", "LC_MESSAGES": ""]
            all.merge(environment) { $1 }
            let output = try Tool.output(
                demo, ["--plugins", plugins, "--output", report.path, document.path], environment: all)
            #expect(output.status == 0, "\(output)")
            #expect(try String(contentsOf: report, encoding: .utf8).contains("<html lang=\"\(lang)\""), "\(lang)")
        }
    }

    /// A folder with all samples, for one test to change.
    private func copyOfAll(_ name: String) throws -> URL {
        let folder = Workspace.temporary.appending(path: name)
        try FileManager.default.copyItem(at: Workspace.samplePlugins.get(), to: folder)
        return folder
    }

    private func demo(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Tool.Output {
        let usual = ["LANGUAGE": "en", "XDG_CACHE_HOME": Workspace.temporary.appending(path: "cache").path]
        return try Tool.output(
            Workspace.products.appending(path: "demo-host").path, arguments,
            environment: usual.merging(environment) { $1 })
    }

    @Test func theDemoHostListsNamesStatesAndReasons() throws {
        let folder = try copyOfAll("listed")
        let list = folder.appending(path: "Charts.bundle/Contents/Info.plist")
        try Data("<plist".utf8).write(to: list)
        let output = try demo(["--plugins", folder.path, "--list"], ["LANGUAGE": "fr"])
        #expect(output.status == 1)
        #expect(output.standardOutput.contains("Listes de mots 1.0  org.example.Wordlist  (prêt)"), "\(output)")
        #expect(output.standardOutput.contains("Mots courants"))
        #expect(output.standardOutput.contains("Charts.bundle  (non utilisé)"))
        #expect(output.standardOutput.contains(list.path))
    }

    @Test func theDemoHostOpensNoPluginThatItDoesNotUse() throws {
        let folder = try copyOfAll("mostly-broken")
        // Its code is broken: nobody notices before it is used.
        try Data("no code".utf8).write(to: folder.appending(path: "Charts.bundle/Contents/Linux/Charts"))
        let document = Workspace.temporary.appending(path: "used.txt")
        // Words that repeat, so that there is something to draw.
        let text = "A step, a step and another step make a walk; a walk makes a way."
        try text.write(to: document, atomically: true, encoding: .utf8)
        let report = Workspace.temporary.appending(path: "used.html").path
        let arguments = ["--plugins", folder.path, "--output", report, document.path]
        let unused = try demo(arguments + ["--pipeline", "summary,html"])
        #expect(unused.status == 0, "\(unused)")
        #expect(unused.standardOutput.contains("Loaded Reporter"))
        #expect(!unused.standardOutput.contains("Loaded Typography"))
        let used = try demo(arguments)
        #expect(used.status == 1)
        #expect(used.standardError.contains("Charts.bundle"))
    }

    @Test(.fault(263)) func aReportShowsMarksOfDirectionAndDoesNotObeyThem() throws {
        let plugins = try Workspace.samplePlugins.get().path
        let document = Workspace.temporary.appending(path: "turned\u{202E}txt.md")
        let text = "# Turned \u{2066}heading\u{202E}\n\nA step\u{202E}pets, a step and another step.\n"
        try text.write(to: document, atomically: true, encoding: .utf8)
        let report = Workspace.temporary.appending(path: "turned.html")
        let output = try demo(["--plugins", plugins, "--output", report.path, document.path])
        #expect(output.status == 0, "\(output)")
        let html = try String(contentsOf: report, encoding: .utf8)
        #expect(!html.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0x2066 })
        #expect(html.uppercased().contains("202E"))
    }

    @Test func theDemoHostSearchesTheStandardPaths() throws {
        let data = Workspace.temporary.appending(path: "data-home")
        let plugins = data.appending(path: "demo-host/plugins")
        try FileManager.default.createDirectory(
            at: plugins.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: Workspace.samplePlugins.get(), to: plugins)
        let output = try demo(["--list"], ["XDG_DATA_HOME": data.path])
        #expect(output.status == 0, "\(output)")
        #expect(output.standardOutput.contains("org.example.Typography"))
        let named = try demo(["--list"], ["DEMO_PLUGINS": try Workspace.samplePlugins.get().path])
        #expect(named.standardOutput == output.standardOutput)
    }

    @Test func withoutItsRequirementASampleIsNotUsedAndTheReasonIsReported() throws {
        let folder = try copyOfAll("without-words")
        try FileManager.default.removeItem(at: folder.appending(path: "Wordlist.bundle"))
        let output = try demo(["--plugins", folder.path, "--list"])
        #expect(output.status == 1)
        #expect(output.standardOutput.contains("Reporter.bundle 1.0  (not used)"))
        #expect(output.standardOutput.contains("org.example.Wordlist"))
    }

    @Test(.fault(286)) func aReportThatCannotBeWrittenLeavesTheOldOneAndTheCauseIsNamed() throws {
        let demo = Workspace.products.appending(path: "demo-host").path
        let folder = Workspace.temporary.appending(path: "unwritten-report")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let report = folder.appending(path: "report.html")
        try "old".write(to: report, atomically: false, encoding: .utf8)
        let document = Workspace.project.appending(path: "README.md").path
        // Files of at most one block, but the report has several.
        let output = try Tool.output(
            "/bin/sh",
            [
                "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh", demo, "--plugins",
                Workspace.samplePlugins.get().path, "--output", report.path, document,
            ], environment: ["LANGUAGE": "en"])
        #expect(output.status == 1, "\(output)")
        #expect(
            output.standardError.contains(
                "The report could not be written to \(report.path): the system reports “File too large”. Fix that, or "
                    + "choose another file with --output."), "\(output)")
        #expect(try String(contentsOf: report, encoding: .utf8) == "old")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["report.html"])
    }

    @Test func aBrokenPluginIsReportedAndTheOthersWork() throws {
        let demo = Workspace.products.appending(path: "demo-host").path
        let folder = Workspace.temporary.appending(path: "with-broken")
        try FileManager.default.copyItem(at: Workspace.samplePlugins.get(), to: folder)
        let broken = try BundleFixture("Broken", code: .c("int nothing;"))
        try FileManager.default.copyItem(at: broken.url, to: folder.appending(path: "Broken.bundle"))
        try "<plist><dict>".write(
            to: folder.appending(path: "Template.bundle/Contents/Info.plist"), atomically: true, encoding: .utf8)
        let report = Workspace.temporary.appending(path: "report-broken.html")
        let document = Workspace.project.appending(path: "README.md").path
        let output = try Tool.output(
            demo, ["--plugins", folder.path, "--output", report.path, document], environment: ["LANGUAGE": "en"])
        // 1: everything was done except what had to be left out.
        #expect(output.status == 1, "\(output)")
        #expect((output.standardError + output.standardOutput).contains("Template.bundle"))
        #expect(FileManager.default.fileExists(atPath: report.path))
    }
}

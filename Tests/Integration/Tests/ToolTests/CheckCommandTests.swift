import Fixtures
import Foundation
import Testing

@Suite struct CheckCommandTests {
    /// Broken bundles, each with the code that its check must report.
    struct Broken: Sendable, CustomTestStringConvertible {
        let name: String
        let code: String
        var info: [String: any Sendable] = [:]
        var source: BundleFixture.Code = .c(PluginSource.good)
        var damage: @Sendable (BundleFixture) throws -> Void = { _ in }

        var testDescription: String { name }

        static let all: [Broken] = [
            Broken(name: "InfoListMissing", code: "manifestUnreadable") {
                try FileManager.default.removeItem(at: $0.infoList)
            },
            Broken(name: "InfoListIsNoList", code: "manifestUnreadable") {
                try Data("%%%".utf8).write(to: $0.infoList)
            },
            Broken(name: "IdentifierIsANumber", code: "manifestInvalid", info: ["CFBundleIdentifier": 7]),
            Broken(name: "SignatureIsNone", code: "manifestInvalid", info: ["PHFunctions": ["f": "int f(void)"]]),
            Broken(name: "RangeIsNone", code: "manifestInvalid", info: ["PHRequires": ["org.example.Words": "newest"]]),
            Broken(name: "ExecutableIsAPath", code: "executableOutsideBundle", info: ["NSExecutable": "../../evil"]),
            Broken(name: "ExecutableMissing", code: "executableMissing", source: .none),
            Broken(name: "ExecutableIsALinkOut", code: "executableOutsideBundle", source: .none) {
                try FileManager.default.createSymbolicLink(atPath: $0.executable.path, withDestinationPath: "/bin/sh")
            },
            Broken(name: "ExecutableIsAScript", code: "notLoadable", source: .none) {
                try Data("#!/bin/sh\n".utf8).write(to: $0.executable)
            },
            Broken(name: "ExecutableIsCutOff", code: "notLoadable") {
                let bytes = try Data(contentsOf: $0.executable)
                try bytes.prefix(bytes.count / 2).write(to: $0.executable)
            },
            Broken(name: "ExecutableIsForAnotherMachine", code: "notLoadable") {
                var bytes = try Data(contentsOf: $0.executable)
                bytes[18] = 243  // e_machine: RISC-V
                bytes[19] = 0
                try bytes.write(to: $0.executable)
            },
            Broken(name: "EntryMissing", code: "symbolMissing", source: .c(PluginSource.missingEntry)),
            Broken(name: "SymbolMissing", code: "symbolMissing", source: .c(PluginSource.undefinedSymbol)),
            Broken(
                name: "LibraryMissing", code: "dependencyMissing", source: .c(PluginSource.good, flags: missingLibrary)),
            Broken(
                name: "SearchPathIsRelative", code: "unsafeSearchPath",
                source: .c(PluginSource.good, flags: ["-Wl,-rpath,somewhere"])),
        ]

        /// A library that exists when the plug-in is linked, but not when it is loaded.
        private static let missingLibrary: [String] = {
            let folder = Workspace.temporary.appending(path: "missing-library")
            try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let library = folder.appending(path: "libnowhere.so").path
            _ = try? Tool.run(Tool.find("clang"), ["-shared", "-fPIC", "-x", "c", "/dev/null", "-o", library])
            return ["-Wl,--no-as-needed", "-L\(folder.path)", "-lnowhere"]
        }()
    }

    @Test(arguments: Broken.all) func reportsWhatIsWrongAndWhatToDo(_ broken: Broken) throws {
        let fixture = try BundleFixture(broken.name, info: broken.info, code: broken.source)
        try broken.damage(fixture)

        let document = try PluginHostTool.document("check", fixture.path)
        #expect(document.status == 1)
        #expect(document.codes.contains(broken.code), "\(document.text)")
        let finding = try #require(document.findings.first { $0["code"] as? String == broken.code })
        #expect(finding["severity"] as? String == "error")
        #expect(finding["file"] is String)
        #expect((finding["message"] as? String)?.isEmpty == false)
        let remedy = try #require(finding["remedy"] as? String)
        #expect(!remedy.isEmpty)
        #expect(
            Set(finding.keys) == [
                "severity", "code", "file", "line", "column", "byte", "subject", "message", "remedy", "systemMessage",
                "related",
            ])

        let output = try PluginHostTool.run("check", fixture.path)
        #expect(output.status == 1)
        #expect(output.standardOutput.contains("error \(broken.code)"))
        #expect(PluginHostTool.words(output.standardOutput).contains("To do: " + PluginHostTool.words(remedy)))
        #expect(!output.standardOutput.contains("\u{1B}["))
    }

    @Test func aGoodBundleIsFine() throws {
        let fixture = try BundleFixture("Good", code: .c(PluginSource.good))
        let output = try PluginHostTool.run("check", fixture.path)
        #expect(output.status == 0)
        #expect(output.standardOutput == "\(fixture.path): fine\n")
        let document = try PluginHostTool.document("check", fixture.path)
        #expect(document.status == 0)
        #expect(document.bundles.first?["fine"] as? Bool == true)
        #expect(document.findings.isEmpty)
    }

    @Test func aBundleOfResourcesIsFine() throws {
        let fixture = try BundleFixture("Resources", info: ["NSExecutable": NSNull()], code: .none)
        #expect(try PluginHostTool.run("check", fixture.path).status == 0)
    }

    @Test func theSamplePluginsAreFine() throws {
        let output = try PluginHostTool.run("check", Workspace.samplePlugins.get().path)
        #expect(output.status == 0, "\(output.standardOutput)")
        #expect(output.standardOutput.contains("bundles checked, no problems found"))
    }

    @Test func warningsCountUnderStrictOnly() throws {
        let fixture = try BundleFixture("UnknownKey", info: ["PHFunction": "misspelt"], code: .c(PluginSource.good))
        let lenient = try PluginHostTool.document("check", fixture.path)
        #expect(lenient.status == 0)
        #expect(lenient.bundles.first?["fine"] as? Bool == true)
        #expect(lenient.bundles.first?["warnings"] as? Int == 1)
        let strict = try PluginHostTool.document("check", fixture.path, "--strict")
        #expect(strict.status == 1)
        #expect(strict.bundles.first?["fine"] as? Bool == false)
        #expect(strict.findings.first?["subject"] as? String == "PHFunction")
    }

    @Test(.fault(9)) func aFileThatEverybodyMayChangeIsAWarning() throws {
        let fixture = try BundleFixture("WritableByOthers", code: .c(PluginSource.good))
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: fixture.executable.path)
        let lenient = try PluginHostTool.document("check", fixture.path)
        #expect(lenient.status == 0 && lenient.codes == ["writableByOthers"])
        #expect(lenient.findings.first?["file"] as? String == fixture.executable.path)
        #expect(try PluginHostTool.document("check", fixture.path, "--strict").status == 1)
    }

    @Test func everyFindingIsReported() throws {
        let fixture = try BundleFixture(
            "Several", info: ["CFBundleName": 1, "CFBundleVersion": [String](), "PHFunctions": ["f": "?"]],
            code: .c(PluginSource.missingEntry))
        let document = try PluginHostTool.document("check", fixture.path)
        #expect(document.bundles.first?["errors"] as? Int == 4)
        #expect(document.codes.sorted() == ["manifestInvalid", "manifestInvalid", "manifestInvalid", "symbolMissing"])
    }

    @Test func aFolderStandsForItsBundles() throws {
        let folder = Workspace.temporary.appending(path: "folder-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, source) in ["B": PluginSource.good, "A": PluginSource.missingEntry] {
            let fixture = try BundleFixture(name, code: .c(source))
            try FileManager.default.moveItem(at: fixture.url, to: folder.appending(path: "\(name).bundle"))
        }
        let document = try PluginHostTool.document("check", folder.path)
        #expect(document.status == 1)
        #expect(document.bundles.compactMap { $0["identifier"] as? String } == ["org.example.A", "org.example.B"])
        #expect(document.bundles.compactMap { $0["fine"] as? Bool } == [false, true])
        let text = try PluginHostTool.run("check", folder.path).standardOutput
        #expect(text.contains("A.bundle: 1 error"))
        #expect(text.contains("B.bundle: fine"))
        #expect(text.contains("\n“pluginhost explain symbolMissing” describes the first finding.\n"))
        #expect(text.hasSuffix("2 bundles checked, problems found in 1\n"))
    }

    @Test func librariesOfTheHostCountAsPresent() throws {
        let charts = try Workspace.samplePlugins.get().appending(path: "Charts.bundle").path
        let alone = try PluginHostTool.run("check", charts, environment: ["LD_LIBRARY_PATH": ""])
        #expect(alone.status == 1)
        #expect(alone.standardOutput.contains("libDemoAPI.so"))
        #expect(alone.standardOutput.contains("--host"))
        let host = Workspace.products.appending(path: "demo-host").path
        let hosted = try PluginHostTool.document("check", "--host", host, charts, environment: ["LD_LIBRARY_PATH": ""])
        #expect(hosted.status == 0, "\(hosted.text)")
        #expect(hosted.object["host"] as? String == host)
    }

    @Test(arguments: ["check", "info", "load"]) func aLinkToNothingIsNamedWithItsTarget(_ command: String) throws {
        let folder = try PluginFolder()
        let link = folder.path + "/Lost.bundle"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere/Lost.bundle")
        let words = PluginHostTool.words(try PluginHostTool.run(command, folder.path).standardOutput)
        #expect(words.contains("is a link to “nowhere/Lost.bundle”, and there is no bundle directory:"), "\(words)")
        #expect(words.contains("Correct the link or remove it"), "\(words)")
    }
}

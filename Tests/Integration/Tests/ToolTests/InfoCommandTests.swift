import Fixtures
import Foundation
import Testing

@Suite struct InfoCommandTests {
    @Test func describesTheBundle() throws {
        let maker: [String: any Sendable] = [
            "name": "maker", "extensionPoint": "org.example.point", "version": 3, "displayName": "The maker",
        ]
        let fixture = try BundleFixture(
            "Informative",
            info: [
                "CFBundleName": "Informative name", "CFBundleVersion": "17", "CFBundleShortVersionString": "2.1",
                "NSPrincipalClass": "Chief", "PHFunctions": ["twice": "(int32) -> int32"],
                "PHFactories": [maker],
                "PHRequires": ["org.example.other": ">=1.0"],
            ], code: .c(PluginSource.good))
        let output = try PluginHostTool.run("info", fixture.path)
        #expect(output.status == 0)
        #expect(output.standardError.isEmpty)
        for part in [
            fixture.path, "Informative name", "org.example.Informative", "2.1 (17)", "Contents/Linux/Informative",
            "Chief",
            "(int32) -> int32", "org.example.point 3", "“The maker”", "org.example.other >=1.0",
        ] {
            #expect(output.standardOutput.contains(part), "\(part) is missing")
        }
    }

    @Test func theDocumentHasEveryKey() throws {
        let fixture = try BundleFixture("Bare", code: .none)
        let document = try PluginHostTool.document("info", fixture.path)
        #expect(document.status == 0)
        #expect(document.object["format"] as? Int == 1)
        #expect(document.object["command"] as? String == "info")
        let keys: Set = [
            "path", "identifier", "name", "displayName", "version", "shortVersion", "packageType", "executable",
            "machine", "layout", "manifest", "note",
            "principalClass", "factories", "functions", "requires", "hostRequires", "capabilities", "extensionPoints",
            "uses", "execution", "permissions", "limits", "developmentRegion", "localizations",
            "preferredLocalizations", "resourceDirectory",
            "resources", "findings", "metadata", "documentTypes", "typeDeclarations",
        ]
        let bundle = try #require(document.bundles.first)
        #expect(keys.isSubset(of: Set(bundle.keys)))
        #expect(bundle["executable"] is NSNull)
        #expect(bundle["note"] is NSNull)
        #expect(bundle["layout"] as? String == "Contents")
        #expect(bundle["path"] as? String == fixture.path)
    }

    @Test func showsWhatItIsAndWhatItOpens() throws {
        let fixture = try BundleFixture(
            "Notes",
            info: [
                "PHDescription": "Draws notes.", "PHAuthors": ["A. Uthor"], "PHLicense": "MIT",
                "NSHumanReadableCopyright": "© 2026", "PHWebsite": "https://example.org", "PHBugs": "javascript:1",
                "LSApplicationCategoryType": "public.app-category.music", "PHKeywords": ["notes", "score"],
                "CFBundleDocumentTypes": [
                    ["CFBundleTypeName": "Score", "CFBundleTypeExtensions": ["mid"], "LSHandlerRank": "Owner"]
                        as [String: any Sendable]
                ],
                "UTExportedTypeDeclarations": [
                    ["UTTypeIdentifier": "org.example.score", "UTTypeConformsTo": "public.data"]
                ],
            ], code: .none)
        let text = PluginHostTool.words(try PluginHostTool.run("info", fixture.path).standardOutput)
        for part in [
            "Description Draws notes.", "Authors A. Uthor", "License MIT", "Copyright © 2026",
            "Website https://example.org", "Category public.app-category.music", "Keywords notes, score",
            ".mid “Score” Viewer rank Owner", "org.example.score conforms to public.data",
        ] {
            #expect(text.contains(part), "\(part) is missing in \(text)")
        }
        #expect(!text.contains("javascript"))
        let bundle = try #require(try PluginHostTool.document("info", fixture.path).bundles.first)
        let metadata = try #require(bundle["metadata"] as? [String: Any])
        #expect(metadata["license"] as? String == "MIT" && metadata["bugs"] is NSNull)
        let types = try #require(bundle["documentTypes"] as? [[String: Any]])
        #expect(types.first?["rank"] as? String == "Owner" && types.first?["contentTypes"] as? [String] == [])
    }

    @Test func showsWhereTheCodeRunsAndWhatItAsksFor() throws {
        let permissions: [String: any Sendable] = [
            "files": [["path": "$DOCUMENTS", "access": "write"]], "network": ["connect": [443]],
            "environment": ["EDITOR"], "reasons": ["files": "To open your scores."],
        ]
        let fixture = try BundleFixture(
            "Asking",
            info: ["PHExecution": "sandboxed", "PHPermissions": permissions, "PHLimits": ["memory": 64]], code: .none)
        let text = PluginHostTool.words(try PluginHostTool.run("info", fixture.path).standardOutput)
        for part in [
            "Runs sandboxed:", "PHExecution in its Info.plist asks for “sandboxed”.", "Limits memory 64",
            "files $DOCUMENTS (write) “To open your scores.”",
            "network connect to 443", "environment EDITOR",
        ] {
            #expect(text.contains(part), "\(part) is missing in \(text)")
        }
        let bundle = try #require(try PluginHostTool.document("info", fixture.path).bundles.first)
        let asked = try #require(bundle["permissions"] as? [String: Any])
        #expect(Set(asked.keys) == ["files", "network", "processes", "devices", "environment", "reasons"])
        #expect((asked["network"] as? [String: [Int]]) == ["connect": [443], "listen": []])
        #expect((asked["files"] as? [[String: String]]) == [["path": "$DOCUMENTS", "access": "write"]])
        let limits = try #require(bundle["limits"] as? [String: Any])
        #expect(limits["memory"] as? Int == 64 && limits["openFiles"] as? Int == 256 && limits["threads"] is NSNull)
        let plain = try BundleFixture("Plain", code: .none)
        let said = try PluginHostTool.run("info", plain.path).standardOutput
        #expect(!said.contains("Asks for") && !said.contains("Limits") && !said.contains("Execution"))
        #expect(PluginHostTool.words(said).contains("Runs in the application's process"), "\(said)")
    }

    @Test(.fault(431)) func anUnknownPermissionIsShownByName() throws {
        let fixture = try BundleFixture("Unknown", info: ["PHPermissions": ["camera": true]], code: .none)
        let document = try PluginHostTool.document("check", fixture.path)
        #expect(document.status == 1 && document.codes.first == "manifestInvalid", "\(document.text)")
        #expect((document.findings.first?["message"] as? String)?.contains("“camera”") == true)
        #expect(document.findings.first?["line"] is Int)
    }

    @Test func showsWhatItOpensUsesAndNeedsFromTheApplication() throws {
        let factory: [String: any Sendable] = ["name": "late", "extensionPoint": "org.example.point", "order": 70]
        let point: [String: any Sendable] = ["name": "org.example.palette", "version": 4, "displayName": "Palettes"]
        let fixture = try BundleFixture(
            "Open",
            info: [
                "PHFactories": [factory], "PHExtensionPoints": [point], "PHCapabilities": ["org.example.colour"],
                "PHUses": ["org.example.spelling": 2],
            ], code: .none)
        let text = try PluginHostTool.run("info", fixture.path).standardOutput
        for part in ["order 70", "org.example.palette 4", "“Palettes”", "org.example.colour", "org.example.spelling 2"]
        {
            #expect(text.contains(part), "\(part) is missing in \(text)")
        }
        let bundle = try #require(PluginHostTool.document("info", fixture.path).bundles.first)
        #expect((bundle["factories"] as? [[String: Any]])?.first?["order"] as? Int == 70)
        #expect((bundle["extensionPoints"] as? [[String: Any]])?.first?["version"] as? Int == 4)
        #expect(bundle["capabilities"] as? [String] == ["org.example.colour"])
        #expect(bundle["uses"] as? [String: Int] == ["org.example.spelling": 2])
    }

    @Test func theExecutablesNoteAndMachineAreShown() throws {
        let source = "PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) { (void)host; return 0; }"
        let document = try PluginHostTool.document("info", BundleFixture("Noted", code: .c(source)).path)
        let bundle = try #require(document.bundles.first)
        let note = try #require(bundle["note"] as? [String: Any])
        #expect(note["abi"] as? String == "1.1")
        #expect(note["registersSwift"] as? Bool == false)
        #expect((note["toolchain"] as? String)?.isEmpty == false)
        #expect((bundle["machine"] as? String)?.isEmpty == false)
    }

    @Test(.enabled(if: (try? Tool.find("gcc")) != nil, "there is no gcc"))
    func aNoteOfGCCNamesGCC() throws {
        let folder = Workspace.temporary.appending(path: "gcc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let source = folder.appending(path: "entry.c"), library = folder.appending(path: "entry.so")
        let text = """
            #include "plugin_abi.h"
            PLUGIN_DECLARE_NOTE;
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) { (void)host; return PLUGIN_OK; }
            """
        try Data((text + "\n").utf8).write(to: source)
        let header = Workspace.project.appending(path: "Sources/CPluginSupport/include").path
        try Tool.run(Tool.find("gcc"), ["-shared", "-fPIC", "-I", header, source.path, "-o", library.path])
        let document = try PluginHostTool.document("info", BundleFixture("FromGCC", code: .file(library)).path)
        let note = try #require(document.bundles.first?["note"] as? [String: Any])
        #expect((note["toolchain"] as? String)?.wholeMatch(of: /GCC [0-9]+\..*/) != nil, "\(note)")
    }

    @Test func keysAreSorted() throws {
        let text = try PluginHostTool.document("info", BundleFixture("Sorted", code: .none).path).text
        let keys = text.split(separator: "\n").filter { $0.hasPrefix("  \"") }
        #expect(keys == keys.sorted())
    }

    @Test func listsLanguagesAndTheResourcesOfTheUsersLanguage() throws {
        let fixture = try BundleFixture("Localised", code: .none)
        for (name, text) in ["logo.txt": "logo", "fr.lproj/page.txt": "page", "en.lproj/page.txt": "page"] {
            let file = fixture.url.appending(path: "Contents/Resources/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let document = try PluginHostTool.document("info", fixture.path, environment: ["LANGUAGE": "fr"])
        let bundle = try #require(document.bundles.first)
        #expect(bundle["localizations"] as? [String] == ["en", "fr"])
        #expect(bundle["preferredLocalizations"] as? [String] == ["fr"])
        #expect(bundle["resources"] as? [String] == ["logo.txt", "fr.lproj/page.txt"])
    }

    @Test func runsNoCode() throws {
        let mark = Workspace.temporary.appending(path: "mark-\(UUID().uuidString)").path
        let fixture = try BundleFixture("Marking", code: .c(PluginSource.leavingMark(at: mark)))
        #expect(try PluginHostTool.run("info", fixture.path).status == 0)
        #expect(try PluginHostTool.run("check", fixture.path).status == 0)
        #expect(!FileManager.default.fileExists(atPath: mark))
        #expect(try PluginHostTool.run("load", fixture.path).status == 0)
        #expect(FileManager.default.fileExists(atPath: mark))
    }

    @Test func anUnreadableInfoListIsAProblem() throws {
        let fixture = try BundleFixture("BadList", code: .none)
        try Data("<plist><dict><key>a</key>".utf8).write(to: fixture.infoList)
        let document = try PluginHostTool.document("info", fixture.path)
        #expect(document.status == 1)
        #expect(document.codes == ["manifestUnreadable"])
    }

    @Test func namesCannotCommandTheTerminal() throws {
        let fixture = try BundleFixture("Hostile", info: ["CFBundleName": "red\u{1B}[31m\nforged line"], code: .none)
        let output = try PluginHostTool.run("info", fixture.path).standardOutput
        #expect(!output.contains("\u{1B}"))
        #expect(!output.contains("\nforged line"))
        #expect(output.contains("\\u{1B}[31m\\nforged line"))
    }

    @Test func linesKeepToEightyColumnsWithoutATerminal() throws {
        let functions = Dictionary(uniqueKeysWithValues: (1...40).map { ("required.bundle\($0)", ">=1.0") })
        let fixture = try BundleFixture("Wide", info: ["PHRequires": functions], code: .none)
        let lines = try PluginHostTool.run("info", fixture.path).standardOutput.split(separator: "\n")
        #expect(lines.count > 10)
        #expect(lines.allSatisfy { $0.count <= 80 || $0.contains("/") })
    }
}

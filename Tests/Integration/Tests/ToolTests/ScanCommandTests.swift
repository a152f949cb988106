import Fixtures
import Foundation
import Testing

@Suite struct ScanCommandTests {
    private func folder() throws -> PluginFolder {
        let folder = try PluginFolder([
            "Charts": ["CFBundleShortVersionString": "2.0"],
            "Old": ["CFBundleIdentifier": "org.example.Charts"],
        ])
        // So old that its times are trusted.
        for name in ["Charts", "Old"] {
            let list = folder.url.appending(path: "\(name).bundle/Contents/Info.plist")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: list.path)
        }
        return folder
    }

    @Test func explainsEachSearchPathAndCandidate() throws {
        let folder = try folder()
        let output = try PluginHostTool.run("scan", "--explain", "--no-index", folder.path)
        #expect(output.status == 0)
        let text = PluginHostTool.words(output.standardOutput)
        #expect(text.contains("\(folder.path) 2 candidates"))
        #expect(text.contains("Charts.bundle usable org.example.Charts 2.0 (read in "))
        #expect(text.contains("the same identifier and a higher version, 2.0."))
        #expect(text.contains("2 candidates in 1 folder: 1 usable, 1 shadowed"))
        #expect(text.contains("without an index"))
    }

    @Test func aLaterScanUsesTheIndex() throws {
        let folder = try folder()
        let cache = ["XDG_CACHE_HOME": try PluginFolder().path]
        let first = try PluginHostTool.document("scan", folder.path, environment: cache)
        #expect(first.object["read"] as? Int == 2)
        let index = try #require(first.object["index"] as? String)
        #expect(FileManager.default.fileExists(atPath: index))
        // A file is trusted if it was unchanged for long enough when it was read; the second scan sees that at the latest.
        Thread.sleep(forTimeInterval: 0.1)
        _ = try PluginHostTool.document("scan", folder.path, environment: cache)
        let third = try PluginHostTool.document("scan", folder.path, environment: cache)
        #expect(third.object["fromIndex"] as? Int == 2 && third.object["read"] as? Int == 0)
        #expect(third.bundles.count == 2)
        #expect(third.bundles.allSatisfy { $0["fromIndex"] as? Bool == true && $0["microseconds"] is NSNull })
        try folder.add("Charts", ["CFBundleShortVersionString": "3.0"])
        let changed = try PluginHostTool.document("scan", folder.path, environment: cache)
        #expect(changed.bundles.first?["version"] as? String == "3.0")
        #expect(changed.bundles.first?["fromIndex"] as? Bool == false)
    }

    @Test func theDocumentHasEveryKey() throws {
        let document = try PluginHostTool.document("scan", "--no-index", folder().path)
        let keys: Set = [
            "format", "command", "milliseconds", "index", "fromIndex", "read", "verdicts", "folders", "bundles",
            "findings",
        ]
        #expect(Set(document.object.keys) == keys)
        #expect(document.object["index"] is NSNull)
        #expect((document.object["verdicts"] as? [String: Int])?["usable"] == 1)
    }

    @Test func aFolderThatDoesNotExistIsToldOfAnApplication() throws {
        let output = try PluginHostTool.run("scan", "--explain", "--no-index", "--application", "no-such-editor")
        #expect(output.status == 0)
        #expect(output.standardOutput.contains("/usr/share/no-such-editor/plugins does not exist"))
        #expect(output.standardOutput.contains("no candidates in no folder"))
    }
}

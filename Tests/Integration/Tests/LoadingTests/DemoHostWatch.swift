import Fixtures
import Foundation
import Testing

/// `demo-host --watch`, as its user sees it.
@Suite(.timeLimit(.minutes(5))) struct DemoHostWatch {
    /// A program that runs, and what it has printed.
    private final class Running {
        let process = Process()
        private let output = Pipe()
        private var text = ""

        init(_ program: String, _ arguments: [String]) throws {
            process.executableURL = URL(filePath: program)
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.merging(["LANGUAGE": "en"]) { $1 }
            process.standardOutput = output
            process.standardError = output
            process.standardInput = FileHandle.nullDevice
            try process.run()
        }

        /// Reads on until a text was printed; false if the program ended without it.
        func prints(_ wanted: String) -> Bool {
            while true {
                if let range = text.range(of: wanted) {
                    text.removeSubrange(..<range.upperBound)
                    return true
                }
                let data = output.fileHandleForReading.availableData
                if data.isEmpty {
                    Issue.record("\(wanted) is not printed, but: \(text)")
                    return false
                }
                text += String(decoding: data, as: UTF8.self)
            }
        }
    }

    @Test func itRunsAgainWhenADocumentOrAPluginChangesAndEndsByCtrlC() throws {
        let folder = Workspace.temporary.appending(path: "watched-plugins")
        try FileManager.default.copyItem(at: Workspace.samplePlugins.get(), to: folder)
        let document = Workspace.temporary.appending(path: "watched/document.txt")
        try FileManager.default.createDirectory(
            at: document.deletingLastPathComponent(), withIntermediateDirectories: true)
        try "One small step for a man.".write(to: document, atomically: true, encoding: .utf8)
        let report = Workspace.temporary.appending(path: "report-watched.html")
        let demo = try Running(
            Workspace.products.appending(path: "demo-host").path,
            ["--watch", "--plugins", folder.path, "--output", report.path, document.path])
        #expect(demo.prints("The report is"))
        #expect(demo.prints("Waiting for changes"))

        try "One giant leap for mankind.".write(to: document, atomically: true, encoding: .utf8)
        #expect(demo.prints("document.txt has changed."))
        #expect(demo.prints("The report is"))
        #expect(try String(contentsOf: report, encoding: .utf8).contains("giant leap"))

        // As at the end of an installation of a new version.
        let list = folder.appending(path: "Reporter.bundle/Contents/Info.plist")
        let text = try String(contentsOf: list, encoding: .utf8)
        try text.replacing("</dict>\n</plist>", with: "<key>Edition</key><string>2</string></dict>\n</plist>").write(
            to: list, atomically: true, encoding: .utf8)
        #expect(demo.prints("runs new code: generation 2."))
        #expect(demo.prints("The report is"))

        demo.process.interrupt()
        #expect(demo.prints("No longer waiting for changes."))
        demo.process.waitUntilExit()
        #expect(demo.process.terminationStatus == 0)
    }
}

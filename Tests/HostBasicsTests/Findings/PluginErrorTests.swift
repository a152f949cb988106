import Testing

@testable import HostBasics

@Suite struct PluginErrorTests {
    @Test func theDescriptionHasTheFirstErrorInFullAndTheNumberOfOthers() {
        let warning = PluginFinding(.warning, .unsafeSearchPath, message: "W.")
        let first = PluginFinding(
            .symbolMissing, filePath: "/f", subject: "s", message: "It is missing.", remedy: "Add it.",
            systemMessage: "no s")
        let second = PluginFinding(.dependencyMissing, message: "D.")
        let error = PluginError(bundlePath: "/b", findings: [warning, first, second])
        #expect(
            error.code == .symbolMissing && error.filePath == "/f" && error.subject == "s"
                && error.systemMessage == "no s")
        #expect(
            error.description
                == "The bundle “/b”: It is missing. The system said: no s. Add it. 2 more problems were found.")
        #expect(error.findings == [first, second, warning])
    }

    @Test func namesInMessagesCannotMoveTheCursorOrForgeALine() {
        #expect(quoted("plain é 日本") == "“plain é 日本”")
        #expect(quoted("a\nb\u{1B}[2J\u{7F}\u{202E}\u{2066}") == "“a\\nb\\u{1B}[2J\\u{7F}\\u{202E}\\u{2066}”")
        #expect(quoted("\u{85}\u{2028}") == "“\\u{0085}\\u{2028}”")
    }
}

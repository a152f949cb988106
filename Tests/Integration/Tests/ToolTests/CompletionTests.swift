import Fixtures
import Foundation
import Testing

@Suite struct CompletionTests {
    @Test(arguments: ["bash", "zsh", "fish"]) func thereIsAScriptForEachShell(_ shell: String) throws {
        let output = try PluginHostTool.run("--generate-completion-script", shell)
        #expect(output.status == 0 && output.standardError.isEmpty)
        for command in ["list", "why", "graph", "doctor", "scan", "info", "check", "lint", "load"] {
            #expect(output.standardOutput.contains(command), "\(command)")
        }
    }

    /// Those shells of the three that are installed here; bash is on every machine.
    private static let shells = ["bash", "zsh", "fish"].filter { $0 == "bash" || (try? Tool.find($0)) != nil }

    @Test(arguments: shells) func theShellTakesItsScript(_ shell: String) throws {
        let script = Workspace.temporary.appending(path: "completion.\(shell)")
        try PluginHostTool.run("--generate-completion-script", shell).standardOutput.write(
            to: script, atomically: true, encoding: .utf8)
        let output = try Tool.output(Tool.find(shell), ["-n", script.path])
        #expect(output.status == 0 && output.standardError.isEmpty, "\(output)")
        // The shell looks at it: what is no script is refused.
        try "if; then (".write(to: script, atomically: true, encoding: .utf8)
        #expect(try Tool.output(Tool.find(shell), ["-n", script.path]).status != 0)
    }

    @Test func bashCompletesTheIdentifiersOfTheFoldersThatAreNamed() throws {
        let folder = try PluginFolder(["Charts": [:], "Checksum": [:], "Report": [:]])
        let script = Workspace.temporary.appending(path: "completion-\(UUID().uuidString).bash")
        try PluginHostTool.run("--generate-completion-script", "bash").standardOutput.write(
            to: script, atomically: true, encoding: .utf8)
        let line = """
            source "$0"; cd /
            COMP_WORDS=(pluginhost why --in "$1" org.example.Ch); COMP_CWORD=4; COMP_LINE="${COMP_WORDS[*]}"
            COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; _pluginhost pluginhost org.example.Ch "$1"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let path = Workspace.products.path + ":" + ProcessInfo.processInfo.environment["PATH", default: "/usr/bin"]
        let output = try Tool.output(
            "/bin/bash", ["-c", line, script.path, folder.path],
            environment: ["PATH": path, "LD_LIBRARY_PATH": Workspace.products.path])
        let found = output.standardOutput.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(found == ["org.example.Charts", "org.example.Checksum"], "\(output)")
    }
}

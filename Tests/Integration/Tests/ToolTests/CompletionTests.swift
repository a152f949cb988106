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
        let script = Workspace.temporary.appending(path: "completion.\(shell)")
        try output.standardOutput.write(to: script, atomically: true, encoding: .utf8)
        guard let program = try? Tool.find(shell) else { return }
        #expect(try Tool.output(program, ["-n", script.path]).status == 0)
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

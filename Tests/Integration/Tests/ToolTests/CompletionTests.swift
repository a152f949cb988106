import Fixtures
import Foundation
import Testing

/// The completion scripts, run in the real shells.
///
/// “Scripts/setup.sh shells” installs the shells.
@Suite struct CompletionTests {
    enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    private static let commands = [
        "list", "why", "graph", "doctor", "scan", "bisect", "info", "check", "lint", "explain", "load", "call", "new",
        "remote",
        "pack",
        "strings", "extract", "diff", "pseudo", "plist", "convert",
    ]

    private func script(_ shell: Shell) throws -> URL {
        let output = try PluginHostTool.run("--generate-completion-script", shell.rawValue)
        #expect(output.status == 0 && output.standardError.isEmpty)
        let folder = Workspace.temporary.appending(path: "completion-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // zsh finds a function by the name of its file.
        let file = folder.appending(path: "_pluginhost")
        try output.standardOutput.write(to: file, atomically: true, encoding: .utf8)
        return file
    }

    /// All completions of the last word of each line, in order, with a blank between.
    private func completions(of lines: [String], in shell: Shell) throws -> [String] {
        guard let program = try? Tool.find(shell.rawValue) else {
            throw Tool.Failure(
                description:
                    "there is no \(shell) to test with: run Scripts/setup.sh shells, or apt-get install \(shell)")
        }
        let driver =
            switch shell {
            case .bash: ["--norc", "-c", Self.bashDriver, "bash"]
            case .zsh: ["-f", "-c", Self.zshDriver, "zsh"]
            case .fish: ["--no-config", "-c", Self.fishDriver]
            }
        let path = Workspace.products.path + ":" + ProcessInfo.processInfo.environment["PATH", default: "/usr/bin"]
        let output = try Tool.output(
            "/usr/bin/timeout", ["60", program] + driver + [script(shell).path] + lines,
            environment: [
                "PATH": path, "LD_LIBRARY_PATH": Workspace.products.path, "HOME": Workspace.temporary.path,
                "LC_ALL": "C.UTF-8", "TERM": "dumb",
            ])
        let found = output.standardOutput.split(whereSeparator: \.isNewline).map { line in
            line.split(separator: " ").map { $0.hasSuffix("/") ? $0.dropLast() : $0 }.joined(separator: " ")
        }
        #expect(output.status == 0 && found.count == lines.count, "\(output)")
        return found
    }

    /// Calls the function that the script registers with “complete”, as the shell does.
    private static let bashDriver = """
        source "$1"; shift
        for line; do
            read -ra COMP_WORDS <<<"$line"; [[ $line == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE=$line; COMP_POINT=${#line}; COMP_TYPE=9; COMPREPLY=()
            _pluginhost pluginhost "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            echo "-" ${COMPREPLY[@]}
        done | sed 's/^- *//'
        """

    /// Types each line and a tab into a shell on its own terminal, and reads the line back, which then has the first
    /// completion.
    private static let zshDriver = """
        zmodload zsh/zpty
        zpty shell zsh -f
        zpty -w shell "PS1= RPS1= PS2=; stty -echo; fpath=(${1:h} \\$fpath); autoload -U compinit; compinit -u -D"
        zpty -w shell 'show() { print -r -- "<""<$BUFFER>>"; BUFFER= }; zle -N show; bindkey "^X" show; bindkey "^I" menu-complete'
        shift
        for line; do
            zpty -w -n shell "$line"$'\\t\\x18'
            zpty -r shell shown '*<<*>>*' || exit 1
            shown=${${shown##*<<}%%>>*}
            print -r -- ${${(z)shown}[-1]}
        done
        """

    private static let fishDriver = """
        source $argv[1]
        for line in $argv[2..]
            complete -C $line | string split -f1 \\t | string join ' '
        end
        true
        """

    @Test(arguments: Shell.allCases) func everyCommandCompletesPaths(_ shell: Shell) throws {
        let folder = try PluginFolder(["Charts": [:]])
        let bundle = folder.path + "/Charts.bundle"
        let program = folder.path + "/application"
        try Data().write(to: folder.url.appending(path: "application"))
        var cases = ["list", "graph", "doctor", "scan", "info", "check", "lint", "load", "call"].map {
            (line: "pluginhost \($0) \(folder.path)/Ch", word: bundle)
        }
        cases += ["list", "why", "graph", "doctor", "scan", "bisect", "check"].map {
            (line: "pluginhost \($0) --host \(folder.path)/app", word: program)
        }
        cases += [
            ("pluginhost why --in \(folder.path)/Ch", bundle),
            ("pluginhost info /tmp \(folder.path)/Ch", bundle),
            ("pluginhost check --strict --json \(folder.path)/Ch", bundle),
            ("pluginhost lint \(folder.path)/app", program),
            ("pluginhost lint --sources \(folder.path)/app", program),
        ]
        #expect(try completions(of: cases.map(\.line), in: shell) == cases.map(\.word))
    }

    @Test(arguments: Shell.allCases) func wordsAreCompleted(_ shell: Shell) throws {
        let folder = try PluginFolder(["Charts": ["PHFunctions": ["bars": "() -> void"]], "Report": [:]])
        var cases = [
            ("pluginhost gr", "graph"), ("pluginhost lint --type stringsd", "stringsdict"),
            ("pluginhost graph --format mer", "mermaid"), ("pluginhost load --time", "--timeout"),
            ("pluginhost check --level stan", "standard"), ("pluginhost check --format sar", "sarif"),
            ("pluginhost explain symbolM", "symbolMissing"),
            ("pluginhost strings extr", "extract"),
        ]
        // fish then asks its line editor for the words, which does not exist without a terminal.
        if shell != .fish {
            cases.append(("pluginhost why --in \(folder.path) org.example.Ch", "org.example.Charts"))
            cases.append(("pluginhost call \(folder.path)/Charts.bundle ba", "bars"))
            cases += try applicationCases()
        }
        #expect(try completions(of: cases.map(\.0), in: shell) == cases.map(\.1))
    }

    /// Every command that takes an application or a plug-in of it.
    private func applicationCases() throws -> [(String, String)] {
        let data = Workspace.temporary.appending(path: ".local/share/completed-app/plugins")
        let list = data.appending(path: "Loud.bundle/Contents/Info.plist")
        try FileManager.default.createDirectory(
            at: list.deletingLastPathComponent(), withIntermediateDirectories: true)
        let keys: [String: Any] = ["CFBundleIdentifier": "org.example.Loud", "PHPermissions": ["processes": true]]
        try PropertyListSerialization.data(fromPropertyList: keys, format: .xml, options: 0).write(to: list)
        let root = data.appending(path: "Loud.bundle/Contents/Resources/Settings.bundle/Root.plist")
        try FileManager.default.createDirectory(
            at: root.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("{ PreferenceSpecifiers = ({ Type = PSToggleSwitchSpecifier; Key = pauses; }); }".utf8).write(to: root)
        let taking = [
            "list", "why", "graph", "doctor", "scan", "bisect", "info", "install", "uninstall", "rollback", "enable",
            "disable",
            "quarantine list", "quarantine clear", "quarantine add", "consents list", "consents give",
            "consents revoke", "stage", "settings list", "settings get", "settings set", "settings reset",
        ]
        let naming = [
            "why", "uninstall", "rollback", "enable", "disable", "quarantine clear", "quarantine add",
            "consents give", "consents revoke", "settings list", "settings get", "settings set", "settings reset",
        ]
        let app = "--application completed-app"
        var cases = taking.map { ("pluginhost \($0) --application completed-", "completed-app") }
        cases += naming.map { ("pluginhost \($0) \(app) org.example.L", "org.example.Loud") }
        cases.append(("pluginhost bisect \(app) --keep org.example.L", "org.example.Loud"))
        cases += ["get", "set", "reset"].map { ("pluginhost settings \($0) \(app) org.example.Loud pau", "pauses") }
        cases.append(("pluginhost consents give \(app) org.example.Loud proc", "processes"))
        return cases
    }

    @Test(arguments: Shell.allCases) func theScriptIsSound(_ shell: Shell) throws {
        let file = try script(shell)
        let text = try String(contentsOf: file, encoding: .utf8)
        for command in Self.commands { #expect(text.contains(command), "\(command)") }
        #expect(try Tool.output(Tool.find(shell.rawValue), ["-n", file.path]).status == 0)
    }
}

import Fixtures
import Foundation
import Testing

@Suite struct ExitStatusTests {
    /// A command of `--experimental-dump-help`.
    private struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let kind: String
                let name: String
            }
            let kind: String
            let names: [Name]?
        }
        let commandName: String
        let subcommands: [Command]?
        let arguments: [Argument]?

        /// The words of each command, with the value in the place of every option and argument in turn.
        func calls(_ value: String, after path: [String] = []) -> [[String]] {
            let options = (arguments ?? []).filter { $0.kind == "option" }.compactMap(\.names?.first)
            let positional = (arguments ?? []).filter { $0.kind == "positional" }.map { _ in value }
            var calls = [path + positional, path + positional + [value], path + ["--" + value]]
            for name in options {
                calls.append(path + [(name.kind == "short" ? "-" : "--") + name.name, value] + positional)
            }
            calls += calls.map { $0 + ["--json"] }
            for command in subcommands ?? [] where command.commandName != "help" {
                calls += command.calls(value, after: path + [command.commandName])
            }
            return calls
        }
    }

    @Test(.fault(852)) func noControlCharacterOfAnArgumentReachesTheTerminal() throws {
        struct Dump: Decodable { let command: Command }
        let text = try PluginHostTool.run("--experimental-dump-help").standardOutput
        let calls = try JSONDecoder().decode(Dump.self, from: Data(text.utf8)).command
            .calls("x\u{1B}[31m\u{7}\r\u{9B}\u{202E}y\u{2028}")
        #expect(calls.count > 200)
        let home = try PluginFolder().path
        for call in calls {
            let output = try PluginHostTool.run(call, environment: ["HOME": home, "XDG_CONFIG_HOME": home])
            let raw = (output.standardOutput + output.standardError).unicodeScalars.filter {
                let isControl = $0.properties.generalCategory == .control || $0.value == 0x202E || $0.value == 0x2028
                return isControl && $0 != "\n" && $0 != "\t"
            }
            #expect(raw.isEmpty && (0...2).contains(output.status), "\(call) \(output)")
        }
    }

    @Test(arguments: [["check"], ["info", "--colour", "x"], ["frobnicate"], ["check", "--host"], ["load"], ["call"]])
    func aWrongUseIsTwo(_ arguments: [String]) throws {
        let output = try PluginHostTool.run(arguments)
        #expect(output.status == 2)
        #expect(output.standardOutput.isEmpty)
        #expect(output.standardError.contains("Usage:"))
    }

    @Test(arguments: [
        (["list"], "list"), (["call", "X.bundle", "--list", "f"], "call"), (["why", "x"], "why"),
        (["install", "X.bundle"], "install"), (["consents", "list", "--application", "a/b"], "consents list"),
        (["pack", "--configuration", "fast"], "pack"), (["list", "/nonexistent"], "list"),
    ])
    func theUsageIsThatOfTheCommand(_ arguments: [String], _ command: String) throws {
        let output = try PluginHostTool.run(arguments)
        #expect(output.status == 2)
        #expect(output.standardError.contains("\nUsage: pluginhost \(command) "), "\(output)")
        #expect(output.standardError.contains("See 'pluginhost \(command) --help'"), "\(output)")
    }

    @Test func theHelpHasTheCommandsInFiveGroups() throws {
        let help = try PluginHostTool.run("--help").standardOutput
        let page = try String(contentsOf: Workspace.project.appending(path: "docs/command-line.md"), encoding: .utf8)
        var rest = help[...]
        for group in ["Look", "Check", "Make", "Install", "Isolate"] {
            let heading = try #require(rest.range(of: "\(group.uppercased()) SUBCOMMANDS:"), "\(group) \(help)")
            rest = rest[heading.upperBound...]
            #expect(page.contains("\n## \(group)"), "\(group)")
        }
        #expect(!help.contains("\nSUBCOMMANDS:") && !help.contains("in-child"))
        // The commands that the help names for somebody exist.
        let roles = help.split(separator: "\n").joined(separator: " ").matches(of: /If you [a-z]+ a[a-z -]+: ([^.]+)\./)
        #expect(roles.count == 3)
        for role in roles {
            let commands = role.1.replacing(" and ", with: ", ").split(separator: ",").map { $0.trimmingPrefix(/\s+/) }
            #expect((6...8).contains(commands.count), "\(commands)")
            for command in commands { #expect(help.contains("\n  \(command)"), "\(command)") }
        }
    }

    @Test(arguments: [
        (["chek"], "check"), (["lintt"], "lint"), (["Load"], "load"), (["inf", "X.bundle"], "info"), (["hlep"], "help"),
        (["doc"], "doctor"),
    ])
    func aMistypedCommandSuggestsTheRightOne(_ arguments: [String], _ command: String) throws {
        let output = try PluginHostTool.run(arguments)
        #expect(output.status == 2)
        #expect(
            output.standardError.contains("There is no command “\(arguments[0])”. Did you mean “\(command)”?"),
            "\(output.standardError)")
    }

    @Test func aCommandThatResemblesNoneSuggestsNone() throws {
        #expect(!(try PluginHostTool.run("frobnicate").standardError.contains("Did you mean")))
    }

    @Test(arguments: [
        (["frobnicate"], nil), (["check"], "check"), (["list", "/nonexistent"], "list"),
        (["info", "--colour", "X.bundle"], "info"), (["load", "--timeout", "never", "X.bundle"], "load"),
    ])
    func aWrongUseIsADocumentWithJSON(_ arguments: [String], _ command: String?) throws {
        let output = try PluginHostTool.run(arguments + ["--json"])
        #expect(output.status == 2)
        #expect(output.standardError.isEmpty)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(output.standardOutput.utf8)) as? [String: Any])
        #expect(Set(object.keys) == ["format", "command", "usageError"])
        #expect(object["command"] as? String == command)
        let message = try #require(object["usageError"] as? String)
        #expect(!message.isEmpty && !message.contains("Usage:"))
    }

    @Test func theVersionIsThatOfTheLibraryTheABIAndSwift() throws {
        let lines = try PluginHostTool.run("--version").standardOutput.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        let version = try #require(lines.first?.wholeMatch(of: /pluginhost (\S+)/)?.1)
        let source = try String(
            contentsOf: Workspace.project.appending(path: "Sources/HostBasics/Versions/LibraryVersion.swift"),
            encoding: .utf8)
        #expect(source.contains("\"\(version)\""))
        #expect(lines[1] == "plug-in ABI 1.1")
        let swift = try #require(lines[2].prefixMatch(of: /Swift ([0-9.]+),/)?.1)
        #expect(try Tool.run(Tool.find("swiftc"), ["--version"]).contains("Swift version \(swift)"))
    }

    @Test(arguments: ["info", "check", "load"]) func aMissingDirectoryIsTwo(_ command: String) throws {
        let output = try PluginHostTool.run(command, "/nonexistent/X.bundle")
        #expect(output.status == 2)
        #expect(output.standardOutput.contains("bundleNotFound"))
    }

    @Test func aFileIsNotABundle() throws {
        let file = Workspace.temporary.appending(path: "file.bundle")
        try Data().write(to: file)
        #expect(try PluginHostTool.run("info", file.path).status == 2)
    }

    @Test func aMissingHostIsTwo() throws {
        let fixture = try BundleFixture("Hostless", code: .none)
        let output = try PluginHostTool.run("check", "--host", "/nonexistent/host", fixture.path)
        #expect(output.status == 2)
        #expect(output.standardError.contains("/nonexistent/host"))
    }

    @Test func theWorstBundleDecides() throws {
        let good = try BundleFixture("Fine", code: .c(PluginSource.good)).path
        let bad = try BundleFixture("Bad", code: .c(PluginSource.missingEntry)).path
        #expect(try PluginHostTool.run("check", good, bad).status == 1)
        #expect(try PluginHostTool.run("check", good, bad, "/nonexistent").status == 2)
    }

    @Test func outputThatCannotBeWrittenIsTwo() throws {
        let path = try BundleFixture("Unwritable", code: .none).path
        let program = Workspace.products.appending(path: "pluginhost").path
        let output = try Tool.output("/bin/sh", ["-c", "exec \"$0\" info \"$1\" >/dev/full", program, path])
        #expect(output.status == 2)
        #expect(output.standardError.contains("cannot be written"))
    }

    @Test(arguments: [["--help"], ["help", "check"], ["--version"], ["load", "--help"]])
    func helpIsASuccess(_ arguments: [String]) throws {
        let output = try PluginHostTool.run(arguments)
        #expect(output.status == 0)
        #expect(!output.standardOutput.isEmpty)
        #expect(output.standardError.isEmpty)
    }
}

import ArgumentParser
import CPluginSupport
import Glibc
@_spi(Tools) import HostBasics
@_spi(PluginHost) @_spi(Tools) import PluginHost
import PluginWorkers

/// `pluginhost`: finds, explains, inspects, checks and loads bundles.
///
/// docs/command-line.md describes the commands and their exit statuses, docs/json.md their JSON.
@main
struct PluginHostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pluginhost",
        abstract: "Finds, explains, inspects, checks, loads and calls plug-in bundles.",
        discussion: """
            No command but “load”, “probe”, “call” and “check --level” runs any code of a bundle, and “bisect” runs the \
            application. Nearly all take --json, and each ends with 0 if nothing is wrong, with 1 if it found problems, and with 2 after \
            wrong usage or if it cannot do its work.

            If you write an application: new, list, why, check, call, remote, diff and stage.
            If you write a plug-in: new, lint, check, explain, load, call, pack and strings.
            If you administer a machine: install, list, why, doctor, bisect, quarantine, consents and settings.
            """,
        version: """
            pluginhost \(PluginVersion.ofThisLibrary)
            plug-in ABI \(PLUGIN_ABI_MAJOR).\(PLUGIN_ABI_MINOR)
            Swift \(swiftVersion), \(toolchain)
            """,
        // The same groups in the same order as in docs/command-line.md.
        groupedSubcommands: [
            CommandGroup(
                name: "Look",
                subcommands: [
                    ListCommand.self, WhyCommand.self, InfoCommand.self, GraphCommand.self, DoctorCommand.self,
                    ScanCommand.self, BisectCommand.self,
                ]),
            CommandGroup(
                name: "Check",
                subcommands: [
                    CheckCommand.self, LintCommand.self, ExplainCommand.self, LoadCommand.self, CallCommand.self,
                ]),
            CommandGroup(
                name: "Make",
                subcommands: [
                    NewCommand.self, PackCommand.self, StringsCommand.self, PlistCommand.self, RemoteCommand.self,
                    StageCommand.self, RecordCommand.self, DiffCommand.self,
                ]),
            CommandGroup(
                name: "Install",
                subcommands: [
                    InstallCommand.self, UninstallCommand.self, RollbackCommand.self, EnableCommand.self,
                    DisableCommand.self, SettingsCommand.self,
                ]),
            CommandGroup(
                name: "Isolate",
                subcommands: [
                    ProbeCommand.self, QuarantineCommand.self, ConsentsCommand.self,
                    LoadInChildCommand.self, CallInChildCommand.self, UseInChildCommand.self,
                ]),
        ])

    /// Replaces the parser's main(), which ends with 64 after wrong usage.
    ///
    /// The tool ends with 2.
    static func main() async {
        var parsed: (any ParsableCommand.Type)?
        do {
            try requireKnownCommand()
            var command = try parseAsRoot(Array(ProgramArguments.all.dropFirst()))
            parsed = type(of: command)
            if let command = command as? ProbeCommand, let finding = WorkerTrial.findingBeforeStart() {
                try command.reportAll(finding)
            } else if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            // Stop the workers that the tool itself started, or “load” would report them as left behind by the bundle's
            // code.
            for worker in PluginWorker.all { await worker.stop(within: .seconds(2)) }
        } catch let status as ExitCode {
            Glibc.exit(status.rawValue)
        } catch {
            end(with: error, of: parsed)
        }
    }

    private static let commandNames = configuration.subcommands.compactMap { $0.configuration.commandName }

    /// - Throws: ValidationError for a command that does not exist, with similar commands.
    private static func requireKnownCommand() throws {
        guard let name = ProgramArguments.all.dropFirst().first, !name.hasPrefix("-") else { return }
        guard name != "help", !commandNames.contains(name) else { return }
        let shown =
            configuration.subcommands.filter { $0.configuration.shouldDisplay }
            .compactMap { $0.configuration.commandName } + ["help"]
        var suggestions = NameSuggestions()
        let near = suggestions.nearestNames(to: name, among: shown, atMost: 2)
        let similar = shown.filter { $0.hasPrefix(name) || near.contains($0) }
        let question = similar.isEmpty ? "" : " Did you mean \(similar.map { "“\($0)”" }.joined(separator: " or "))?"
        throw ValidationError("There is no command “\(name.escapedForTerminal)”.\(question)")
    }

    /// The parser treats help and the version as errors, but they go to standard output and are a success.
    ///
    /// With --json, wrong usage is reported as JSON too.
    ///
    /// `command`: the command that ran; nil if the arguments did not fit any.
    private static func end(with error: any Error, of command: (any ParsableCommand.Type)?) -> Never {
        let isAnswer = exitCode(for: error) == .success
        let arguments = ProgramArguments.all.prefix { $0 != "--" }
        if !isAnswer, arguments.contains("--json") {
            let command = arguments.dropFirst().first { commandNames.contains($0) }
            let document = JSONValue.object([
                "format": .integer(JSONValue.format), "command": JSONValue(command),
                "usageError": .string(message(for: error)),
            ])
            if let text = try? document.text() { Terminal.write(text) }
        } else {
            let text = isAnswer ? fullMessage(for: error) : escaped(fullMessage(for: error, of: command))
            let shown = Terminal.isUTF8 ? text : text.inASCII
            if !text.isEmpty { Terminal.write(shown + "\n", to: isAnswer ? STDOUT_FILENO : STDERR_FILENO) }
        }
        Glibc.exit(isAnswer ? ExitStatus.fine.rawValue : ExitStatus.unable.rawValue)
    }

    /// The message about an error, with the usage of the command at hand.
    ///
    /// The parser knows the command only for errors that it finds itself.
    private static func fullMessage(for error: any Error, of command: (any ParsableCommand.Type)?) -> String {
        guard let command, error is ValidationError else { return fullMessage(for: error) }
        let usage = usageString(for: command)
        let call = (path(of: command, in: self) ?? []).joined(separator: " ")
        return """
            Error: \(message(for: error))
            Usage: \(usage.split(separator: "\n").joined(separator: "\n       "))
              See '\(call) --help' for more information.
            """
    }

    /// The words that call a command: `pluginhost consents list`.
    private static func path(
        of command: any ParsableCommand.Type, in parent: any ParsableCommand.Type
    ) -> [String]? {
        let name = parent.configuration.commandName ?? ""
        if parent == command { return [name] }
        return parent.configuration.subcommands.lazy.compactMap { path(of: command, in: $0) }.first.map { [name] + $0 }
    }

    /// A message of the parser, without the control characters in the arguments that it repeats.
    private static func escaped(_ message: String) -> String {
        var text = message
        for argument in ProgramArguments.all.dropFirst() {
            // The parser repeats an argument, or what follows the “=” in it.
            let value = argument.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
            for part in [argument, value] where part.unicodeScalars.contains(where: { $0.value < 0x20 }) {
                text = text.replacing(part, with: part.escapedForTerminal)
            }
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).escapedForTerminal }
            .joined(separator: "\n")
    }

    /// The compiler's version, as precisely as a program can find out.
    private static var swiftVersion: String {
        #if compiler(>=6.5)
        "6.5"
        #elseif compiler(>=6.4)
        "6.4"
        #elseif compiler(>=6.3.3)
        "6.3.3"
        #elseif compiler(>=6.3.2)
        "6.3.2"
        #elseif compiler(>=6.3.1)
        "6.3.1"
        #else
        "6.3"
        #endif
    }

    private static var toolchain: String {
        let text = plugin_swift_toolchain()
        return String(decoding: UnsafeRawBufferPointer(start: text.ptr, count: text.len), as: UTF8.self)
    }
}

/// The exit status of a command.
///
/// The worst result is the status.
enum ExitStatus: Int32, Comparable {
    case fine = 0
    case problems = 1
    case unable = 2

    static func < (a: ExitStatus, b: ExitStatus) -> Bool { a.rawValue < b.rawValue }

    /// - Throws: the status, unless it is ``fine``; ``PluginHostCommand/main()`` ends the process with it.
    func finish() throws {
        if self != .fine { throw ExitCode(rawValue) }
    }
}

import ArgumentParser
import CPluginSupport
import Glibc

/// `pluginhost`: finds, explains, inspects, checks and loads bundles. docs/command-line.md tells the commands, their exit codes and
/// their JSON.
@main
struct PluginHostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pluginhost",
        abstract: "Finds, explains, inspects, checks and loads plug-in bundles.",
        discussion: """
            No command but “load” runs any code of a bundle. Each takes --json, and ends with 0 if all is well, 1 if it \
            found problems, and 2 if it was called wrongly or cannot do its work.
            """,
        version: "plug-in ABI \(PLUGIN_ABI_MAJOR).\(PLUGIN_ABI_MINOR), built by \(toolchain)",
        subcommands: [
            ListCommand.self, WhyCommand.self, GraphCommand.self, DoctorCommand.self, ScanCommand.self,
            InfoCommand.self,
            CheckCommand.self, LintCommand.self, LoadCommand.self, LoadInChildCommand.self,
        ])

    /// Not the parser's own main(): that one ends with 64 after a wrong use, and here it is 2.
    static func main() {
        guard !CommandLine.arguments.isEmpty else {
            // The runtime reads them from /proc/self. Without them the parser takes the call for one that wants help.
            Terminal.write("Error: The arguments of the call cannot be read. Try again.\n", to: STDERR_FILENO)
            Glibc.exit(ExitStatus.unable.rawValue)
        }
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let status as ExitCode {
            Glibc.exit(status.rawValue)
        } catch {
            end(telling: error)
        }
    }

    /// Help and the version are errors to the parser; they belong on standard output and are a success.
    private static func end(telling error: any Error) -> Never {
        let text = fullMessage(for: error)
        let isAnswer = exitCode(for: error) == .success
        if !text.isEmpty { Terminal.write(text + "\n", to: isAnswer ? STDOUT_FILENO : STDERR_FILENO) }
        Glibc.exit(isAnswer ? ExitStatus.fine.rawValue : ExitStatus.unable.rawValue)
    }

    private static var toolchain: String {
        let text = plugin_swift_toolchain()
        return String(decoding: UnsafeRawBufferPointer(start: text.ptr, count: text.len), as: UTF8.self)
    }
}

/// How a command ends. The worst thing that it met decides.
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

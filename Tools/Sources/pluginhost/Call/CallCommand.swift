import ArgumentParser
import CChildProcess
import Glibc
import HostBasics
@_spi(Tools) import PluginHost

/// `pluginhost call`: calls a C function of a bundle in a separate process, and writes its result.
struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Calls a C function of a bundle by its signature.",
        discussion: """
            THIS RUNS THE BUNDLE'S CODE, with your rights, in a process of its own: a crash, an exit or a hang is \
            reported. It is not a sandbox, unless you add --sandboxed: the code then reaches nothing but its own files and \
            what --grant grants. Arguments are numbers, true or false, text, null where the signature has “?”, and \
            structs as JSON; for bytes also @FILE, and - for standard input. The result is written to standard output, \
            bytes as they are; what the code prints goes to standard error.
            """)

    @Flag(help: "List the functions of the bundle with their signatures.")
    var list = false

    @Option(help: ArgumentHelp("The longest time that the call may take, from 0.1 to 86400.", valueName: "seconds"))
    var timeout = 30.0

    @Flag(help: "Where the code runs.")
    var execution = LoadExecution.inProcess

    @OptionGroup var grants: GrantArguments

    @OptionGroup var application: HostArguments

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    @Argument(help: "The bundle.", completion: .directory)
    var bundle: String

    @Argument(help: "The function's name.", completion: .custom(Self.functions))
    var function: String?

    @Argument(
        parsing: .allUnrecognized, help: ArgumentHelp("The arguments of the function.", valueName: "argument"),
        completion: .file())
    var arguments: [String] = []

    mutating func validate() throws {
        try LoadCommand.requireUsable(timeout: timeout)
        if list, function != nil { throw ValidationError("--list takes a bundle alone.") }
        if !list, function == nil {
            throw ValidationError("Name the function to call; “pluginhost call --list \(bundle)” lists them.")
        }
    }

    mutating func run() throws {
        let outcome: CallOutcome
        do {
            outcome = try call(PluginBundle.open(path: bundle))
        } catch let error as PluginError {
            outcome = CallOutcome(LoadOutcome(error, isUnable: true))
        }
        if let usage = outcome.usage { throw ValidationError(usage) }
        if json {
            Terminal.write(try JSONValue.document(command: "call", bundles: [outcome.json(function: function)]).text())
        } else {
            var page = Page()
            // Write warnings only if something failed: a script wants only the result, and the library has logged the
            // warnings.
            if list || outcome.load.status(isStrict: false) != .fine { outcome.writeFindings(to: &page) }
            if !page.text.isEmpty { Terminal.write(page.text, to: STDERR_FILENO) }
            outcome.writeResult()
        }
        try outcome.load.status(isStrict: false).finish()
    }

    private func call(_ opened: PluginBundle) throws -> CallOutcome {
        let mark = ChildReport.newMark()
        let interrupts = interrupts_catch()
        child_adopt_orphans()
        let place = ["--\(execution.rawValue)"] + grants.arguments
        let libraries = try application.libraries()
        var words = [CallInChildCommand.name, "--mark", mark] + place + ["--", opened.bundlePath]
        if let function { words.append(function) }
        let input = arguments.contains(CallArgument.standardInput) ? try StandardInput.forChild() : -1
        defer { if input > STDIN_FILENO { close(input) } }
        do throws(ChildProcess.Failure) {
            let child = try ChildProcess(words + arguments, libraries, input: input)
            let run = child.run(mark: mark, limit: .seconds(timeout), interrupts: interrupts)
            var outcome = run.reader.call ?? CallOutcome(nil)
            outcome.load = ChildEnd(run, of: opened, limit: .seconds(timeout)).outcome
            return outcome
        } catch {
            return CallOutcome(
                LoadOutcome(
                    path: opened.bundlePath, identifier: opened.bundleIdentifier, state: .failed,
                    findings: [error.finding(opened)], isUnable: true))
        }
    }

    /// The functions that Info.plist declares, for shell completion.
    ///
    /// No code of the bundle runs.
    private static func functions(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        words.dropFirst().lazy.compactMap { word in
            word.hasPrefix("-") ? nil : (try? PluginBundle.open(path: word))?.manifest.functions.keys
        }.first { !$0.isEmpty }?.filter { $0.hasPrefix(prefix) }.sorted() ?? []
    }
}

/// The command that `pluginhost call` runs in the separate process.
///
/// Users do not call it.
struct CallInChildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: Self.name, shouldDisplay: false)
    static let name = "call-in-child"

    @Option var mark: String
    @Flag var execution = LoadExecution.inProcess
    @OptionGroup var grants: GrantArguments
    @Argument var bundle: String
    /// The function to call; nil to list all functions.
    @Argument var function: String?
    @Argument var arguments: [String] = []

    mutating func run() throws {
        guard let report = ChildReport(mark: mark) else {
            throw ValidationError("This is a part of “pluginhost call”, and nothing to call by itself.")
        }
        child_begin()
        HostEnvironment.current.logsLoadWarnings = false
        grants.apply(with: execution.execution)
        HostEnvironment.current.loadStep = { report.send(.step(bundlePath: $0, step: $1.rawValue)) }
        var outcome: CallOutcome
        do {
            let bundle = try PluginBundle.open(path: bundle)
            outcome = CallOutcome(LoadOutcome(loading: bundle))
            outcome.load.execution = execution.place(of: bundle, in: bundle.runtimeFindings()?.runtime).description
            if outcome.load?.state == .loaded {
                if let function {
                    outcome.call(function, arguments, of: bundle, report)
                } else {
                    outcome.list(bundle)
                }
            }
        } catch let error as PluginError {
            outcome = CallOutcome(LoadOutcome(error, isUnable: true))
        }
        report.send(.call(outcome))
    }
}

/// Standard input for the process that makes the call.
///
/// That process is in a separate process group, and the system stops such a process when it reads from a terminal. So
/// input from a terminal is read before the process starts.
private enum StandardInput {
    /// - Returns: a descriptor. The caller closes it unless it is standard input.
    static func forChild() throws -> Int32 { isatty(STDIN_FILENO) == 1 ? try copied() : STDIN_FILENO }

    private static func copied() throws -> Int32 {
        let file = child_input()
        guard file >= 0 else { throw refused("kept", errno, to: .write) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var size = 0
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw refused("read", errno, to: .read) }
            size += count
            guard size <= CallArgument.mostBytes else {
                throw ValidationError("Standard input has more than \(CallArgument.mostBytes >> 20) MiB.")
            }
            if count == 0 { break }
            var written = 0
            while written < count {
                let step = buffer.withUnsafeBytes { write(file, $0.baseAddress! + written, count - written) }
                if step < 0, errno == EINTR { continue }
                guard step > 0 else { throw refused("kept", errno, to: .write) }
                written += step
            }
        }
        lseek(file, 0, SEEK_SET)
        return file
    }

    private static func refused(
        _ verb: String, _ number: Int32, to operation: ErrorNumber.Operation
    ) -> ValidationError {
        ValidationError("Standard input cannot be \(verb): \(ErrorNumber.advice(number, to: operation))")
    }
}

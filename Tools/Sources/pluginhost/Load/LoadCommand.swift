import ArgumentParser
import CChildProcess
import Glibc
import HostBasics
@_spi(Tools) import PluginHost
import PluginWorkers

/// `pluginhost load`: runs the code of bundles, each in a separate process, and reports what the code registered.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Loads bundles and reports what their code registers.",
        discussion: """
            THIS RUNS THE BUNDLES' CODE, with your rights, each bundle's in a process of its own: a crash, an exit or a \
            hang is a finding about that bundle. It is no sandbox. What the code prints goes to standard error. \
            Libraries that only the application brings are found if --host names the application. “check” finds the \
            causes of a failure without running code, “probe” tries a bundle that may reach nothing, and “call” calls one \
            function.

            With --isolated the code runs in a worker process with the bundle's limits. With --sandboxed it also reaches \
            nothing but its own files and what --grant grants. In both cases nibs are not checked. With --gdb the debugger \
            is attached to the worker before it opens the code.

            Every nib of a bundle is checked against the classes that the code registered; classes of the application are \
            not known, so what an application declares is missing here.
            """)

    @Flag(help: "Count warnings as problems: a bundle must register everything that its PHFactories declares.")
    var strict = false

    @Flag(help: "Where the code runs.")
    var execution = LoadExecution.inProcess

    @OptionGroup var grants: GrantArguments

    @OptionGroup var application: HostArguments

    @Flag(help: "Attach gdb to the worker process before it opens the code; the --timeout does not run meanwhile.")
    var gdb = false

    @Flag(help: "Make the objects of each nib whose File's Owner the bundle can make, and release them.")
    var instantiate = false

    @Flag(help: "Write what the code registers for nibs into NibClasses.plist among the bundle's resources.")
    var writeNibClasses = false

    @OptionGroup var nibLimits: NibLimitArguments

    @Option(
        help: ArgumentHelp("The longest time that one bundle may take, from 0.1 to 86400.", valueName: "seconds"))
    var timeout = 30.0

    @OptionGroup var arguments: BundleArguments

    mutating func validate() throws {
        try Self.requireUsable(timeout: timeout)
        if execution != .inProcess, instantiate || writeNibClasses {
            throw ValidationError(
                "--instantiate and --write-nib-classes need the classes of the code, which are in the worker process.")
        }
        if gdb {
            if execution == .inProcess {
                throw ValidationError(
                    """
                    --gdb needs a worker process: add --isolated or --sandboxed. To debug a load in one process, debug your \
                    application.
                    """)
            }
            if arguments.json { throw ValidationError("--gdb uses the terminal, so it cannot write --json.") }
        }
    }

    static func requireUsable(timeout: Double) throws {
        // This also refuses NaN.
        guard (0.1...86400).contains(timeout) else {
            throw ValidationError("The seconds of --timeout must be a number from 0.1 to 86400.")
        }
    }

    mutating func run() throws {
        let selected = arguments.select()
        if gdb {
            if selected.count != 1 { throw ValidationError("--gdb takes one bundle.") }
            if !Debugger.isInstalled {
                throw ValidationError("There is no program gdb in PATH. Install the package gdb, and try again.")
            }
        }
        let nibs =
            (instantiate ? ["--instantiate"] : []) + (writeNibClasses ? ["--write-nib-classes"] : [])
            + nibLimits.arguments
        let place = ["--\(execution.rawValue)"] + grants.arguments
        var loads = BundleLoads(
            of: selected, limit: .seconds(timeout), isStrict: strict, libraries: try application.libraries(),
            options: nibs + place, debugs: gdb)
        var status = ExitStatus.fine
        var documents: [JSONValue] = []
        for (number, selected) in selected.enumerated() {
            let outcome = loads.load(selected)
            status = max(status, outcome.status(isStrict: strict))
            if arguments.json {
                documents.append(outcome.json)
            } else {
                // Show this at once, because the next bundle may take a while.
                var page = Page()
                outcome.write(to: &page)
                Terminal.write((number > 0 ? "\n" : "") + page.text)
            }
        }
        if arguments.json {
            Terminal.write(try JSONValue.document(command: "load", bundles: documents).text())
        }
        try status.finish()
    }
}

/// The command that `pluginhost load` starts for each bundle.
///
/// Users do not call it.
struct LoadInChildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: Self.name, shouldDisplay: false)
    static let name = "load-in-child"

    @Flag var strict = false
    @Flag var instantiate = false
    @Flag var writeNibClasses = false
    @OptionGroup var nibLimits: NibLimitArguments
    @Flag var execution = LoadExecution.inProcess
    @Flag var gdb = false
    @OptionGroup var grants: GrantArguments
    /// The beginning of each message of the report.
    @Option var mark: String
    /// Bundles to load first, because this bundle requires or uses them.
    @Option var after: [String] = []
    @Argument var bundle: String

    /// The exit status of a child that cannot write its report.
    static let lostReport: Int32 = 118

    mutating func run() throws {
        guard let report = ChildReport(mark: mark) else {
            let reason = errno == 0 ? "" : " Its pipe: \(describe(errno: errno))."
            throw ValidationError("This is an internal part of “pluginhost load”. Do not call it yourself.\(reason)")
        }
        child_begin()
        HostEnvironment.current.requiresDeclaredRegistrations = strict
        HostEnvironment.current.logsLoadWarnings = false
        HostEnvironment.current.loadStep = { report.send(.step(bundlePath: $0, step: $1.rawValue)) }
        if gdb {
            setenv("PLUGINHOST_WORKER_DEBUG", "wait", 1)
            HostEnvironment.current.log = { [log = HostEnvironment.current.log] record in
                if let worker = DebuggerWait.process(in: record.message) { return report.send(.waits(worker: worker)) }
                log(record)
            }
        }
        nibLimits.apply()
        grants.apply(with: execution.execution)
        // If one of these fails to load, its own process reports it.
        for path in after { _ = try? PluginBundle.open(path: path).loadAndReturnError() }
        var outcome: LoadOutcome
        do {
            let bundle = try PluginBundle.open(path: bundle)
            outcome = LoadOutcome(loading: bundle)
            outcome.runtime = bundle.runtimeFindings()?.runtime
            let execution = execution.place(of: bundle, in: outcome.runtime)
            outcome.execution = execution.description
            // In a worker, the classes of nibs are in another process.
            if outcome.state == .loaded, execution == .inProcess {
                var nibs = NibLoads(of: bundle)
                // The checks read the list.
                if writeNibClasses { nibs.writeClasses() }
                nibs.check()
                if instantiate { nibs.instantiate() }
                outcome.add(nibs)
            }
        } catch let error as PluginError {
            outcome = LoadOutcome(error, isUnable: true)
        }
        report.send(.outcome(outcome))
        // The process ends in the usual way, because code that runs at its end belongs to the load.
    }
}

/// Where `pluginhost load` runs the code of a bundle, in the spelling of its options.
enum LoadExecution: String, EnumerableFlag {
    case inProcess = "in-process"
    case isolated
    case sandboxed

    static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .inProcess: "Run the code in the process that loads it (default)."
        case .isolated: "Run the code in a worker process."
        case .sandboxed: "Run the code in a worker process that is confined to what --grant grants."
        }
    }

    var execution: PluginExecution { PluginExecution(rawValue) ?? .inProcess }

    /// Where the code of a bundle runs: the bundle may demand a safer place, and code of another toolchain runs in a
    /// worker.
    ///
    /// `runtime`: the runtime of the other toolchain, or nil.
    func place(of bundle: PluginBundle, in runtime: String?) -> PluginExecution {
        max(
            execution, bundle.manifest.execution.flatMap { PluginExecution($0) } ?? .inProcess,
            runtime == nil ? .inProcess : .isolated)
    }
}

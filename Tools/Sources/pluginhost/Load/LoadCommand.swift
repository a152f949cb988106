import ArgumentParser
import CChildProcess
import Glibc
import PluginHost

/// `pluginhost load`: runs the code of bundles, each in a process of its own, and reports what it registered.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Loads bundles and reports what their code registers.",
        discussion: """
            THIS RUNS THE BUNDLES' CODE, with your rights, each bundle's in a process of its own: a crash, an exit or a \
            hang is a finding about that bundle. It is no sandbox. What the code prints goes to standard error. \
            Libraries that only the application brings are found through LD_LIBRARY_PATH.
            """)

    @Flag(help: "Count warnings as problems: a bundle must register everything that its PHFactories declares.")
    var strict = false

    @Option(
        help: ArgumentHelp("The longest time that one bundle may take, from 0.1 to 86400.", valueName: "seconds"))
    var timeout = 30.0

    @OptionGroup var arguments: BundleArguments

    mutating func validate() throws { try Self.requireUsable(timeout: timeout) }

    static func requireUsable(timeout: Double) throws {
        // Also refuses NaN.
        guard (0.1...86400).contains(timeout) else {
            throw ValidationError("The seconds of --timeout must be a number from 0.1 to 86400.")
        }
    }

    mutating func run() throws {
        let selected = arguments.select()
        var loads = BundleLoads(of: selected, limit: .seconds(timeout), isStrict: strict)
        var status = ExitStatus.fine
        var documents: [JSONValue] = []
        for (number, selected) in selected.enumerated() {
            let outcome = loads.load(selected)
            status = max(status, outcome.status(isStrict: strict))
            if arguments.json {
                documents.append(outcome.json)
            } else {
                // Shown at once, because the next bundle may take a while.
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

/// The command that `pluginhost load` starts for each bundle; nobody else calls it.
struct LoadInChildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: Self.name, shouldDisplay: false)
    static let name = "load-in-child"

    @Flag var strict = false
    /// The beginning of each message of the report.
    @Option var mark: String
    /// Bundles to load first, because the bundle requires or uses them.
    @Option var after: [String] = []
    @Argument var bundle: String

    /// The child's output, and the status that it ends with if it cannot write.
    static let lostReport: Int32 = 118

    mutating func run() throws {
        guard let report = ChildReport(mark: mark) else {
            let reason = errno == 0 ? "" : " Its pipe: \(String(cString: strerror(errno)))."
            throw ValidationError("This is an internal part of “pluginhost load”. Do not call it yourself.\(reason)")
        }
        child_begin()
        HostEnvironment.current.requiresDeclaredRegistrations = strict
        HostEnvironment.current.loadStep = { report.send(.step(bundlePath: $0, step: $1.rawValue)) }
        // A bundle that does not load is reported in the process of that bundle.
        for path in after { _ = try? PluginBundle.open(path: path).loadAndReturnError() }
        let outcome: LoadOutcome
        do {
            outcome = LoadOutcome(loading: try PluginBundle.open(path: bundle))
        } catch let error as PluginError {
            outcome = LoadOutcome(error, isUnable: true)
        }
        report.send(.outcome(outcome))
        // The process ends in the usual way, because code that runs at its end belongs to the load.
    }
}

import ArgumentParser
import CChildProcess
@_spi(Tools) import PluginHost

/// `pluginhost bisect`: finds the plug-in that makes an application fail.
struct BisectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bisect",
        abstract: "Finds the plug-in that makes an application fail.",
        discussion: """
            Starts the application with fewer and fewer of its plug-ins: of 200 plug-ins, one is found after at most 10 \
            runs. The user's choices are never changed, even if the search is killed: each run has choices of its own, and \
            its crashes do not count for the quarantine. Without --test, bisect prints the line that starts the \
            application, and asks how it went. The status is 1 if a plug-in was found, 0 if none is at fault, and 2 if the \
            answers contradict each other.
            """)

    @OptionGroup var arguments: ApplicationArguments

    @Option(
        help: ArgumentHelp(
            """
            A command line for sh that starts the application: its status is 0 if it works, 125 if that cannot be judged, \
            and any other if it fails.
            """, valueName: "command"))
    var test: String?

    @Option(
        name: .customLong("keep"),
        help: ArgumentHelp(
            "A plug-in that every run needs, with what it needs itself; may be repeated.", valueName: "identifier"),
        completion: KnownNames.identifiers)
    var kept: [String] = []

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp(
            "How often each set of plug-ins is tried, if the fault is not always there; most runs decide.",
            valueName: "number"))
    var repeats = 1

    private static let mostRepeats = 1000

    func validate() throws {
        guard (1...Self.mostRepeats).contains(repeats) else {
            throw ValidationError("The number of --repeat must be 1 to \(Self.mostRepeats).")
        }
        guard test.map({ !$0.isEmpty }) ?? true else {
            throw ValidationError("The command of --test must not be empty.")
        }
    }

    mutating func run() throws {
        guard let application = arguments.application else {
            throw ValidationError("Name the application with --application.")
        }
        let search = try PluginSearch(arguments, folders: [])
        let catalog = search.catalog()
        for identifier in kept where catalog.plugin(identifier) == nil {
            throw ValidationError("--keep: \(catalog.explanation(of: identifier).sentence.escapedForTerminal)")
        }
        let plugins = BisectedPlugins(catalog, keeping: kept)
        var report = BisectReport(application: application, plugins: plugins)
        if plugins.groups.isEmpty {
            report.result = .nothing
        } else {
            _ = interrupts_catch()
            try look(plugins, catalog, search, &report)
        }
        if arguments.json {
            Terminal.write(try JSONValue.document(command: "bisect", report.members).text())
        } else {
            var page = Page()
            report.write(to: &page)
            Terminal.write(page.text)
        }
        try report.status.finish()
    }

    private func look(
        _ plugins: BisectedPlugins, _ catalog: PluginCatalog, _ search: PluginSearch, _ report: inout BisectReport
    ) throws {
        do {
            let runner = try TrialRunner(
                plugins, in: catalog, of: report.application, program: search.program, command: test, repeats: repeats)
            defer { runner.removeFiles() }
            var bisection = Bisection(plugins) { try runner.answer($0) }
            do {
                report.result = .of(try bisection.run())
            } catch let stop as Bisection.Stop {
                report.result = .of(stop)
            } catch let stop as TrialRunner.Stop {
                report.result = .stopped(stop)
            }
            (report.answers, report.runs) = (bisection.answers, runner.runs)
            report.added = runner.added.sorted()
        } catch let stop as TrialRunner.Stop {
            report.result = .stopped(stop)
        }
    }
}

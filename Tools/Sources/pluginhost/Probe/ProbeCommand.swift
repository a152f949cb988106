import ArgumentParser
import Glibc
import HostBasics
@_spi(Tools) import PluginHost

/// `pluginhost probe`: runs the code of bundles in confined workers, and reports each step.
struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Tries bundles in confined processes to which nothing is granted.",
        discussion: """
            Each bundle is loaded in a new worker process, an object of each of its providers and C factories is created \
            and released, and the bundle is deactivated. Nothing else of it is called. The worker reaches no file but \
            the bundle and the system's libraries, no network and no other process. If root runs the tool, the worker \
            runs as the user nobody. Applications that demand a probe and kept a result of the bundle try it again at \
            its next use. “load” runs the code with your rights, and shows what it registers.
            """)

    @Option(help: ArgumentHelp("The longest time for one bundle, from 0.1 to 86400.", valueName: "seconds"))
    var time = 10.0

    @OptionGroup var application: HostArguments

    @OptionGroup var arguments: BundleArguments

    mutating func validate() throws {
        guard (0.1...86400).contains(time) else {
            throw ValidationError("The seconds of --time must be a number from 0.1 to 86400.")
        }
    }

    mutating func run() async throws {
        try application.libraries().showWorkers()
        if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
        var result = ProbeResult(isJSON: arguments.json)
        for selected in arguments.select() { result.add(await ProbeOutcome(of: selected, time: .seconds(time))) }
        try result.finish()
    }

    /// Reports that no bundle could be tried.
    ///
    /// Why: without threads, or without /proc, ``run()`` would never return, or end the process.
    func reportAll(_ finding: PluginFinding) throws {
        var result = ProbeResult(isJSON: arguments.json)
        for selected in arguments.select() { result.add(ProbeOutcome(of: selected, without: finding)) }
        try result.finish()
    }
}

/// The output of the command, and its exit status.
private struct ProbeResult {
    let isJSON: Bool
    private var status = ExitStatus.fine
    private var documents: [JSONValue] = []
    private var isFirst = true

    init(isJSON: Bool) { self.isJSON = isJSON }

    mutating func add(_ outcome: ProbeOutcome) {
        status = max(status, outcome.status)
        if isJSON {
            documents.append(outcome.json)
        } else {
            var page = Page()
            outcome.write(to: &page)
            Terminal.write((isFirst ? "" : "\n") + page.text)
        }
        isFirst = false
    }

    func finish() throws {
        if isJSON { Terminal.write(try JSONValue.document(command: "probe", bundles: documents).text()) }
        try status.finish()
    }
}

/// The outcome of probing one bundle.
private struct ProbeOutcome {
    private enum State: String {
        case passed, failed
        /// The bundle has only resources.
        case noCode
        /// No worker could be started, or there is no such bundle.
        case unable
    }

    private let path: String
    private var state: State
    private var steps: [PluginProbe.Step] = []
    private var confinement = Confinement()
    private var findings: [PluginFinding] = []
    /// How many programs had kept a result of an earlier probe.
    private var forgotten = 0

    init(of selected: SelectedBundle, time: Duration) async {
        switch selected {
        case .unopened(let error): (path, state, findings) = (error.bundlePath, .failed, error.findings)
        case .missing(let error): (path, state, findings) = (error.bundlePath, .unable, error.findings)
        case .bundle(let bundle):
            path = bundle.bundlePath
            do {
                let report = try await PluginProbe.run(bundle, time: time)
                (steps, confinement, findings) = (report.steps, report.confinement, report.error?.findings ?? [])
                state = report.error == nil ? .passed : .failed
                forgotten = PluginCatalog.forgetProbes(of: bundle)
            } catch {
                let error = error as? PluginError
                findings = error?.findings ?? []
                state = error?.code == .notCode ? .noCode : .unable
                if state == .noCode { findings = [] }
            }
        }
    }

    /// The outcome for a bundle that cannot be tried.
    init(of selected: SelectedBundle, without finding: PluginFinding) {
        switch selected {
        case .unopened(let error): (path, state, findings) = (error.bundlePath, .failed, error.findings)
        case .missing(let error): (path, state, findings) = (error.bundlePath, .unable, error.findings)
        case .bundle(let bundle): (path, state, findings) = (bundle.bundlePath, .unable, [finding])
        }
    }

    var status: ExitStatus {
        switch state {
        case .passed, .noCode: .fine
        case .failed: .problems
        case .unable: .unable
        }
    }

    private var report: FindingReport { FindingReport(findings: findings, bundlePath: path) }

    var json: JSONValue {
        .object([
            "path": .string(path), "state": .string(state.rawValue),
            "steps": .array(
                steps.map {
                    .object(["name": .string($0.name), "milliseconds": .number(LoadOutcome.milliseconds($0.time))])
                }),
            "missing": .object(
                Dictionary(uniqueKeysWithValues: confinement.missing.map { ($0.key.rawValue, .string($0.value)) })),
            "forgotten": .integer(forgotten), "findings": report.json,
        ])
    }

    func write(to page: inout Page) {
        let verdict: (String, Page.Style) =
            switch state {
            case .passed: ("passed", .green)
            case .failed: ("failed", .red)
            case .noCode: ("has no code, only resources", .plain)
            case .unable: ("not tried", .red)
            }
        page.line((path.relativeToCurrentDirectory + ":", .bold), verdict)
        page.table(steps.map { [$0.name, "\(LoadOutcome.milliseconds($0.time)) ms"] }, indent: 2)
        for (layer, reason) in confinement.missing.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            page.field("Not confined", "\(layer.rawValue): \(reason)")
        }
        if forgotten > 0 {
            page.field(
                "Forgotten",
                forgotten == 1
                    ? "the result that an application kept; it tries the bundle again at its next use"
                    : "the results that \(forgotten) applications kept; they try the bundle again at its next use")
        }
        report.write(to: &page)
        HostArguments.writeAdvice(on: findings, to: &page)
    }
}

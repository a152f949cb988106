import ForeignCalls
import HostBasics
import HostLogging
@_spi(PluginHost) internal import PluginABI
import PluginWorkers

/// A bundle's code that runs in a worker process.
///
/// The process may end at any time. The next request for an object then starts another process, which loads and
/// activates the code again. Objects of the old process do not change. So request the process at each use instead of
/// keeping it.
final class IsolatedCode: Sendable {
    private enum State {
        case running(RunningCode)
        /// A thread is starting another process.
        case starting(LoadTicket)
        /// It was unloaded, or the last start failed.
        case none
        case closed
    }

    let bundle: PluginBundle
    /// The registrations of the first load.
    let report: LoadedReport
    /// Where the code runs; a later process is never less safe.
    let place: PluginExecution
    private let state: Lock<State>
    private let poison: PoisonCalls

    /// `running`: the process that loaded the code.
    init(_ bundle: PluginBundle, _ running: RunningCode) {
        self.bundle = bundle
        report = running.report
        place = running.session.execution
        poison = running.poison
        state = Lock(.running(running))
    }

    /// The process that runs the code.
    ///
    /// Starts one if the last has ended.
    private func running() throws(PluginError) -> RunningCode {
        while true {
            let ticket = LoadTicket(.load, of: bundle.bundlePath)
            let step: State = state.withLock { state in
                switch state {
                case .running(let code) where !code.session.hasEnded: break
                case .running, .none:
                    state = .starting(ticket)
                    return .none
                case .starting, .closed: break
                }
                return state
            }
            switch step {
            case .running(let code): return code
            case .starting(let other):
                // A failure applies to this caller too, because it would have tried the same thing at the same time.
                switch try LoadActivity.shared.wait(for: other, to: .load) {
                case .success: continue
                case .failure(let error): throw error
                }
            case .none: return try restart(ticket)
            case .closed: throw unloaded
            }
        }
    }

    /// The process that runs the code.
    ///
    /// While the hold exists, the process is not ended for lack of use.
    func held() throws(PluginError) -> (code: RunningCode, hold: WorkerHold) {
        while true {
            let code = try running()
            // Without a hold, the process has just begun to end, and the next iteration starts another one.
            if let hold = WorkerHold.on(code.session) { return (code, hold) }
        }
    }

    private func restart(_ ticket: LoadTicket) throws(PluginError) -> RunningCode {
        HeldLocks.preconditionNone(before: "the start of a worker process")
        LoadActivity.shared.begin(ticket)
        let result: Result<RunningCode, PluginError>
        do throws(PluginError) {
            let code = try RunningCode.start(bundle, poison)
            bundle.beginElsewhere(.activation)
            // The first process has given the same warnings.
            _ = try code.activate()
            result = .success(code)
        } catch {
            result = .failure(error)
        }
        bundle.beginElsewhere(.end)
        LoadActivity.shared.end(ticket)
        let isClosed = state.withLock { state in
            if case .closed = state { return true }
            state = if case .success(let code) = result { .running(code) } else { .none }
            return false
        }
        ticket.finish(result.map { _ in })
        if isClosed { throw unloaded }
        return try result.get()
    }

    /// Runs the hooks that tell the plug-in that its registrations are about to be offered, in the process that loaded
    /// it.
    ///
    /// - Returns: what the plug-in changed in that process.
    func activate() throws(PluginError) -> [PluginFinding] {
        let (code, hold) = try held()
        defer { withExtendedLifetime(hold) {} }
        bundle.beginElsewhere(.activation)
        return try code.activate()
    }

    /// The number of the bundle in a worker process, if that process runs its code now.
    func number(in worker: (any WorkerSession)?) -> UInt32? {
        guard case .running(let code) = state.withLock({ $0 }), code.session === worker else { return nil }
        return code.number
    }

    /// Tells the process that resources of the bundle changed.
    func noteChangedResources() {
        guard case .running(let code) = state.withLock({ $0 }) else { return }
        code.session.noteChangedResources(of: code.number)
    }

    // MARK: The end

    /// Runs the hooks that tell the plug-in that its registrations are no longer offered.
    ///
    /// They have two seconds.
    func deactivate() {
        guard case .running(let code) = state.withLock({ $0 }), !code.session.hasEnded else { return }
        code.deactivate()
    }

    /// Stops using the process, except for existing objects.
    func close() {
        let old = state.withLock { state in
            defer { state = .closed }
            return state
        }
        withExtendedLifetime(old) {}
    }

    private var unloaded: PluginError {
        PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                .workerEnded, filePath: bundle.executablePath,
                message: "The bundle was unloaded, and the process that ran its code has ended.",
                remedy: "Load the bundle again."))
    }
}

/// The code of a bundle in one worker process.
final class RunningCode: Sendable {
    let bundle: PluginBundle
    let session: any WorkerSession
    let connection: IsolatedConnection
    let report: LoadedReport
    /// The number of the bundle in the process.
    let number: UInt32
    let poison: PoisonCalls
    private let desk: any WorkerDesk
    private let tables = Lock<[Registrations.Key: RemoteCTable]>([:])
    private let providers: [Registrations.Key: LoadedReport.ReportedProvider]

    private init(
        _ bundle: PluginBundle, _ connection: IsolatedConnection, _ number: UInt32, _ report: LoadedReport,
        _ desk: any WorkerDesk, _ poison: PoisonCalls
    ) {
        self.poison = poison
        self.number = number
        self.bundle = bundle
        session = connection.session
        self.connection = connection
        self.report = report
        self.desk = desk
        providers = Dictionary(report.providers.map { (Registrations.Key(point: $0.point, name: $0.name), $0) }) {
            first, _ in first
        }
    }

    /// Starts a process, or takes the process of the bundle's group, and loads the code there.
    ///
    /// Activates nothing.
    ///
    /// `poison`: the calls that ended earlier processes of the code.
    static func start(_ bundle: PluginBundle, _ poison: PoisonCalls) throws(PluginError) -> RunningCode {
        bundle.beginElsewhere(.opening)
        let session = try bundle.workerSession()
        bundle.beginElsewhere(.entry)
        do throws(PluginError) {
            return try start(bundle, in: session, poison)
        } catch {
            guard let other = try bundle.workerSession(after: error) else { throw error }
            return try start(bundle, in: other, poison)
        }
    }

    /// Loads the code in a process.
    ///
    /// Activates nothing.
    static func start(
        _ bundle: PluginBundle, in session: any WorkerSession, _ poison: PoisonCalls
    ) throws(PluginError) -> RunningCode {
        // From here on, the end of the connection ends the bundle's use of the process.
        let connection = IsolatedConnection(session, of: bundle, poison)
        let settings = bundle.bundleSettings
        let (number, report) = try session.load(connection.plugin, settings: settings.update) {
            (try? bundle.codePaths()) ?? []
        }
        connection.isLoaded(as: number)
        connection.sendSettings(settings, to: number)
        do {
            return RunningCode(
                bundle, connection, number, report, try WorkerDeskProxy.desk(over: connection), poison)
        } catch {
            throw bundle.workerError(connection.error(error, from: "load", during: .idle))
        }
    }

    func provider(_ key: Registrations.Key) -> LoadedReport.ReportedProvider? { providers[key] }

    /// The number of a C factory in the process.
    func cProvider(_ name: String, at point: String, version: UInt32) -> UInt32? {
        report.cProviders.first { $0.name == name && $0.point == point && $0.pointVersion == version }?.number
    }

    /// The table of functions of a C factory.
    ///
    /// All its objects in the process share it.
    func table(
        _ key: Registrations.Key, _ description: CRemoteTable, make: () throws -> RemoteCTable
    ) rethrows -> RemoteCTable {
        if let known = tables.withLock({ $0[key] }), known.description == description { return known }
        let new = try make()
        let old = tables.withLock { $0.updateValue(new, forKey: key) }
        return withExtendedLifetime(old) { new }
    }

    /// Runs the hooks that tell the plug-in that its registrations are about to be offered.
    ///
    /// - Returns: what the plug-in changed in the process.
    func activate() throws(PluginError) -> [PluginFinding] {
        var warnings: [PluginFinding] = []
        try perform("activate", during: .activate) {
            let outcome = try desk.activate(number)
            warnings = outcome.warnings
            return outcome.failure
        }
        return warnings.filter { $0.severity == .warning && $0.code == .processChanged }
    }

    /// Creates an object of a provider or a C factory in the process, and releases it there.
    ///
    /// `point`: empty if there is none.
    func makeObject(_ name: String, at point: String, isFactory: Bool) throws(PluginError) {
        try perform("make", during: .make(name)) { try desk.makeObject(number, name, point, isFactory) }
    }

    private func perform(
        _ step: String, during phase: WorkerEnd.Phase, _ body: () throws -> SentError?
    ) throws(PluginError) {
        let failure: SentError?
        do {
            failure = try session.limitingTime(body)
        } catch {
            throw bundle.workerError(connection.error(error, from: step, during: phase))
        }
        if let failure { throw failure.error(of: bundle) }
    }

    /// Runs the hooks that tell the plug-in that its registrations are no longer offered.
    ///
    /// If they do not return in time, the process is ended.
    func deactivate() {
        do throws(PluginError) { try session.unload(connection.plugin, number: number) } catch {
            HostEnvironment.log(
                HostLogRecord(
                    level: .warning, bundleIdentifier: bundle.displayIdentifier,
                    message: "The plug-in could not be deactivated. \(error.findings[0].message)"))
        }
    }

    func call(_ function: String, _ arguments: [SentValue]) throws -> ForeignValue {
        let outcome: FunctionOutcome
        do {
            outcome = try session.calling(function, of: number) { try desk.call(number, function, arguments) }
        } catch {
            throw connection.error(error, from: function, during: .call(provider: "", method: function))
        }
        switch outcome {
        case .returned(let value): return value.value
        case .failed(let error): throw error.error(of: bundle)
        }
    }
}

extension PluginBundle {
    /// Wraps an error of a worker process in an error of this bundle.
    func workerError(_ error: any Error) -> PluginError {
        if let error = error as? PluginError { return error }
        return pluginFailed(.callFailed, "Using the process of the plug-in", error)
    }
}

import BundleReading
import Foundation
@_spi(PluginHost) import PluginABI

@testable import PluginHost
@testable import PluginWorkers

/// Worker processes that are in this one: everything crosses as bytes, and any of them can “crash”.
final class PretendedWorkers: WorkerSource, @unchecked Sendable {
    // @unchecked because of the lock that the mutable properties are under.
    private let lock = NSLock()
    private var made: [PretendedWorker] = []
    private var nextReport: LoadedReport
    private var nextFault: PluginError?
    let desk: PretendedDesk
    private let confinedTo: PluginPermissions?

    init(
        _ report: LoadedReport, desk: PretendedDesk = PretendedDesk(), confinedTo permissions: PluginPermissions? = nil
    ) {
        confinedTo = permissions
        nextReport = report
        self.desk = desk
    }

    /// What the code registers from the next start on.
    var report: LoadedReport {
        get { lock.withLock { nextReport } }
        set { lock.withLock { nextReport = newValue } }
    }

    /// Why the next loads fail.
    var fault: PluginError? {
        get { lock.withLock { nextFault } }
        set { lock.withLock { nextFault = newValue } }
    }

    var all: [PretendedWorker] { lock.withLock { made } }
    var last: PretendedWorker { all.last! }

    func session(for bundle: PluginBundle) throws(PluginError) -> any WorkerSession {
        let worker = PretendedWorker(report, desk, fault, confinedTo: confinedTo)
        lock.withLock { made.append(worker) }
        return worker
    }
}

final class PretendedWorker: WorkerSession, @unchecked Sendable {
    // @unchecked because of the lock that the mutable properties are under.
    private let host: MemoryConnection
    private let worker: MemoryConnection
    private let report: LoadedReport
    private let fault: PluginError?
    private let desk: PretendedDesk
    private let lock = NSLock()
    private var crashed = false
    private var uses = 0

    let confinedTo: PluginPermissions?

    init(
        _ report: LoadedReport, _ desk: PretendedDesk, _ fault: PluginError?,
        confinedTo permissions: PluginPermissions? = nil
    ) {
        confinedTo = permissions
        self.report = report
        self.fault = fault
        self.desk = desk
        let server = RemoteServer { number in
            if number == WorkerDeskProxy.number { return WorkerDeskProxy.interface.servant(for: desk) }
            guard number == 1 else { throw PluginFailure("The provider \(number) does not work.", remedy: "None.") }
            return ConverterProxy.interface.servant(for: TextConverter())
        }
        (host, worker) = MemoryConnection.pair(worker: server)
    }

    var connection: any RemoteConnection { host }
    var execution: PluginExecution { .isolated }
    var hasEnded: Bool { lock.withLock { crashed } }
    /// How many uses of the process have not ended.
    var openUses: Int { lock.withLock { uses } }
    /// How many objects the host uses.
    var objects: Int { worker.server.count }

    func load(
        _ plugin: PluginInfo, settings: SettingsUpdate?, codePaths: () -> [String]
    ) throws(PluginError) -> (number: UInt32, report: LoadedReport) {
        lock.withLock { uses += 1 }
        if let fault { throw fault }
        return (7, report)
    }

    func noteChangedResources(of bundle: UInt32) {}
    func send(_ update: SettingsUpdate, to bundle: UInt32) {}

    func leave(_ plugin: PluginInfo) { lock.withLock { uses -= 1 } }

    func hold() -> Bool { !hasEnded }

    func letGo() {}

    func unload(_ plugin: PluginInfo, number: UInt32) throws(PluginError) { desk.note("deactivate \(number)") }

    func limitingTime<Result>(_ body: () throws -> Result) throws -> Result { try body() }

    func calling<Result>(_ function: String, of bundle: UInt32, _ body: () throws -> Result) throws -> Result {
        try body()
    }

    func callerKnows(_ plugin: PluginInfo, isPoison: Bool) {}

    var hasCrashedInItsOnlyCall: Bool { hasEnded }

    func isEnd(duringCall error: any Error) -> Bool { (error as? MemoryConnection.Ended)?.isInCall == true }

    func error(_ error: any Error, during phase: WorkerEnd.Phase, of plugin: PluginInfo) -> any Error {
        guard error is MemoryConnection.Ended else { return error }
        var finding = PluginFinding(.workerEnded, message: "The worker ended.")
        finding.workerEnd = WorkerEnd(cause: .signal(11), phase: phase)
        return PluginError(bundlePath: plugin.path, finding)
    }

    /// Ends as a process does that crashes.
    func crash() {
        lock.withLock { crashed = true }
        host.end()
    }
}

/// The desk of a pretended worker, with functions.
final class PretendedDesk: WorkerDesk, @unchecked Sendable {
    // @unchecked because of the lock that the mutable properties are under.
    private let lock = NSLock()
    private var failure: PluginError?
    private var records: [String] = []

    /// Why activating fails.
    var activationFailure: PluginError? {
        get { lock.withLock { failure } }
        set { lock.withLock { failure = newValue } }
    }

    var steps: [String] { lock.withLock { records } }

    func activate(_ bundle: UInt32) throws -> ActivationOutcome {
        lock.withLock { records.append("activate \(bundle)") }
        return ActivationOutcome(failure: activationFailure.map(SentError.init))
    }

    func makeObject(_ bundle: UInt32, _ name: String, _ point: String, _ isFactory: Bool) throws -> SentError? {
        lock.withLock { records.append("make \(name)") }
        return nil
    }

    func note(_ step: String) { lock.withLock { records.append(step) } }

    func call(_ bundle: UInt32, _ function: String, _ arguments: [SentValue]) throws -> FunctionOutcome {
        switch (function, arguments.map(\.value)) {
        case ("add", let numbers): .returned(SentValue(.int(numbers.reduce(0) { $0 + $1.int64! })))
        case ("lie", _): .returned(SentValue(.string("no number")))
        case ("each", let values):
            // Calls the closure with 1, 2, 3, as a C function does.
            if case .callback(let callback) = values[0] {
                .returned(SentValue(.int(try (1...3).map { try callback.body!([.int($0)]).int64! }.reduce(0, +))))
            } else {
                throw PluginFailure("It is no callback.")
            }
        default:
            .failed(
                SentError(
                    PluginError(
                        bundlePath: "/elsewhere",
                        PluginFinding(.functionFailed, subject: function, message: "The function failed: none."))))
        }
    }
}

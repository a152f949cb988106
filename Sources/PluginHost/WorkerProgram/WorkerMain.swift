internal import CSandbox
import Dispatch
import Glibc
import HostBasics
@_spi(PluginHost) internal import PluginABI
import PluginWorkers
import Synchronization

/// Runs a worker in this process.
///
/// The constructor of the library calls this instead of the program's own `main`.
///
/// The constructor ends the process when this returns.
@_cdecl("phs_worker_main")
func runWorker() {
    WorkerMain(RemoteDescriptor(adopting: CInt(PHS_WORKER_CONTROL))).run()
}

/// The main thread of a worker: acts on the host's messages, which another thread reads on the control socket.
///
/// Why two: code of a plug-in that runs here, such as its entry, may wait for the answer to a message.
final class WorkerMain {
    private let receiver: ControlReceiver
    private let sender: ControlSender

    init(_ socket: RemoteDescriptor) {
        receiver = ControlReceiver(socket, from: .host)
        sender = ControlSender(socket)
    }

    /// Returns when the host requests it, or the host has ended.
    func run() {
        ErrorNumber.isInWorker.store(true, ordering: .relaxed)
        send(.ready(WorkerReady(fingerprint: LibraryFingerprint.current)))
        guard case .message(.hello(let hello), let descriptors)? = try? receiver.next(until: 0),
            hello.version == WorkerHello.currentVersion, LibraryFingerprint.isAccepted(hello.fingerprint),
            let window = descriptors.first
        else { return }
        if hello.waitsForDebugger { DebuggerWait.wait() }
        HostEnvironment.current = HostEnvironment(hello)
        if let application = hello.application { BundleOpening.represent(application) }
        // Without these handlers, a crash has no backtrace, and its callers wait until the kernel has removed this
        // process.
        phs_journal_report_crashes(CInt(PHS_WORKER_CONTROL))
        _ = phs_journal_install_handlers()
        guard confine(hello) else { return }
        let service = WorkerService(sender)
        do { try service.start(window, longest: hello.longestMessage) } catch { return }
        // Only the new thread uses it from here on.
        nonisolated(unsafe) let receiver = receiver
        let messages = WorkerMessages()
        let status = DetachedThread.start {
            while case .message(let message, let descriptors)? = try? receiver.next(until: 0) {
                if !service.takeAtOnce(message, descriptors) { messages.put(message) }
            }
            messages.end()
        }
        guard status == 0 else { return }
        while let message = messages.next(), service.take(message) {}
    }

    // MARK: Messages

    /// Sends a message, and waits until the host takes it.
    private func send(_ message: ControlMessage) {
        _ = try? sender.send(message)
        sender.flush(until: 0)
    }

    // MARK: Confinement

    /// Confines this process as the host demands.
    ///
    /// - Returns: false if that failed; the host then gets the reason.
    private func confine(_ hello: WorkerHello) -> Bool {
        ProcessPlace.current = hello.filter == nil ? .isolated : .sandboxed
        guard let filter = hello.filter else {
            send(.confined([]))
            return true
        }
        OwnNamesCopy.isAllowed.store(false, ordering: .relaxed)
        var options = phs_filter_options()
        options.any_network = filter.anyNetwork
        options.connects = filter.connects
        options.listens = filter.listens
        options.processes = filter.processes
        options.devices = filter.devices
        var failure = phs_failure()
        guard phs_dispatch_confine(&failure) == 0, phs_filter_install(nil, &options, &failure) == 0 else {
            let failure = WorkerFailure(failure)
            send(.failed(0, [PluginFinding(failure, program: ProgramArguments.all.first ?? "", isSandboxed: true)]))
            return false
        }
        let layers: [Confinement.Layer] = [.systemCalls, .network, .signals, .processes]
        send(.confined(layers.map(\.rawValue)))
        return true
    }
}

/// The messages that the receiving thread of a worker leaves to the main thread, in order.
private final class WorkerMessages: Sendable {
    private let waiting = Lock<[ControlMessage?]>([])
    private let count = DispatchSemaphore(value: 0)

    func put(_ message: ControlMessage) { add(message) }

    /// No more messages come.
    func end() { add(nil) }

    private func add(_ message: ControlMessage?) {
        waiting.withLock { $0.append(message) }
        count.signal()
    }

    /// Waits for the next message; nil after the last one.
    func next() -> ControlMessage? {
        count.wait()
        return waiting.withLock { $0.removeFirst() }
    }
}

extension HostEnvironment {
    /// The application as plug-ins in a worker see it.
    fileprivate init(_ hello: WorkerHello) {
        self = .current
        name = hello.hostName
        version = hello.hostVersion
        capabilities = Set(hello.capabilities)
        preferredLanguages = hello.languages
        device = hello.device
        scale = hello.scale
        requiresDeclaredRegistrations = hello.requiresDeclaredRegistrations
    }
}

import Glibc
import HostBasics
@_spi(PluginHost) internal import PluginABI
import PluginWorkers

/// The work of a worker after it was confined: it loads plug-ins, and serves their objects to the host.
final class WorkerService: LaneOwner {
    private let sender: ControlSender
    private let plugins = WorkerPlugins()
    private let lanes = Lock<WorkerLanes?>(nil)
    /// The host's numbers for bundles, by path, including bundles that are being loaded.
    private let numbers = Lock<[String: UInt32]>([:])
    /// The settings of the bundles, by the host's numbers.
    private let settings = Lock<[UInt32: RemoteSettings]>([:])

    init(_ sender: ControlSender) { self.sender = sender }

    /// Starts to serve calls.
    func start(_ window: RemoteDescriptor, longest: UInt32) throws {
        let window = try LaneWindow(descriptor: window.descriptor, longest: Int(longest))
        let lanes = WorkerLanes(window: window, server: plugins.makeServer(), owner: self)
        self.lanes.withLock { $0 = lanes }
        RemoteServices.shared = RemoteServices(
            over: lanes, number: { [plugins] in plugins.number(of: $0) },
            bundle: { [plugins] in plugins.bundle(numbered: $0) })
        HostEnvironment.current.logsLoadWarnings = false
        HostEnvironment.current.log = { [self] record in
            send(.log(record.level, bundleIdentifier: record.bundleIdentifier, record.message))
        }
        HostEnvironment.current.loadStep = { [self] path, step in
            if let number = numbers.withLock({ $0[path] }) { send(.step(number, step)) }
        }
        lanes.run()
    }

    /// Acts on a message of the host.
    ///
    /// - Returns: whether the process continues.
    func take(_ message: ControlMessage, _ descriptors: [RemoteDescriptor]) -> Bool {
        switch message {
        case .load(let request): load(request)
        case .unload(let bundle):
            _ = try? plugins.deactivate(bundle)
            send(.unloaded(bundle))
        case .release(let objects): for object in objects { lanes.withLock { $0 }?.server.release(object) }
        case .descriptors(let lane, let turn): lanes.withLock { $0 }?.put(descriptors, lane: lane, turn: turn)
        case .settings(let bundle, let update): settings.withLock { $0[bundle] }?.take(update)
        case .bye:
            plugins.deactivateAll()
            return false
        // No host sends these.
        case .hello, .ready, .confined, .loaded, .failed, .unloaded, .step, .log, .crashed: break
        }
        return true
    }

    private func load(_ request: LoadRequest) {
        do throws(PluginError) {
            let bundle: PluginBundle
            do { bundle = try PluginBundle.open(path: request.path) } catch {
                // `open(path:)` throws no other errors.
                throw error as! PluginError
            }
            bundle.codeState.state.withLock { $0 = .host(request.stateDirectory) }
            numbers.withLock { $0[bundle.bundlePath] = request.bundle }
            // Before the entry, which may read them.
            let settings = bundle.receiveSettings(request.settings)
            self.settings.withLock { $0[request.bundle] = settings }
            send(.loaded(request.bundle, try plugins.load(bundle, as: request.bundle)))
        } catch {
            send(.failed(request.bundle, error.findings))
        }
    }

    /// Sends a message, and waits until the host takes it.
    private func send(_ message: ControlMessage) {
        _ = try? sender.send(message)
        sender.flush(until: 0)
    }

    // MARK: LaneOwner

    func release(_ object: UInt32) { RemoteServices.shared?.release(object) }

    /// The host broke the protocol, so this ends the process.
    func violated(_ failure: RemoteFailure, in call: LaneCall?) {
        let text = "The worker cannot go on: \(failure)\n"
        _ = write(STDERR_FILENO, text, text.utf8.count)
        _exit(1)
    }

    func send(_ descriptors: [Int32], lane: Int, turn: UInt32) throws {
        let copies = try descriptors.map { try RemoteDescriptor(duplicating: $0) }
        try sender.send(.descriptors(lane: UInt32(lane), turn: turn), copies)
        sender.flush(until: 0)
    }

    // Always waits: the host's call has a time limit, and the worker's receiving thread may be loading another plug-in.
    func awaitDescriptors() -> Bool { true }
}

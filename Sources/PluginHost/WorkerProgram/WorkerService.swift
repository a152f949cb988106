import Dispatch
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
    /// The changes of settings that the host has not answered, by their numbers.
    private let stores = Lock((made: UInt32(0), waiting: [UInt32: Reply<SettingsAnswer>]()))
    /// Lets fewer changes wait than the host allows.
    private let room = DispatchSemaphore(value: 32)

    init(_ sender: ControlSender) { self.sender = sender }

    /// Starts to serve calls.
    func start(_ window: RemoteDescriptor, longest: UInt32) throws {
        let window = try LaneWindow(descriptor: window.descriptor, longest: Int(longest))
        let lanes = WorkerLanes(window: window, server: plugins.makeServer(), owner: self)
        self.lanes.withLock { $0 = lanes }
        RemoteServices.shared = RemoteServices(
            over: lanes, number: { [plugins] in plugins.number(of: $0) },
            bundle: { [plugins] in plugins.bundle(numbered: $0) },
            store: { [self] in try store($0, $1, $2) })
        HostEnvironment.current.logsLoadWarnings = false
        HostEnvironment.current.log = { [self] record in
            send(.log(record.level, bundleIdentifier: record.bundleIdentifier, record.message))
        }
        HostEnvironment.current.loadStep = { [self] path, step in
            if let number = numbers.withLock({ $0[path] }) { send(.step(number, step)) }
        }
        lanes.run()
    }

    /// Acts on a message that must not wait for the code of a plug-in. [the receiving thread]
    ///
    /// - Returns: false for any other message.
    func takeAtOnce(_ message: ControlMessage, _ descriptors: [RemoteDescriptor]) -> Bool {
        switch message {
        case .descriptors(let lane, let turn): lanes.withLock { $0 }?.put(descriptors, lane: lane, turn: turn)
        case .settings(let bundle, let update):
            // Before the bundle has its first values, a change of them waits behind the load.
            guard let known = settings.withLock({ $0[bundle] }) else { return false }
            known.take(update)
        case .stored(let number, let update): give(.stored(update), to: number)
        case .notStored(let number, let findings): give(.failed(SentError(findings)), to: number)
        default: return false
        }
        return true
    }

    /// Acts on a message of the host. [the main thread]
    ///
    /// - Returns: whether the process continues.
    func take(_ message: ControlMessage) -> Bool {
        switch message {
        case .load(let request): load(request)
        case .unload(let bundle):
            _ = try? plugins.deactivate(bundle)
            send(.unloaded(bundle))
        case .release(let objects): for object in objects { lanes.withLock { $0 }?.server.release(object) }
        case .settings(let bundle, let update): settings.withLock { $0[bundle] }?.take(update)
        case .resources(let bundle): plugins.bundle(numbered: bundle)?.resources.noteChangedFiles()
        case .bye:
            plugins.deactivateAll()
            return false
        // The receiving thread takes these.
        case .descriptors, .stored, .notStored: break
        // No host sends these.
        case .hello, .ready, .confined, .loaded, .failed, .unloaded, .step, .log, .store, .crashed: break
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

    // MARK: Settings

    /// Lets the host change a setting, and waits for its answer. [any thread but the receiving one]
    private func store(_ bundle: PluginBundle, _ key: String, _ value: SettingScalar?) throws -> SettingsAnswer {
        HeldLocks.preconditionNone(before: "a wait for the host")
        // A bundle has a number before its entry is called.
        guard let bundle = numbers.withLock({ $0[bundle.bundlePath] }) else {
            throw PluginFailure("The settings cannot be changed: the application has not loaded the plug-in.")
        }
        room.wait()
        defer { room.signal() }
        let reply = Reply<SettingsAnswer>()
        let number = stores.withLock { stores in
            stores.made &+= 1
            stores.waiting[stores.made] = reply
            return stores.made
        }
        do {
            try sender.send(.store(StoreRequest(number: number, bundle: bundle, key: key, value: value)))
        } catch {
            stores.withLock { _ = $0.waiting.removeValue(forKey: number) }
            throw error
        }
        sender.flush(until: 0)
        // The host always answers, or ends this process.
        return reply.wait()
    }

    private func give(_ answer: SettingsAnswer, to number: UInt32) {
        stores.withLock { $0.waiting.removeValue(forKey: number) }?.give(answer)
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

    // Always waits: the host's call has a time limit.
    func awaitDescriptors() -> Bool { true }
}

import Glibc
import HostBasics
@_spi(PluginHost) internal import PluginABI

extension PluginWorker {
    /// Sends changed settings of a plug-in to the process.
    ///
    /// If the process does not read, they are collected, one value for each key, until it does. [any thread]
    ///
    /// - Parameters:
    ///   - update: the values.
    ///   - bundle: the number of the bundle in the process.
    package func send(_ update: SettingsUpdate, to bundle: UInt32) {
        guard !isForked else { return }
        unsentSettings.withLock { $0[bundle] = $0[bundle]?.merged(with: update) ?? update }
        sendSettings()
    }

    /// Sends the collected settings if the socket has room.
    func sendSettings() {
        guard !sender.isWaiting else { return }
        let updates = unsentSettings.withLock { updates in
            defer { updates = [:] }
            return updates.map { ($0.key, $0.value) }
        }
        for (bundle, update) in updates {
            // The limits of settings are below those of a message.
            if let sent = try? sender.send(.settings(bundle, update)), !sent { monitor.wake() }
        }
    }

    // MARK: Changes that plug-ins request

    /// The most changes of a worker that may wait for their answers; its library requests fewer at once.
    static let mostStores = 64

    /// Changes a setting, and answers, on a thread that serves only this plug-in. [the monitor's thread]
    ///
    /// A plug-in that makes changes too fast has to wait; this delays neither the monitor's thread nor other plug-ins.
    ///
    /// - Throws: ``ControlFault`` if too many changes wait.
    func store(_ request: StoreRequest) throws(ControlFault) {
        let isFirst: Bool? = stores.withLock { stores in
            guard stores.count < Self.mostStores else { return nil }
            stores.count += 1
            stores.waiting[request.bundle, default: []].append(request)
            return stores.served.insert(request.bundle).inserted
        }
        guard let isFirst else {
            throw .violation("more than \(Self.mostStores) changes of settings wait for their answers")
        }
        guard isFirst else { return }
        let status = DetachedThread.start { [self] in serveStores(of: request.bundle) }
        guard status != 0 else { return }
        let finding = PluginFinding(
            .settingsUnreadable, subject: request.key,
            message: "The setting was not changed: no thread can be started: \(describe(errno: status)).",
            remedy: ErrorNumber.remedy(status, to: .make))
        while let request = nextStore(of: request.bundle) { answer(request, .notStored(request.number, [finding])) }
    }

    private func serveStores(of bundle: UInt32) {
        while let request = nextStore(of: bundle) {
            switch hasEnded ? nil : services.store(request) {
            case .success(let update): answer(request, .stored(request.number, update))
            case .failure(let error): answer(request, .notStored(request.number, error.findings))
            case nil:
                let finding = PluginFinding(
                    .settingsUnreadable, subject: request.key,
                    message: "The setting was not changed: the plug-in is not loaded.",
                    remedy: "Store settings before the plug-in's deactivation ends.")
                answer(request, .notStored(request.number, [finding]))
            }
        }
    }

    private func nextStore(of bundle: UInt32) -> StoreRequest? {
        stores.withLock { stores in
            guard let next = stores.waiting[bundle]?.first else {
                stores.waiting[bundle] = nil
                stores.served.remove(bundle)
                return nil
            }
            stores.waiting[bundle]!.removeFirst()
            return next
        }
    }

    private func answer(_ request: StoreRequest, _ message: ControlMessage) {
        // A worker that does not read its answers gets no more of them, so they do not fill the memory.
        while sender.isWaiting, !hasEnded { usleep(5_000) }
        if let sent = try? sender.send(message), !sent { monitor.wake() }
        stores.withLock { $0.count -= 1 }
    }
}

/// The changes of settings that the plug-ins of a worker request.
struct StoreQueue {
    /// How many have no answer yet.
    var count = 0
    /// Those that have not begun, in order, by the number of the bundle.
    var waiting: [UInt32: [StoreRequest]] = [:]
    /// The bundles that have a thread.
    var served: Set<UInt32> = []
}

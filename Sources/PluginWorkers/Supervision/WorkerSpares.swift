import BundleReading
import Dispatch
import HostBasics
import PluginABI

/// Workers that were started in advance, without a plug-in, so that the next plug-in need not wait for a start.
///
/// A worker's rights are fixed when it starts. So a spare serves only a plug-in with the same rights. A sandboxed spare
/// serves only the bundle for which it was started, because it may read only that directory. It is used after a crash,
/// for example.
final class WorkerSpares: Sendable {
    static let shared = WorkerSpares()

    private struct Key: Hashable {
        let rights: Placement.Rights
        /// Nil if any bundle can use it.
        let bundlePath: String?

        init(_ placement: Placement, _ plugin: PluginInfo) {
            rights = placement.rights
            bundlePath = placement.execution == .sandboxed ? plugin.path : nil
        }
    }

    /// The spares, the oldest first.
    private let spares = Lock<[(key: Key, worker: PluginWorker)]>([])

    var workers: [PluginWorker] { spares.withLock { $0.map(\.worker) } }
    var count: Int { spares.withLock(\.count) }

    /// A worker for a bundle: a spare one, or a new one.
    func worker(
        for placement: Placement, _ plugin: PluginInfo, of host: @escaping @Sendable () -> WorkerHost
    ) throws(PluginError) -> PluginWorker {
        func start() throws(PluginError) -> PluginWorker {
            try PluginWorker.start(WorkerStart(placement, for: plugin, of: host()))
        }
        guard placement.settings.spares > 0 else { return try start() }
        let key = Key(placement, plugin)
        let spare = take(key)
        defer { refill(key, placement, plugin, of: host) }
        if let spare { return spare }
        return try start()
    }

    private func take(_ key: Key) -> PluginWorker? {
        spares.withLock { spares in
            spares.removeAll { $0.worker.hasEnded || $0.worker.isForked }
            guard let index = spares.firstIndex(where: { $0.key == key }) else { return nil }
            return spares.remove(at: index).worker
        }
    }

    /// Starts missing spares on another thread, and ends surplus ones.
    private func refill(
        _ key: Key, _ placement: Placement, _ plugin: PluginInfo, of host: @escaping @Sendable () -> WorkerHost
    ) {
        DispatchQueue.global().async { [self] in
            // Only one spare for a single bundle, which uses one worker at a time.
            for _ in 0..<(key.bundlePath == nil ? placement.settings.spares : 1) {
                let isMissing = spares.withLock { spares in
                    spares.count { $0.key == key } < placement.settings.spares
                }
                guard isMissing,
                    let worker = try? PluginWorker.start(WorkerStart(placement, for: plugin, of: host()))
                else { return }
                let surplus = spares.withLock { spares in
                    spares.append((key, worker))
                    let surplus = spares.prefix(max(0, spares.count - placement.settings.spares)).map(\.worker)
                    spares.removeFirst(surplus.count)
                    return surplus
                }
                for worker in surplus { worker.stop(by: PluginWorker.unloadTime) }
            }
        }
    }
}

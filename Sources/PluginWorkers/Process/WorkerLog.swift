import HostBasics
@_spi(PluginHost) internal import PluginABI

/// Passes what the plug-ins of one worker log to the application's log, up to a limit.
///
/// Why a limit: a worker can send messages faster than an application writes them.
///
/// **Threads.** Any.
final class WorkerLog: Sendable {
    private struct State {
        var second: UInt64 = 0
        var messages = 0
        var bytes = 0
        /// How many messages were dropped since the last one that was logged.
        var dropped = 0
    }

    private let state = Lock(State())
    /// The most bytes of messages that are logged in a second.
    private let mostBytes: Int
    /// The most messages that are logged in a second.
    static let mostMessages = 1_000

    private let log: WorkerHost.Log

    /// - Parameters:
    ///   - most: the most bytes that are logged in a second.
    ///   - log: the application's log.
    init(mostPerSecond most: Int, to log: @escaping WorkerHost.Log) {
        mostBytes = most
        self.log = log
    }

    /// Logs a message, unless there are too many.
    ///
    /// - Parameters:
    ///   - text: the message, as the worker sent it.
    ///   - level: its level.
    ///   - bundleIdentifier: the bundle under which it is logged.
    ///   - now: the time.
    func put(
        _ text: String, _ level: PluginLogger.Level, of bundleIdentifier: String, at now: UInt64 = MonotonicTime.now
    ) {
        let dropped: Int? = state.withLock { state in
            let second = now / 1_000_000_000
            if second != state.second { (state.second, state.messages, state.bytes) = (second, 0, 0) }
            guard state.messages < Self.mostMessages, state.bytes < mostBytes, WorkerReports.hasRoom else {
                state.dropped += 1
                return nil
            }
            state.messages += 1
            state.bytes += text.utf8.count
            defer { state.dropped = 0 }
            return state.dropped
        }
        guard let dropped else { return }
        report(dropped, of: bundleIdentifier)
        WorkerReports.log(text, level, of: bundleIdentifier, to: log)
    }

    /// Reports the dropped messages, because the worker has ended and no message follows.
    func end(of bundleIdentifier: String) {
        let dropped = state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
        report(dropped, of: bundleIdentifier)
    }

    private func report(_ dropped: Int, of bundleIdentifier: String) {
        guard dropped > 0 else { return }
        WorkerReports.log(
            "\(dropped) messages of the plug-in were not logged, because there were too many.", .warning,
            of: bundleIdentifier, to: log)
    }
}

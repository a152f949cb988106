import Dispatch
@_spi(Tools) import HostBasics
import PluginABI
import Synchronization

/// Runs the application's own functions that concern workers: its log, the readers of events, and those that wait for
/// an end.
///
/// They run in order, on a separate thread. Why: the application's log may wait, and the thread that watches all
/// workers must not.
enum WorkerReports {
    private static let queue = DispatchQueue(label: "PluginHost.workers")
    private static let waiting = Atomic(0)
    /// The most pieces of work that may wait.
    ///
    /// What workers print and log beyond that is not logged.
    private static let mostWaiting = 1_000
    /// A longer text counts as several pieces.
    private static let bytesOfPiece = 8 << 10

    /// `byteCount`: the size of the text that is kept until then.
    static func deliver(byteCount: Int = 0, _ work: @escaping @Sendable () -> Void) {
        let pieces = 1 + byteCount / bytesOfPiece
        waiting.add(pieces, ordering: .relaxed)
        queue.async {
            work()
            waiting.subtract(pieces, ordering: .relaxed)
        }
    }

    /// Passes untrusted text to the application's log, with the characters escaped that control a display.
    static func log(
        _ text: String, _ level: PluginLogger.Level, of bundleIdentifier: String, to log: @escaping WorkerHost.Log
    ) {
        let message = text.escapedForDisplay
        deliver(byteCount: message.utf8.count) { log(level, bundleIdentifier, message) }
    }

    /// Removes what a worker left behind.
    ///
    /// Not on the monitor's thread, because it takes time.
    static func clean(_ work: @escaping @Sendable () -> Void) { DispatchQueue.global().async(execute: work) }

    /// Whether the application keeps up with what is delivered.
    static var hasRoom: Bool { waiting.load(ordering: .relaxed) < mostWaiting }
}

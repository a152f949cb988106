import Glibc
import HostBasics
public import PluginABI

/// One message for the application's log.
public struct HostLogRecord: Sendable {
    /// How serious it is.
    public let level: PluginLogger.Level
    /// The identifier of the bundle that it concerns.
    public let bundleIdentifier: String
    /// The message, as a sentence.
    public let message: String

    package init(level: PluginLogger.Level, bundleIdentifier: String, message: String) {
        self.level = level
        self.bundleIdentifier = bundleIdentifier
        self.message = message
    }
}

/// The application's log, for every module above this one.
///
/// `HostEnvironment.current` sets its function.
///
/// **Threads.** Any.
package enum HostLog {
    package typealias Function = @Sendable (HostLogRecord) -> Void

    /// Deferred, because the function and the values that it captures belong to the application.
    private static let function = Lock(Deferred<Function>(writeToStandardError))

    /// Makes a function the log.
    package static func use(_ new: @escaping Function) { function.withLock { $0 = Deferred(new) } }

    /// Passes a message of the library to the log.
    ///
    /// `bundleIdentifier`: the bundle that the message concerns, or the library itself if there is none.
    package static func write(
        _ level: PluginLogger.Level, bundleIdentifier: String = "PluginHost", _ message: String
    ) {
        write(HostLogRecord(level: level, bundleIdentifier: bundleIdentifier, message: message))
    }

    /// Passes a record to the log when this thread holds no lock, because the function may call the library.
    package static func write(_ record: HostLogRecord) {
        HeldLocks.afterRelease { function.withLock { $0 }.value(record) }
    }

    /// The log of an application that has set none: writes records of level `notice` and above to standard error.
    package static func writeToStandardError(_ record: HostLogRecord) {
        guard record.level >= .notice else { return }
        // One write(), so that lines of several threads do not mix.
        var line = "\(record.level) [\(record.bundleIdentifier)] \(record.message)\n"
        line.withUTF8 { _ = Glibc.write(2, $0.baseAddress, $0.count) }
    }
}

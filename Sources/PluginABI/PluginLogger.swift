/// Writes to the host's log, under the plug-in's bundle identifier.
///
/// **Threads.** Any. **Cost.** The message is built and passed to the application's log function immediately.
public struct PluginLogger: Sendable {
    /// How serious a message is: the levels of swift-log, in order.
    public enum Level: Int32, Sendable, Comparable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical

        /// Whether the first level is less serious.
        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    let write: @Sendable (Level, String) -> Void

    /// A logger that passes its messages to a function.
    @_spi(PluginHost)
    public init(write: @escaping @Sendable (Level, String) -> Void) {
        self.write = write
    }

    /// Writes one message.
    public func log(_ level: Level, _ message: String) { write(level, message) }

    /// Writes a message with level ``Level/debug``.
    public func debug(_ message: String) { write(.debug, message) }
    /// Writes a message with level ``Level/info``.
    public func info(_ message: String) { write(.info, message) }
    /// Writes a message with level ``Level/notice``.
    public func notice(_ message: String) { write(.notice, message) }
    /// Writes a message with level ``Level/warning``.
    public func warning(_ message: String) { write(.warning, message) }
    /// Writes a message with level ``Level/error``.
    public func error(_ message: String) { write(.error, message) }
}

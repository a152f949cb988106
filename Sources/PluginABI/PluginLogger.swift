/// Writes to the host's log, under the plug-in's bundle identifier.
///
/// **Threads.** Any. **Cost.** The message is built and handed to the application's log function at once.
public struct PluginLogger: Sendable {
    /// How serious a message is: the levels of swift-log, in order.
    public enum Level: Int32, Sendable, Comparable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical

        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    let write: @Sendable (Level, String) -> Void

    @_spi(PluginHost)
    public init(write: @escaping @Sendable (Level, String) -> Void) {
        self.write = write
    }

    /// Writes one message.
    public func log(_ level: Level, _ message: String) { write(level, message) }

    public func debug(_ message: String) { write(.debug, message) }
    public func info(_ message: String) { write(.info, message) }
    public func notice(_ message: String) { write(.notice, message) }
    public func warning(_ message: String) { write(.warning, message) }
    public func error(_ message: String) { write(.error, message) }
}

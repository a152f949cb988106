internal import CPluginSupport
import Glibc
public import PluginABI
import Synchronization

/// What the application tells the library about itself: its name and version, the user's languages, where to log.
///
/// Set ``current`` once at the start, before the first bundle is loaded:
/// ```swift
/// HostEnvironment.current.name = "Workbench"
/// HostEnvironment.current.log = { record in logger.log(level: …, "\(record.message)") }
/// ```
/// **Threads.** ``current`` may be read and set on any thread; a plug-in sees the name and version of the time when it
/// was loaded.
public struct HostEnvironment: Sendable {
    /// The application's name, as plug-ins see it. Default: the program's file name.
    public var name: String
    /// The application's version, as plug-ins see it. Default: empty.
    public var version: String = ""
    /// The user's languages, best first, instead of those that the environment tells; nil for the environment's.
    ///
    /// May be set while the program runs: every bundle speaks the new language from its next look-up on.
    public var preferredLanguages: [String]?
    /// Takes what plug-ins and the library log, on the thread that logs. Default: writes records of level `notice` and
    /// above to standard error.
    ///
    /// A function and not a logger of swift-log, because a static copy of that module inside this library would not be
    /// the copy that the application configured.
    public var log: @Sendable (HostLogRecord) -> Void

    init(name: String, log: @escaping @Sendable (HostLogRecord) -> Void) {
        self.name = name
        self.log = log
    }

    /// The environment of this process.
    public static var current: HostEnvironment {
        get { state.withLock { $0 } }
        set {
            state.withLock { environment in
                let areOthers = environment.preferredLanguages != newValue.preferredLanguages
                environment = newValue
                // Within the lock: who reads the new number also finds the new languages.
                if areOthers { languageGeneration.add(1, ordering: .releasing) }
            }
        }
    }

    /// Counts the changes of ``preferredLanguages``: what was concluded under another number is void.
    static let languageGeneration = Atomic(0)

    /// The user's languages, best first.
    static var currentLanguages: [String] { LanguagePreferences.current(override: current.preferredLanguages) }

    private static let state = Mutex(
        HostEnvironment(name: CommandLine.arguments.first.map(lastComponent) ?? "host", log: writeToStandardError))

    private static func lastComponent(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    private static func writeToStandardError(_ record: HostLogRecord) {
        guard record.level >= .notice else { return }
        // One write(), so that lines of several threads do not mix.
        var line = "\(record.level) [\(record.bundleIdentifier)] \(record.message)\n"
        line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
    }

    // MARK: For the C table

    /// The name and version as strings of the C ABI, which plug-ins may keep for ever.
    static var immortalIdentity: (name: plugin_string, version: plugin_string) {
        let environment = current
        return immortals.withLock { ($0.string(environment.name), $0.string(environment.version)) }
    }

    private static let immortals = Mutex(ImmortalStrings())

    /// Keeps one C copy of each different text; an application has one name and one version.
    private struct ImmortalStrings {
        private struct Copy: @unchecked Sendable {
            // @unchecked because of the pointer: the bytes are never written again and never freed.
            let text: String
            let bytes: plugin_string
        }

        private var copies: [Copy] = []

        mutating func string(_ text: String) -> plugin_string {
            if let known = copies.first(where: { $0.text == text }) { return known.bytes }
            let length = text.utf8.count
            let bytes = plugin_string(ptr: strdup(text), len: length)
            copies.append(Copy(text: text, bytes: bytes))
            return bytes
        }
    }
}

/// One message for the application's log.
public struct HostLogRecord: Sendable {
    public let level: PluginLogger.Level
    /// Which bundle it concerns.
    public let bundleIdentifier: String
    public let message: String
}

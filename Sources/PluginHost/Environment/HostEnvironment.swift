internal import CPluginSupport
import Glibc
public import PluginABI
import Synchronization

/// What the application tells the library about itself: its name and version, the user's languages, the device, where
/// to log.
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
    /// What the application offers to plug-ins beyond its version, by names of its choosing: a bundle whose
    /// `PHCapabilities` has another is incompatible. Default: nothing.
    public var capabilities: Set<String> = []
    /// The user's languages, best first, instead of those that the environment tells; nil for the environment's.
    ///
    /// May be set while the program runs: every bundle speaks the new language from its next look-up on.
    public var preferredLanguages: [String]?
    /// The kind of device that the application runs on, as it stands in the names of resources: `phone` for
    /// `icon~phone.png`. Default: nil, for none. May be set while the program runs, as the languages may.
    public var device: String?
    /// Pixels to a point of the application's windows: with 2, `icon@2x.png` goes before `icon.png`. Default: 1.
    /// Numbers above 9 count as 9. May be set while the program runs, as the languages may.
    public var scale = 1
    /// Whether a bundle with `PHFactories` must register everything that it declares there. Otherwise what is missing is a
    /// warning; what is registered at an extension point and not declared is an error always. Default: false.
    public var requiresDeclaredRegistrations = false
    /// The classes of the application that nibs may name. Default: none.
    public var nibClasses = NibClasses()
    /// How much a nib may hold.
    public var nibLimits = NibLimits()
    /// Takes what plug-ins and the library log, on the thread that logs. Default: writes records of level `notice` and
    /// above to standard error.
    ///
    /// A function and not a logger of swift-log, because a static copy of that module inside this library would not be
    /// the copy that the application configured.
    public var log: @Sendable (HostLogRecord) -> Void
    /// Called before each step of a load that runs a plug-in's code, and when the load has ended, on the thread that
    /// loads, with no lock held. Loads nest: a plug-in's entry may load another. Default: nil.
    ///
    /// It takes the path of the bundle and the step. It must not load or unload a bundle.
    public var loadStep: (@Sendable (_ bundlePath: String, _ step: LoadStep) -> Void)?

    init(name: String, log: @escaping @Sendable (HostLogRecord) -> Void) {
        self.name = name
        self.log = log
    }

    /// The environment of this process.
    public static var current: HostEnvironment {
        get { state.withLock { $0.environment }.value }
        set {
            state.withLock { state in
                let old = state.environment.value
                if old.preferredLanguages != newValue.preferredLanguages {
                    state.languages = newValue.preferredLanguages.map { LanguagePreferences.current(override: $0) }
                }
                if old.name != newValue.name || old.version != newValue.version { state.identity = nil }
                state.environment = Deferred(newValue)
                reportsLoadSteps.store(newValue.loadStep != nil, ordering: .relaxed)
                nibClassesVersion.store(newValue.nibClasses.version, ordering: .releasing)
                // Within the lock: who reads the new number also finds the new values.
                if old.preferredLanguages != newValue.preferredLanguages || old.device != newValue.device
                    || old.scale != newValue.scale
                {
                    resourceGeneration.add(1, ordering: .releasing)
                }
            }
        }
    }

    /// Counts the changes of ``preferredLanguages``, ``device`` and ``scale``: which resources and strings were chosen
    /// under another number is void.
    static let resourceGeneration = Atomic(0)

    /// ``NibClasses/version`` of ``nibClasses``: what was resolved against others is void.
    static let nibClassesVersion = Atomic(0)

    /// Whether ``loadStep`` is set: each load looks.
    static let reportsLoadSteps = Atomic(false)

    /// The user's languages, best first.
    static var currentLanguages: [String] {
        // Not under the lock: the user's defaults are another library's.
        state.withLock { $0.languages } ?? LanguagePreferences.current()
    }

    private struct State {
        /// ``log`` is the application's, with all that it holds.
        var environment: Deferred<HostEnvironment>
        /// What ``preferredLanguages`` mean: each bundle asks.
        var languages: [String]?
        /// The name and version of ``environment`` for the C table, once a plug-in was loaded with them.
        var identity: (name: plugin_string, version: plugin_string)?
    }

    private static let state = Lock(
        State(
            environment: Deferred(
                HostEnvironment(
                    name: CommandLine.arguments.first.map(Path.lastComponent) ?? "host", log: writeToStandardError))))

    /// Hands a message of the library's own to the application's log. `bundleIdentifier`: which bundle it concerns; the
    /// library itself where it is none.
    static func log(_ level: PluginLogger.Level, bundleIdentifier: String = "PluginHost", _ message: String) {
        log(HostLogRecord(level: level, bundleIdentifier: bundleIdentifier, message: message))
    }

    /// Hands a record to the application's log, when this thread holds no lock: the log may call the library.
    static func log(_ record: HostLogRecord) { HeldLocks.afterRelease { current.log(record) } }

    private static func writeToStandardError(_ record: HostLogRecord) {
        guard record.level >= .notice else { return }
        // One write(), so that lines of several threads do not mix.
        var line = "\(record.level) [\(record.bundleIdentifier)] \(record.message)\n"
        line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
    }

    // MARK: For the C table

    /// The name and version as strings of the C ABI, which plug-ins may keep for ever.
    static var immortalIdentity: (name: plugin_string, version: plugin_string) {
        state.withLock { state in
            if let identity = state.identity { return identity }
            let identity = (
                immortal(state.environment.value.name), immortal(state.environment.value.version)
            )
            state.identity = identity
            return identity
        }
    }

    /// A copy that is never freed. An application sets its name and version once.
    private static func immortal(_ text: String) -> plugin_string {
        plugin_string(ptr: strdup(text), len: text.utf8.count)
    }
}

/// One message for the application's log.
public struct HostLogRecord: Sendable {
    /// How serious it is.
    public let level: PluginLogger.Level
    /// Which bundle it concerns.
    public let bundleIdentifier: String
    /// The message, as a sentence.
    public let message: String
}

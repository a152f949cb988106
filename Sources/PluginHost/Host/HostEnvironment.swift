import BundleReading
internal import CPluginSupport
import Glibc
import HostBasics
public import HostLogging
import HostRecords
public import PluginABI
import PluginWorkers
import Synchronization

/// The application's settings for the library: its name and version, the user's languages, the device, and where to
/// log.
///
/// Set ``current`` once at the start, before the first bundle is loaded:
/// ```swift
/// HostEnvironment.current.name = "workbench"   // as PluginCatalog(application:) has it
/// HostEnvironment.current.log = { record in logger.log(level: …, "\(record.message)") }
/// ```
/// **Threads.** ``current`` may be read and set on any thread. A plug-in sees the name and version that were set when
/// it was loaded.
public struct HostEnvironment: Sendable {
    /// The application's name, as plug-ins see it, and the name of the directories with their settings and data.
    ///
    /// Give ``PluginCatalog/init(application:options:)`` the same name. Default: the program's file name.
    public var name: String
    /// The application's version, as plug-ins see it.
    ///
    /// Default: empty.
    public var version: String = ""
    /// The capabilities that the application offers to plug-ins in addition to its version, under names that it
    /// chooses.
    ///
    /// A bundle that lists another name in `PHCapabilities` is incompatible. Default: empty.
    public var capabilities: Set<String> = []
    /// The user's languages, best first.
    ///
    /// Nil, the default, means the languages from the process environment. May be set while the program runs: every
    /// bundle uses the new language at its next look-up.
    public var preferredLanguages: [String]?
    /// The kind of device that the application runs on, spelled as in resource names: `phone` for `icon~phone.png`.
    ///
    /// Default: nil, for none. May be set while the program runs, like the languages.
    public var device: String?
    /// Pixels per point in the application's windows.
    ///
    /// At 2, `icon@2x.png` is preferred to `icon.png`.
    ///
    /// Default: 1. Numbers above 9 count as 9. May be set while the program runs, like the languages.
    public var scale = 1
    /// Whether a bundle with `PHFactories` must register everything that it declares there.
    ///
    /// If false, the default, a missing registration is a warning. An undeclared registration at an extension point is
    /// always an error.
    public var requiresDeclaredRegistrations = false
    /// The classes of the application that nibs may name.
    ///
    /// Default: none.
    public var nibClasses = NibClasses()
    /// The limits of a nib.
    public var nibLimits = NibLimits()
    /// The directory of the program `pluginhost-worker`, which runs plug-ins outside the application's process.
    ///
    /// Default: nil. ``WorkerProgram/automatic`` then lists where the program is searched for.
    public var workerPath: String?
    /// Directories with worker programs for Swift plug-ins that another toolchain built.
    ///
    /// The first one is tried first.
    ///
    /// Each contains the program `pluginhost-worker` that the other toolchain built; docs/isolation.md describes them.
    /// Default: none. The folders in `pluginhost/runtimes` beside the library are searched after these directories.
    public var runtimes: [String] = []
    /// The tables of C plug-ins that can be used from another process, as the application's API describes them.
    ///
    /// Default: none. The objects of C factories then exist only in the application's process.
    public var remoteTables: [CRemoteTable] = []
    /// The policy of ``isolation``; nil if the application set none.
    var isolationPolicy: ChosenPolicy?
    /// Receives the log messages of plug-ins and of the library, on the thread that logs.
    ///
    /// Default: writes records of level `notice` and above to standard error.
    ///
    /// It is a function and not a swift-log logger, because a static copy of that module inside this library would
    /// differ from the copy that the application configured.
    public var log: @Sendable (HostLogRecord) -> Void
    /// Called before each step of a load that runs a plug-in's code, and when the load has ended.
    ///
    /// The call is made on the thread that loads, with no lock held. Loads can be nested: a plug-in's entry may load
    /// another plug-in. If the code runs in a worker, ``LoadStep/opening`` covers the start of the process, and
    /// ``LoadStep/entry`` everything that the load runs there before the activation. ``WorkerEnd/phase`` states which
    /// step ended the process. Default: nil.
    ///
    /// It receives the path of the bundle and the step. It must not load or unload a bundle.
    public var loadStep: (@Sendable (_ bundlePath: String, _ step: LoadStep) -> Void)?
    /// Whether a load also logs the warnings of ``PluginBundle/loadWarnings``.
    ///
    /// A program that shows these warnings sets it to false.
    @_spi(Tools) public var logsLoadWarnings = true
    /// The directory with the settings of all plug-ins, for a test; nil for those of the user and the system.
    @_spi(Tools) public var settingsFolder: SettingsFolder?

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
                HostLog.use(newValue.log)
                PlacementDecider.policy.note(isPresent: newValue.isolationPolicy != nil)
                if newValue.loadStep != nil {
                    loadStepReaders.bitwiseOr(applicationReadsSteps, ordering: .relaxed)
                } else {
                    loadStepReaders.bitwiseAnd(~applicationReadsSteps, ordering: .relaxed)
                }
                nibClassesVersion.store(newValue.nibClasses.version, ordering: .releasing)
                // Under the lock, so that a thread that reads the new number also finds the new values.
                if old.preferredLanguages != newValue.preferredLanguages || old.device != newValue.device
                    || old.scale != newValue.scale
                {
                    resourceGeneration.add(1, ordering: .releasing)
                }
            }
        }
    }

    /// Counts the changes of ``preferredLanguages``, ``device`` and ``scale``, and of the resources of loaded bundles.
    ///
    /// Resources and strings that were chosen under another number are no longer valid.
    static let resourceGeneration = Atomic(0)

    /// ``NibClasses/version`` of ``nibClasses``.
    ///
    /// Plans that were resolved under another version are no longer valid.
    static let nibClassesVersion = Atomic(0)

    /// The readers of load steps: ``applicationReadsSteps`` if ``loadStep`` is set, ``journalReadsSteps``.
    ///
    /// Each load checks this.
    static let loadStepReaders = Atomic<UInt8>(0)
    static let applicationReadsSteps: UInt8 = 1
    /// A crash journal has begun.
    static let journalReadsSteps: UInt8 = 2

    /// The user's languages, best first.
    static var currentLanguages: [String] {
        // Outside the lock: reading the user's defaults runs code of another library.
        state.withLock { $0.languages } ?? LanguagePreferences.current()
    }

    private struct State {
        /// Deferred, because ``log`` and the values that it captures belong to the application.
        var environment: Deferred<HostEnvironment>
        /// The languages that result from ``preferredLanguages``.
        ///
        /// Every bundle requests them.
        var languages: [String]?
        /// The name and version of ``environment`` for the C table, set when a plug-in is first loaded with them.
        var identity: (name: plugin_string, version: plugin_string)?
    }

    private static let state = Lock(
        State(
            environment: Deferred(
                HostEnvironment(
                    name: ProgramArguments.all.first.map(Path.lastComponent) ?? "host",
                    log: HostLog.writeToStandardError))))

    /// Passes a message of the library to the application's log.
    ///
    /// `bundleIdentifier`: the bundle that the message concerns, or the library itself if there is none.
    static func log(_ level: PluginLogger.Level, bundleIdentifier: String = "PluginHost", _ message: String) {
        HostLog.write(level, bundleIdentifier: bundleIdentifier, message)
    }

    /// Passes a record to the application's log when this thread holds no lock, because the log function may call the
    /// library.
    static func log(_ record: HostLogRecord) { HostLog.write(record) }

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

    /// Returns a copy of a text that is never freed.
    ///
    /// An application usually sets its name and version once.
    private static func immortal(_ text: String) -> plugin_string {
        plugin_string(ptr: strdup(text), len: text.utf8.count)
    }
}

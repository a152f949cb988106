import HostBasics
@_spi(PluginHost) internal import PluginABI
import PluginWorkers
import Synchronization

/// The values of a plug-in's settings in this process, and everybody who wants to know of changes.
///
/// **Threads.** Any.
final class SettingsAudience: Sendable {
    let identifier: String
    let storage: SettingsStorage
    /// The functions of C plug-ins that observe changes.
    let observers = SettingsObservers()

    private struct State {
        /// The objects that plug-ins and the application read.
        var handles = WeakObjects<PluginSettings>()
        /// Workers that have a copy of the values.
        var copies: [Int: Deferred<@Sendable (Set<String>) -> Void>] = [:]
        var made = 0
        /// What was logged.
        var noted: Set<String> = []
    }

    private let state = Lock(State())

    init(_ identifier: String, _ values: [String: SettingScalar]) {
        self.identifier = identifier
        storage = SettingsStorage(values)
        version.store(Self.nextVersion, ordering: .releasing)
    }

    /// A new object that reads the values.
    func makeHandle(_ services: any PluginSettingsServices) -> PluginSettings {
        let handle = PluginSettings(storage: storage, services: services)
        state.withLock { $0.handles.add(handle) }
        return handle
    }

    /// Calls a closure after each change, with the changed keys.
    ///
    /// - Returns: the number with which it is removed.
    func addCopy(_ report: @escaping @Sendable (Set<String>) -> Void) -> Int {
        state.withLock { state in
            state.made += 1
            state.copies[state.made] = Deferred(report)
            return state.made
        }
    }

    func removeCopy(_ number: Int) { state.withLock { _ = $0.copies.removeValue(forKey: number) } }

    /// Counts the changes of all settings.
    ///
    /// It is one number for the process, because a worker keeps values while the bundle gets other settings here, as in
    /// the next test of the test kit.
    private static let versions = Atomic<UInt64>(0)
    private static var nextVersion: UInt64 { versions.add(1, ordering: .acquiringAndReleasing).newValue }

    /// The number of the last change.
    private let version = Atomic<UInt64>(0)

    /// All values, with a version that is not newer than they are.
    var update: SettingsUpdate {
        let version = version.load(ordering: .acquiring)
        return SettingsUpdate(version: version, values: storage.all)
    }

    /// Lets new values count.
    ///
    /// The caller holds the lock that keeps its changes in order, and calls ``notify(_:)`` after it.
    ///
    /// - Returns: the keys that are different now.
    func apply(_ values: [String: SettingScalar]) -> Set<String> {
        let changed = storage.apply(values)
        if !changed.isEmpty { version.store(Self.nextVersion, ordering: .releasing) }
        return changed
    }

    /// Reports changed keys to everybody who wants to know.
    func notify(_ changed: Set<String>) {
        guard !changed.isEmpty else { return }
        HeldLocks.preconditionNone(before: "code that observes settings")
        let (handles, copies) = state.withLock { state in
            (state.handles.all, state.copies.values.map { $0 })
        }
        for handle in handles { handle.object?.publish(changed) }
        for copy in copies { copy.value(changed) }
        observers.post(changed)
    }

    // MARK: Notes

    /// The most notes of one plug-in.
    private static let mostNotes = 1_000

    /// Logs a message once for a key and a type.
    private func note(_ key: String, _ type: String, _ message: @autoclosure () -> String) {
        let isNew = state.withLock { state in
            state.noted.count < Self.mostNotes && state.noted.insert("\(type) \(key)").inserted
        }
        if isNew { HostEnvironment.log(.error, bundleIdentifier: identifier, message()) }
    }

    func noteUndeclared(_ key: String, wanted type: String, isDeclared: Bool) {
        note(
            key, type,
            isDeclared
                ? """
                The code reads the setting \(quoted(key)) as \(type), and the Settings.bundle declares it with another type; the \
                code's own default counts. Use the declared type. [\(PluginError.Code.settingUndeclared)]
                """
                : """
                The code reads the setting \(quoted(key)), which the Settings.bundle does not declare; the code's own default \
                counts. Declare it, or correct the key. [\(PluginError.Code.settingUndeclared)]
                """)
    }

    func noteUnknownCase(_ key: String, type: String, value: String) {
        note(
            key, type,
            """
            The setting \(quoted(key)) has the value \(quoted(value)), and \(type) has no such case; the code's own default \
            counts. Add the case, or remove the value from the Settings.bundle.
            """)
    }
}

import HostBasics
import HostRecords
@_spi(PluginHost) internal import PluginABI
import SettingsReading

/// The settings of one bundle, in a process that reads and writes the files of all layers: the application, or a tool.
///
/// **Threads.** Any. While the lock is held, files are read and nothing is logged or reported.
final class FileSettings: PluginSettingsServices {
    let bundlePath: String
    let schema: SettingsSchema
    let places: SettingsPlaces
    let audience: SettingsAudience
    /// The Settings.bundle, which has the texts of the pages; nil if there is none.
    let texts: PluginBundle?
    private let pace = WritePace()

    private struct State {
        var overrides: [String: SettingScalar] = [:]
        var resolution: SettingsResolution
    }

    private let state: Lock<State>

    /// - Parameters:
    ///   - bundlePath: of the plug-in, for errors.
    ///   - identifier: of the plug-in.
    ///   - schema: what its Settings.bundle declares.
    ///   - places: where the values are.
    ///   - texts: the Settings.bundle.
    init(
        bundlePath: String, identifier: String, schema: SettingsSchema, places: SettingsPlaces, texts: PluginBundle?
    ) {
        self.bundlePath = bundlePath
        self.schema = schema
        self.places = places
        self.texts = texts
        let resolution = SettingsResolution(schema, SettingsFiles(places))
        audience = SettingsAudience(identifier, resolution.values)
        state = Lock(State(resolution: resolution))
    }

    /// Reports later changes of the files.
    ///
    /// It also logs what is wrong with them now.
    func begin() {
        log(schema.findings + resolution.findings)
        if !schema.declarations.isEmpty, !places.all.isEmpty { SettingsWatch.shared.add(self) }
    }

    // MARK: Reading

    var resolution: SettingsResolution { state.withLock { $0.resolution } }

    var overrides: [String: SettingScalar] { state.withLock { $0.overrides } }

    /// Reads the files again, and reports the settings that are different now.
    func refresh() { change { _ in } }

    func setOverride(_ key: String, _ value: SettingScalar?) { change { $0[key] = value } }

    func removeOverrides() { change { $0 = [:] } }

    private func change(_ body: (inout [String: SettingScalar]) -> Void) {
        let (changed, new) = state.withLock { state in
            let known = Set(state.resolution.findings)
            body(&state.overrides)
            state.resolution = SettingsResolution(schema, SettingsFiles(places), overrides: state.overrides)
            return (
                audience.apply(state.resolution.values), state.resolution.findings.filter { !known.contains($0) }
            )
        }
        log(new)
        audience.notify(changed)
    }

    private func log(_ findings: [PluginFinding]) {
        for finding in findings {
            HostEnvironment.log(
                finding.severity == .error ? .error : .warning, bundleIdentifier: audience.identifier,
                "\(finding.placedMessage) \(finding.remedy)")
        }
    }

    // MARK: Changing

    func set(_ key: String, to value: SettingScalar) throws {
        pace.wait()
        let declaration = try changeable(key)
        let checked = try checked(value, declaration)
        try write(SettingsContent.Change(values: [key: checked.list], moves: schema.declarations))
    }

    func reset(_ key: String) throws {
        pace.wait()
        let declaration = try changeable(key)
        var change = SettingsContent.Change()
        for key in [key] + declaration.formerKeys { change.values[key] = .some(nil) }
        try write(change)
    }

    /// The declaration of a key that the user may change.
    private func changeable(_ key: String) throws(PluginError) -> SettingDeclaration {
        guard let declaration = schema[key] else { throw undeclared(key) }
        if declaration.isSecret { throw secret(key) }
        // The administrator may have locked it a moment ago.
        let files = SettingsFiles(places)
        if let lock = SettingsResolution(schema, files).locks[key] {
            throw failure(
                .settingLocked, key, "The administrator has locked the setting \(quoted(key)) in \(quoted(lock)).",
                "Ask the administrator to change it.", path: lock)
        }
        return declaration
    }

    private func write(_ change: SettingsContent.Change) throws(PluginError) {
        guard let path = places.user else {
            throw failure(
                .settingsUnreadable, nil,
                """
                The settings cannot be written: the user has no home directory, or the name of the application or the \
                plug-in's identifier cannot be the name of a file.
                """,
                "Set HOME to a directory, and use one path component for each name.")
        }
        do throws(PluginFinding) {
            try SettingsContent.kept(at: path).write(change)
        } catch {
            throw PluginError(bundlePath: bundlePath, error)
        }
        refresh()
    }

    /// Stores a value for every user, in the administrator's file.
    ///
    /// A value of nil removes it. `locks`: whether nobody else may change it.
    func setForSystem(_ key: String, to value: SettingScalar?, locks: Bool) throws(PluginError) {
        guard let declaration = schema[key] else { throw undeclared(key) }
        if declaration.isSecret { throw secret(key) }
        var change = SettingsContent.Change()
        if let value {
            change.values[key] = try checked(value, declaration).list
        } else {
            for key in [key] + declaration.formerKeys { change.values[key] = .some(nil) }
        }
        if locks { change.locks = [key] } else { change.unlocks = [key] }
        guard let path = places.administratorToChange else {
            throw failure(
                .settingsUnreadable, key, "There is no directory for settings of the administrator.",
                "Let XDG_CONFIG_DIRS name one.")
        }
        do throws(PluginFinding) {
            try SettingsContent.kept(at: path, for: .everybody).write(change)
        } catch {
            throw PluginError(bundlePath: bundlePath, error)
        }
        refresh()
    }

    private func checked(
        _ value: SettingScalar, _ declaration: SettingDeclaration
    ) throws(PluginError) -> SettingScalar {
        do throws(SettingDeclaration.Fault) {
            return try declaration.checked(value)
        } catch {
            throw failure(
                .settingInvalid, declaration.key,
                "The setting \(quoted(declaration.key)) cannot have the value \(quoted(Self.short(value.description))).",
                "Use \(declaration.allowedWords).")
        }
    }

    private func undeclared(_ key: String) -> PluginError {
        failure(
            .settingUndeclared, key, "The Settings.bundle does not declare the setting \(quoted(Self.short(key))).",
            "Declare it in the Settings.bundle, or correct the key.")
    }

    private func secret(_ key: String) -> PluginError {
        failure(
            .settingSecret, key, "The setting \(quoted(key)) is secret, and files with settings can be read.",
            "Let the application set it for this run, from a keyring.")
    }

    /// The beginning of a text for a message: a worker may send a megabyte.
    private static func short(_ text: String) -> String {
        text.utf8.count <= 200 ? text : String(text.unicodeScalars.prefix(100)) + "…"
    }

    private func failure(
        _ code: PluginError.Code, _ key: String?, _ message: String, _ remedy: String, path: String? = nil
    ) -> PluginError {
        PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                code, filePath: path, subject: key.map(Self.short),
                message: message, remedy: remedy))
    }

    // MARK: Notes

    func noteUndeclared(_ key: String, wanted type: String, isDeclared: Bool) {
        audience.noteUndeclared(key, wanted: type, isDeclared: isDeclared)
    }

    func noteUnknownCase(_ key: String, type: String, value: String) {
        audience.noteUnknownCase(key, type: type, value: value)
    }
}

/// Slows down a plug-in that stores values all the time: each change waits for the disk, and every process reads it.
final class WritePace: Sendable {
    /// The changes that need not wait, and those of each second afterwards.
    private static let perSecond = 20

    private let next = Lock<ContinuousClock.Instant?>(nil)

    /// Waits until the next change may be made.
    func wait() {
        let step = Duration.milliseconds(1_000 / Self.perSecond)
        let due: ContinuousClock.Instant = next.withLock { next in
            let now = ContinuousClock.now
            // Time that was not used counts, up to one second.
            let due = max(next ?? now - .seconds(1), now - .seconds(1)) + step
            next = due
            return due
        }
        let left = due - .now
        guard left > .zero else { return }
        let wait = Wait(atMost: left)
        while wait.sleep(microseconds: 1_000) {}
    }
}

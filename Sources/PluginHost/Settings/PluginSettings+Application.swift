import HostBasics
@_spi(PluginHost) public import PluginABI
internal import PropertyLists
public import SettingsReading

/// Where the value of a setting comes from.
public struct SettingOrigin: Sendable, Hashable {
    /// Who set it.
    public var layer: SettingsLayer
    /// The file with it; nil for a value of this run.
    public var path: String?
    /// The line of the file; nil if it is not known, as in a binary list.
    public var place: PluginFinding.Place?
    /// The administrator's file that locks the setting; nil if it is not locked.
    public var lock: String?
}

/// The values that the application sets for this run; nothing is written.
public struct SettingsOverrides: Sendable {
    let files: FileSettings?

    /// The value for a key; nil if the application has set none.
    ///
    /// A value that the setting cannot have does not count, and neither does one for a locked setting:
    /// `findings` states why.
    public subscript(key: String) -> SettingScalar? {
        get { files?.overrides[key] }
        nonmutating set { files?.setOverride(key, newValue) }
    }

    /// Removes all values of this run.
    public func removeAll() { files?.removeOverrides() }
}

// What the application may do beyond the plug-in. In a worker process, which has no files, these know nothing.
extension PluginSettings {
    private var files: FileSettings? { services as? FileSettings }

    /// The keys that the Settings.bundle declares, in the order of its pages.
    public var keys: [String] { files?.schema.declarations.map(\.key) ?? [] }

    /// The values of the application for this run: `settings.overrides["rate"] = .real(2)`.
    ///
    /// They count more than the user's, except for a locked setting. Only they can be values of a secret setting.
    public var overrides: SettingsOverrides { SettingsOverrides(files: files) }

    /// The value that counts for a key, whatever its type; nil if the Settings.bundle does not declare it.
    public func value(of key: String) -> SettingScalar? { value(key) }

    /// Where the value of a setting comes from; nil if the Settings.bundle does not declare it.
    ///
    /// **Cost.** Reads the file, for the line.
    public func origin(of key: String) -> SettingOrigin? {
        guard let files else { return nil }
        let resolution = files.resolution
        guard let found = resolution.origins[key] else { return nil }
        var origin = SettingOrigin(layer: found.layer, path: found.path, lock: resolution.locks[key])
        if let path = found.path, found.layer != .plugin,
            let bytes = try? OwnFile.bytes(path: path, atMost: SettingsFile.limits.size)
        {
            origin.place = FilePlaces(bytes).place(of: found.key)
        }
        return origin
    }

    /// What is wrong with the Settings.bundle, with the files of all layers, and with the values of this run.
    public var findings: [PluginFinding] { files.map { $0.schema.findings + $0.resolution.findings } ?? [] }

    /// Reads the files of all layers again.
    ///
    /// This is only needed where the system cannot report changes of files.
    public func refresh() { files?.refresh() }

    /// Stores a value for the user, as a page of settings does.
    ///
    /// - Parameters:
    ///   - key: a key of the Settings.bundle.
    ///   - value: the new value; a whole number may stand for a real.
    /// - Throws: `PluginError`: `settingUndeclared`, `settingInvalid`, `settingLocked`, `settingSecret`, or
    ///   `settingsUnreadable` if the file cannot be read or written. Nothing has changed then.
    ///
    /// **Cost.** As for `set(_:to:)` with a `Setting`.
    public func set(_ key: String, to value: SettingScalar) throws { try services.set(key, to: value) }

    /// What the Settings.bundle declares about a key.
    @_spi(Tools) public func declaration(of key: String) -> SettingDeclaration? { files?.schema[key] }

    /// Where the values are.
    @_spi(Tools) public var places: SettingsPlaces { files?.places ?? .none }

    /// The values in the user's file that the settings can have.
    ///
    /// **Cost.** Reads the file.
    @_spi(Tools) public var userValues: [String: SettingScalar] {
        guard let files, let stored = SettingsFiles(files.places).user?.values else { return [:] }
        var values: [String: SettingScalar] = [:]
        for declaration in files.schema.declarations where !declaration.isSecret {
            values[declaration.key] = stored[declaration.key].flatMap { try? declaration.value($0) }
        }
        return values
    }

    /// Stores a value for every user, in the administrator's file; nil removes it.
    @_spi(Tools) public func setForSystem(_ key: String, to value: SettingScalar?, locks: Bool) throws {
        try files?.setForSystem(key, to: value, locks: locks)
    }

    /// Removes the user's value of a setting.
    ///
    /// - Parameter key: a key of the Settings.bundle.
    /// - Throws: as for `set(_:to:)`.
    public func reset(_ key: String) throws { try services.reset(key) }
}

/// The settings of one plug-in: what its Settings.bundle declares, with the values that count now.
///
/// ```swift
/// extension Setting where Value == Double {
///     static var rate: Self { .init("rate", default: 1) }
/// }
/// let rate = context.settings[.rate]
/// ```
/// Each value is the one of the last of these layers that has a valid one: the plug-in's `DefaultValue`, the
/// distribution's file, the administrator's, the user's, and what the application set for this run. A value is always of
/// the declared type and in the declared range; everything else was reported and is not used.
///
/// **Threads.** Any. **Lifetime.** May be kept. **Cost.** Reading never waits, reads no file and, for numbers, allocates
/// nothing: a look-up in a dictionary of the keys.
public final class PluginSettings: Sendable {
    let storage: SettingsStorage
    /// What stores changes; the host's own.
    @_spi(PluginHost) public let services: any PluginSettingsServices
    let audience = ChangeAudience()

    /// For the host, which stores the values.
    @_spi(PluginHost)
    public init(storage: SettingsStorage, services: any PluginSettingsServices) {
        self.storage = storage
        self.services = services
    }

    // MARK: Reading
    // Overloads, not one generic subscript: this module is resilient, so nothing generic is specialised for a caller
    // unless it is inlinable.

    /// The value of a setting.
    public subscript(_ setting: Setting<Bool>) -> Bool {
        storage.bits(setting.key, .boolean).map { $0 != 0 } ?? missing(setting)
    }

    /// The value of a setting.
    public subscript(_ setting: Setting<Int>) -> Int {
        storage.bits(setting.key, .integer).map { Int(truncatingIfNeeded: $0) } ?? missing(setting)
    }

    /// The value of a setting.
    public subscript(_ setting: Setting<Double>) -> Double {
        storage.bits(setting.key, .real).map { Double(bitPattern: $0) } ?? missing(setting)
    }

    /// The value of a setting.
    public subscript(_ setting: Setting<String>) -> String {
        storage.text(setting.key) ?? missing(setting)
    }

    /// The value of a setting that is an enumeration of texts; its fallback, which is logged once, if the enumeration
    /// lacks the case.
    @inlinable
    public subscript<Value: RawRepresentable>(_ setting: Setting<Value>) -> Value where Value.RawValue == String {
        let raw = self[Setting<String>(setting.key, default: setting.fallback.rawValue)]
        return Value(rawValue: raw) ?? noCase(setting, raw)
    }

    /// The value of a setting that is an enumeration of whole numbers; its fallback, which is logged once, if the
    /// enumeration lacks the case.
    @inlinable
    public subscript<Value: RawRepresentable>(_ setting: Setting<Value>) -> Value where Value.RawValue == Int {
        let raw = self[Setting<Int>(setting.key, default: setting.fallback.rawValue)]
        return Value(rawValue: raw) ?? noCase(setting, raw)
    }

    @inline(never)
    private func missing<Value>(_ setting: Setting<Value>) -> Value {
        services.noteUndeclared(
            setting.key, wanted: "\(Value.self)", isDeclared: storage.declares(setting.key))
        return setting.fallback
    }

    /// Logs once that an enumeration lacks the case of a stored value.
    @inline(never) @usableFromInline
    func noCase<Value>(_ setting: Setting<Value>, _ raw: some Sendable) -> Value {
        services.noteUnknownCase(setting.key, type: "\(Value.self)", value: "\(raw)")
        return setting.fallback
    }

    /// All values of one moment, for a piece of work that uses several.
    public var snapshot: SettingsSnapshot { SettingsSnapshot(values: storage.all, services: services) }

    /// The later changes, whoever makes them: this process, another one, or the application for this run.
    public var changes: SettingsChanges { SettingsChanges(audience: audience) }

    // MARK: Changing

    /// Stores a value for the user.
    ///
    /// It counts at once, in every process of the user that has the plug-in. If the application has set a value for this
    /// run, that one still counts.
    ///
    /// - Parameters:
    ///   - setting: the setting, which the plug-in's Settings.bundle declares.
    ///   - value: the new value.
    /// - Throws: an error that states the reason: the Settings.bundle does not declare the key, the value is not
    ///   allowed, the administrator has locked the setting, it is secret, or the file cannot be written. Nothing has
    ///   changed then.
    ///
    /// **Cost.** Replaces a file, and waits until the disk has it; other processes that write are waited for, up to five
    /// seconds. After 20 changes at once, each waits a twentieth of a second.
    public func set<Value: SettingValue>(_ setting: Setting<Value>, to value: Value) throws {
        try services.set(setting.key, to: value.settingScalar)
    }

    /// Removes the user's value, so that the one of the layer below counts.
    ///
    /// - Parameter setting: the setting, which the plug-in's Settings.bundle declares.
    /// - Throws: an error like `set(_:to:)`.
    public func reset<Value: SettingValue>(_ setting: Setting<Value>) throws { try services.reset(setting.key) }

    // MARK: For the host

    /// The value for a key, whatever its type; nil if the Settings.bundle does not declare it.
    @_spi(PluginHost) public func value(_ key: String) -> SettingScalar? { storage.value(key) }

    /// Reports changed keys to the loops over ``changes``.
    @_spi(PluginHost) public func publish(_ keys: Set<String>) { audience.publish(keys) }

    /// Ends the loops over ``changes``.
    @_spi(PluginHost) public func endChanges() { audience.end() }
}

/// The values of a plug-in's settings at one moment.
///
/// **Threads.** A value; may be shared freely.
public struct SettingsSnapshot: Sendable {
    let values: [String: SettingScalar]
    let services: any PluginSettingsServices

    /// The value that a setting had; its fallback if the Settings.bundle does not declare it with this type.
    public subscript<Value: SettingValue>(_ setting: Setting<Value>) -> Value {
        guard let value = values[setting.key] else {
            services.noteUndeclared(setting.key, wanted: "\(Value.self)", isDeclared: false)
            return setting.fallback
        }
        if let result = Value(setting: value) { return result }
        // An enumeration has the type of its raw value.
        if Value.self is any RawRepresentable.Type, setting.fallback.settingScalar.isSameType(as: value) {
            services.noteUnknownCase(setting.key, type: "\(Value.self)", value: "\(value)")
        } else {
            services.noteUndeclared(setting.key, wanted: "\(Value.self)", isDeclared: true)
        }
        return setting.fallback
    }
}

extension SettingScalar {
    fileprivate func isSameType(as other: SettingScalar) -> Bool {
        switch (self, other) {
        case (.boolean, .boolean), (.integer, .integer), (.real, .real), (.text, .text): true
        default: false
        }
    }
}

/// What the host does for ``PluginSettings``.
@_spi(PluginHost)
public protocol PluginSettingsServices: AnyObject, Sendable {
    /// Stores a value for the user.
    func set(_ key: String, to value: SettingScalar) throws
    /// Removes the user's value.
    func reset(_ key: String) throws
    /// Logs, once for each key, that code reads a setting that the schema lacks, or declares with another type.
    func noteUndeclared(_ key: String, wanted type: String, isDeclared: Bool)
    /// Logs, once for each key, that an enumeration lacks the case of a stored value.
    func noteUnknownCase(_ key: String, type: String, value: String)
}

import HostBasics
@_spi(PluginHost) internal import PluginABI
import PluginWorkers

/// The settings of one bundle in a worker process.
///
/// The host sends all values before the entry of the plug-in is called, and then each change. The process reads no file,
/// and asks the host to write.
final class RemoteSettings: PluginSettingsServices {
    let audience: SettingsAudience
    private let bundle: WeakReference<PluginBundle>

    /// The version of each value.
    private let versions: Lock<[String: UInt64]>

    init(_ bundle: PluginBundle, _ update: SettingsUpdate) {
        self.bundle = WeakReference(bundle)
        audience = SettingsAudience(bundle.displayIdentifier, update.values)
        versions = Lock(update.values.mapValues { _ in update.version })
    }

    /// Lets newer values count.
    func take(_ update: SettingsUpdate) {
        let changed = versions.withLock { versions in
            let newer = update.values.filter { versions[$0.key] ?? .max <= update.version }
            for key in newer.keys { versions[key] = update.version }
            return audience.apply(newer)
        }
        audience.notify(changed)
    }

    func set(_ key: String, to value: SettingScalar) throws { try store(key, value) }

    func reset(_ key: String) throws { try store(key, nil) }

    private func store(_ key: String, _ value: SettingScalar?) throws {
        guard let bundle = bundle.object, let services = RemoteServices.shared else {
            throw PluginFailure("The settings cannot be changed: the plug-in's bundle is closed.")
        }
        // The answer has the values after the change, so that the caller reads what it has written.
        take(try services.store(key, value, for: bundle))
    }

    func noteUndeclared(_ key: String, wanted type: String, isDeclared: Bool) {
        audience.noteUndeclared(key, wanted: type, isDeclared: isDeclared)
    }

    func noteUnknownCase(_ key: String, type: String, value: String) {
        audience.noteUnknownCase(key, type: type, value: value)
    }
}

internal import CPluginSupport
import Glibc
import HostBasics
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// The implementation of the C table `org.pluginhost.settings/1`.
extension HostTable {
    /// Reads a value.
    ///
    /// `convert`: nil if the value has another type.
    func get<Value>(
        _ key: plugin_string, into value: UnsafeMutablePointer<Value>?, _ convert: (SettingScalar) -> Value?
    ) -> plugin_status {
        guard let value, let key = key.validText else { return plugin_status(PLUGIN_INVALID_ARGUMENT) }
        guard let found = settings.value(key) else {
            settings.services.noteUndeclared(key, wanted: "\(Value.self)", isDeclared: false)
            return plugin_status(PLUGIN_NOT_FOUND)
        }
        guard let result = convert(found) else {
            settings.services.noteUndeclared(key, wanted: "\(Value.self)", isDeclared: true)
            return plugin_status(PLUGIN_INVALID_ARGUMENT)
        }
        value.pointee = result
        return plugin_status(PLUGIN_OK)
    }

    /// Stores a value; nil removes the user's.
    func set(
        _ key: plugin_string, _ value: SettingScalar?, _ reason: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> plugin_status {
        guard let key = key.validText else { return plugin_status(PLUGIN_INVALID_ARGUMENT) }
        do {
            if let value { try settings.services.set(key, to: value) } else { try settings.services.reset(key) }
            return plugin_status(PLUGIN_OK)
        } catch {
            let finding = (error as? PluginError)?.findings[0]
            reason?.pointee = strdup(finding.map { "\($0.message) \($0.remedy)" } ?? "\(error)")
            switch finding?.code {
            case .settingUndeclared?: return plugin_status(PLUGIN_NOT_FOUND)
            case .settingInvalid?: return plugin_status(PLUGIN_INVALID_ARGUMENT)
            default: return plugin_status(PLUGIN_FAILED)
            }
        }
    }

    func observeSettings(
        _ observer: plugin_settings_observer?, _ userData: UnsafeMutableRawPointer?
    ) -> plugin_status {
        guard let observer else { return plugin_status(PLUGIN_INVALID_ARGUMENT) }
        let isAdded = bundle.bundleSettings.audience.observers.add(pointer, observer, userData)
        return plugin_status(isAdded ? PLUGIN_OK : PLUGIN_FAILED)
    }

    /// Ends what reports changes of settings to the plug-in's code.
    func endSettings() {
        let handle = settingsHandle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        handle?.endChanges()
        guard let settings = bundle.knownSettings, !settings.audience.observers.end(pointer) else { return }
        HostEnvironment.log(
            .warning, bundleIdentifier: bundle.displayIdentifier,
            "An observer of settings was still running two seconds after the plug-in's deactivation had begun.")
    }
}

extension SettingScalar {
    var booleanBit: Int32? {
        if case .boolean(let value) = self { value ? 1 : 0 } else { nil }
    }
}

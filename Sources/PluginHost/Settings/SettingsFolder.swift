import HostBasics
import SettingsReading

/// The settings of all plug-ins while a test runs: the files of all layers are in a directory of the test.
///
/// A bundle outlives the test, and its settings must not: so they belong to this object.
///
/// **Threads.** Any. **Lifetime.** As long as an environment has it.
@_spi(Tools) public final class SettingsFolder: Sendable {
    private let directory: String
    /// By the paths of the bundles.
    private let settings = Lock<[String: BundleSettings]>([:])

    /// - Parameter directory: where the files are; it need not exist.
    public init(_ directory: String) { self.directory = directory }

    func known(_ bundle: PluginBundle) -> BundleSettings? { settings.withLock { $0[bundle.bundlePath] } }

    func settings(of bundle: PluginBundle) -> BundleSettings {
        if let known = known(bundle) { return known }
        let made = BundleSettings(bundle)
        let kept = settings.withLock { settings in
            settings[bundle.bundlePath] = settings[bundle.bundlePath] ?? made
            return settings[bundle.bundlePath]!
        }
        if kept === made { kept.begin() }
        return kept
    }

    fileprivate func places(of identifier: String, in application: String) -> SettingsPlaces {
        SettingsPlaces(of: identifier, in: application, below: directory)
    }
}

extension HostEnvironment {
    /// Where the values of a plug-in's settings are.
    func settingsPlaces(of identifier: String) -> SettingsPlaces {
        settingsFolder?.places(of: identifier, in: name) ?? SettingsPlaces(of: identifier, in: name)
    }
}

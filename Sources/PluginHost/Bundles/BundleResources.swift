internal import PluginABI
import Synchronization

/// A bundle's resources and strings, set up when the first is asked for: most bundles of a process are never asked.
final class BundleResources: Sendable {
    private struct Parts: Sendable {
        let finder: ResourceFinder
        let strings: StringsTables
    }

    private let directory: String
    private let identifier: String
    private let manifest: Manifest
    private let parts = Mutex<Parts?>(nil)

    /// - Parameters:
    ///   - directory: the absolute path of the resources; it need not exist.
    ///   - identifier: what to call the bundle in the log.
    init(directory: String, identifier: String, manifest: Manifest) {
        self.directory = directory
        self.identifier = identifier
        self.manifest = manifest
    }

    func resource(
        _ name: String?, type: String?, subdirectory: String?, localization: String?
    ) -> FoundResource? {
        current.finder.resource(name, ofType: type, inDirectory: subdirectory, forLocalization: localization)
    }

    func resources(type: String?, subdirectory: String?, localization: String?) -> [FoundResource] {
        current.finder.resources(ofType: type, inDirectory: subdirectory, forLocalization: localization)
    }

    func variants(of name: String, type: String?) -> [ResourceVariant] {
        current.finder.variants(ofResource: name, type: type)
    }

    var localizations: [String] { current.finder.localizations }
    var preferredLocalizations: [String] { current.finder.preferredLocalizations }

    func localizedString(key: String, value: String?, table: String?) -> String {
        current.strings.localizedString(forKey: key, value: value, table: table)
    }

    /// The values of InfoPlist.strings in the user's language, nil where there is none.
    var localizedInfo: [String: String]? { current.strings.localizedInfo }

    func localizedInfo(forKey key: String) -> String? { current.strings.localizedInfo(forKey: key) }

    private var current: Parts {
        if let parts = parts.withLock({ $0 }) { return parts }
        // Outside of the lock, because the main bundle's own resources are asked for its languages. Two threads may both
        // make one; the first that is entered is used.
        let made = make()
        return parts.withLock { parts in
            if let parts { return parts }
            parts = made
            return made
        }
    }

    private func make() -> Parts {
        var settings = LocalizationSettings(
            declared: manifest.localizations, developmentRegion: manifest.developmentRegion,
            languages: HostEnvironment.currentLanguages)
        let main = BundleOpening.main
        if main.resources !== self, !manifest.allowsMixedLocalizations {
            settings.restriction = main.localizations
            settings.restrictionRegion = main.developmentLocalization
        }
        let host = HostEnvironment.current
        let finder = ResourceFinder(
            directory: directory, settings: settings,
            preference: VariantPreference(device: host.device, scale: host.scale))
        let identifier = identifier
        let strings = StringsTables(finder: finder) { findings in
            let log = HostEnvironment.current.log
            for finding in findings {
                let message = "\(finding.message) \(finding.remedy)"
                log(HostLogRecord(level: .warning, bundleIdentifier: identifier, message: message))
            }
        }
        return Parts(finder: finder, strings: strings)
    }
}

internal import PluginABI
import Synchronization

/// A bundle's resources and strings, set up when the first is asked for: most bundles of a process are never asked.
final class BundleResources: Sendable {
    private final class Parts: Sendable {
        let finder: ResourceFinder
        let strings: StringsTables

        init(finder: ResourceFinder, strings: StringsTables) {
            self.finder = finder
            self.strings = strings
        }
    }

    private let directory: String
    private let identifier: String
    private let manifest: Manifest
    /// Retained once it is set, and released with this object. Not under a lock, and not counted at each use: either
    /// would cost as much as the look-up of a string.
    private let parts = Atomic<Unmanaged<Parts>?>(nil)

    /// - Parameters:
    ///   - directory: the absolute path of the resources; it need not exist.
    ///   - identifier: what to call the bundle in the log.
    init(directory: String, identifier: String, manifest: Manifest) {
        self.directory = directory
        self.identifier = identifier
        self.manifest = manifest
    }

    deinit { parts.load(ordering: .acquiring)?.release() }

    func resource(
        _ name: String?, type: String?, subdirectory: String?, localization: String?
    ) -> FoundResource? {
        withParts { $0.finder.resource(name, ofType: type, inDirectory: subdirectory, forLocalization: localization) }
    }

    func resources(type: String?, subdirectory: String?, localization: String?) -> [FoundResource] {
        withParts { $0.finder.resources(ofType: type, inDirectory: subdirectory, forLocalization: localization) }
    }

    func variants(of name: String, type: String?) -> [ResourceVariant] {
        withParts { $0.finder.variants(ofResource: name, type: type) }
    }

    var localizations: [String] { withParts { $0.finder.localizations } }
    var preferredLocalizations: [String] { withParts { $0.finder.preferredLocalizations } }

    func localizedString(key: String, value: String?, table: String?) -> String {
        withParts { $0.strings.localizedString(forKey: key, value: value, table: table) }
    }

    /// The values of InfoPlist.strings in the user's language, nil where there is none.
    var localizedInfo: [String: String]? { withParts { $0.strings.localizedInfo } }

    func localizedInfo(forKey key: String) -> String? { withParts { $0.strings.localizedInfo(forKey: key) } }

    /// Calls body with the parts, made if they are not.
    @inline(__always)
    private func withParts<Value>(_ body: (Parts) -> Value) -> Value {
        (parts.load(ordering: .acquiring) ?? made())._withUnsafeGuaranteedRef(body)
    }

    /// Two threads may both make the parts; the first that are entered are used.
    private func made() -> Unmanaged<Parts> {
        let made = Unmanaged.passRetained(make())
        let (isEntered, entered) = parts.compareExchange(
            expected: nil, desired: made, ordering: .acquiringAndReleasing)
        guard !isEntered, let entered else { return made }
        made.release()
        return entered
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

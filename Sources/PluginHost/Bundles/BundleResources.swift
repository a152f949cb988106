internal import PluginABI
import Synchronization

/// A bundle's resources and strings, set up when the first is asked for: most bundles of a process are never asked.
///
/// The host may change the user's languages at any time. Each look-up compares one number with that of
/// ``HostEnvironment/languageGeneration``; where it differs, the bundle turns to the finder and the tables of the new
/// languages. Those of former languages are kept: who returns to a language finds everything read, and the memory is
/// bounded by the languages in use.
final class BundleResources: Sendable {
    /// What serves one choice of languages.
    private final class Parts: Sendable {
        let settings: LocalizationSettings
        let finder: ResourceFinder
        let strings: StringsTables

        init(settings: LocalizationSettings, finder: ResourceFinder, strings: StringsTables) {
            self.settings = settings
            self.finder = finder
            self.strings = strings
        }
    }

    private let directory: String
    private let identifier: String
    private let manifest: Manifest
    private let all = Mutex<[Parts]>([])
    /// Those in use, without a lock. `all` keeps them alive.
    private let inUse = Atomic<Unmanaged<Parts>?>(nil)
    /// The generation of languages that those in use were chosen for.
    private let generation = Atomic(0)

    /// - Parameters:
    ///   - directory: the absolute path of the resources; it need not exist.
    ///   - identifier: what to call the bundle in the log.
    init(directory: String, identifier: String, manifest: Manifest) {
        self.directory = directory
        self.identifier = identifier
        self.manifest = manifest
    }

    func path(name: String?, type: String?, subdirectory: String?, localization: String?) -> String? {
        current.finder.path(forResource: name, ofType: type, inDirectory: subdirectory, forLocalization: localization)
    }

    func paths(type: String?, subdirectory: String?, localization: String?) -> [String] {
        current.finder.paths(forResourcesOfType: type, inDirectory: subdirectory, forLocalization: localization)
    }

    var localizations: [String] { current.finder.localizations }
    var preferredLocalizations: [String] { current.finder.preferredLocalizations }

    func localizedString(key: String, value: String?, table: String?) -> String {
        current.strings.localizedString(forKey: key, value: value, table: table)
    }

    func localizedString(key: String, value: String?, table: String?, arguments: [Any], width: Int?) -> String {
        current.strings.localizedString(forKey: key, value: value, table: table, arguments: arguments, width: width)
    }

    /// The values of InfoPlist.strings in the user's language, nil where there is none.
    var localizedInfo: [String: String]? { current.strings.localizedInfo }

    func localizedInfo(forKey key: String) -> String? { current.strings.localizedInfo(forKey: key) }

    private var current: Parts {
        @inline(__always) get {
            // The number first: parts of a later generation under an earlier number are only looked for once more.
            let known = generation.load(ordering: .acquiring)
            if let parts = inUse.load(ordering: .acquiring),
                known == HostEnvironment.languageGeneration.load(ordering: .acquiring)
            {
                return parts._withUnsafeGuaranteedRef { $0 }
            }
            return choose()
        }
    }

    @inline(never)
    private func choose() -> Parts {
        let wanted = HostEnvironment.languageGeneration.load(ordering: .acquiring)
        // Outside of the lock, because the main bundle's own resources are asked for its languages.
        let settings = settings()
        return all.withLock { all in
            let parts = all.first { $0.settings == settings } ?? make(settings)
            if !all.contains(where: { $0 === parts }) { all.append(parts) }
            // A thread that was overtaken by another change leaves the choice to the one that saw it.
            if inUse.load(ordering: .relaxed) == nil || generation.load(ordering: .relaxed) <= wanted {
                inUse.store(.passUnretained(parts), ordering: .releasing)
                generation.store(wanted, ordering: .releasing)
            }
            return parts
        }
    }

    private func settings() -> LocalizationSettings {
        var settings = LocalizationSettings(
            declared: manifest.localizations, developmentRegion: manifest.developmentRegion,
            languages: HostEnvironment.currentLanguages)
        let main = BundleOpening.main
        if main.resources !== self, !manifest.allowsMixedLocalizations {
            settings.restriction = main.localizations
            settings.restrictionRegion = main.developmentLocalization
        }
        return settings
    }

    private func make(_ settings: LocalizationSettings) -> Parts {
        let finder = ResourceFinder(directory: directory, settings: settings)
        let identifier = identifier
        let strings = StringsTables(finder: finder) { findings in
            let log = HostEnvironment.current.log
            for finding in findings {
                let message = "\(finding.message) \(finding.remedy)"
                log(HostLogRecord(level: .warning, bundleIdentifier: identifier, message: message))
            }
        }
        return Parts(settings: settings, finder: finder, strings: strings)
    }
}

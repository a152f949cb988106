internal import PluginABI
import Synchronization

/// A bundle's resources and strings, set up when the first is asked for: most bundles of a process are never asked.
///
/// The host may change the user's languages at any time. Each look-up compares one number with that of
/// ``HostEnvironment/languageGeneration``; where it differs, the bundle turns to the finder and the tables of the new
/// languages. Those of former languages are kept: who returns to a language finds everything read, and the memory is
/// bounded by the languages in use.
final class BundleResources: Sendable {
    private let directory: String
    private let identifier: String
    private let manifest: Manifest
    /// The tables of each choice of languages, with the finder of that choice.
    private let all = Mutex<[LocalizationSettings: StringsTables]>([:])
    /// Those in use, to be read without a lock. `all` keeps them alive.
    private let inUse = Atomic<Unmanaged<StringsTables>?>(nil)
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
        guard let strings = known else { return choose().localizedString(forKey: key, value: value, table: table) }
        return strings._withUnsafeGuaranteedRef { $0.localizedString(forKey: key, value: value, table: table) }
    }

    func localizedString(key: String, value: String?, table: String?, arguments: [Any], width: Int?) -> String {
        current.localizedString(forKey: key, value: value, table: table, arguments: arguments, width: width)
    }

    /// The values of InfoPlist.strings in the user's language, nil where there is none.
    var localizedInfo: [String: String]? { current.localizedInfo }

    func localizedInfo(forKey key: String) -> String? { current.localizedInfo(forKey: key) }

    private var current: StringsTables { known?.takeUnretainedValue() ?? choose() }

    /// What serves the languages of now, if it was chosen already.
    private var known: Unmanaged<StringsTables>? {
        @inline(__always) get {
            // The number first: what was chosen for a later one is only looked for once more.
            let number = generation.load(ordering: .acquiring)
            let strings = inUse.load(ordering: .acquiring)
            return number == HostEnvironment.languageGeneration.load(ordering: .acquiring) ? strings : nil
        }
    }

    @inline(never)
    private func choose() -> StringsTables {
        let wanted = HostEnvironment.languageGeneration.load(ordering: .acquiring)
        // Outside of the lock, because the main bundle's own resources are asked for its languages.
        let settings = settings()
        return all.withLock { all in
            let strings = all[settings] ?? make(settings)
            all[settings] = strings
            // A thread that was overtaken by another change leaves the choice to the one that saw it.
            if inUse.load(ordering: .relaxed) == nil || generation.load(ordering: .relaxed) <= wanted {
                inUse.store(.passUnretained(strings), ordering: .releasing)
                generation.store(wanted, ordering: .releasing)
            }
            return strings
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

    private func make(_ settings: LocalizationSettings) -> StringsTables {
        let finder = ResourceFinder(directory: directory, settings: settings)
        let identifier = identifier
        return StringsTables(finder: finder) { findings in
            let log = HostEnvironment.current.log
            for finding in findings {
                let message = "\(finding.message) \(finding.remedy)"
                log(HostLogRecord(level: .warning, bundleIdentifier: identifier, message: message))
            }
        }
    }
}

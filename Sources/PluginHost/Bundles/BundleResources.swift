internal import PluginABI
import Synchronization

/// A bundle's resources and strings, set up when the first is asked for: most bundles of a process are never asked.
///
/// The host may change the user's languages, the device and the scale at any time. Each look-up compares one number with
/// ``HostEnvironment/resourceGeneration``; where it differs, the bundle turns to the finder and the tables of the new
/// choice. Those of former choices are kept: who returns to a language finds everything read, and the memory is bounded
/// by the choices in use.
final class BundleResources: Sendable {
    /// What the host chose.
    private struct Choice: Hashable, Sendable {
        var localization: LocalizationSettings
        var variants: VariantPreference
    }

    /// What serves one choice.
    private final class Parts: Sendable {
        let choice: Choice
        let finder: ResourceFinder
        let strings: StringsTables

        init(choice: Choice, finder: ResourceFinder, strings: StringsTables) {
            self.choice = choice
            self.finder = finder
            self.strings = strings
        }
    }

    private let directory: String
    private let identifier: String
    private let manifest: Manifest
    private let all = Mutex<[Parts]>([])
    /// Those in use; `all` keeps them alive. Not under a lock, and not counted at each use: either would cost as much as
    /// the look-up of a string.
    private let inUse = Atomic<Unmanaged<Parts>?>(nil)
    /// The generation that those in use were chosen for.
    private let generation = Atomic(0)

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

    func localizedString(key: String, value: String?, table: String?, arguments: [Any], width: Int?) -> String {
        withParts {
            $0.strings.localizedString(forKey: key, value: value, table: table, arguments: arguments, width: width)
        }
    }

    /// The values of InfoPlist.strings in the user's language, nil where there is none.
    var localizedInfo: [String: String]? { withParts { $0.strings.localizedInfo } }

    func localizedInfo(forKey key: String) -> String? { withParts { $0.strings.localizedInfo(forKey: key) } }

    /// Calls body with the parts of the host's choice.
    @inline(__always)
    private func withParts<Value>(_ body: (Parts) -> Value) -> Value {
        // The number first: parts of a later generation under an earlier number are only looked for once more.
        let known = generation.load(ordering: .acquiring)
        if let parts = inUse.load(ordering: .acquiring),
            known == HostEnvironment.resourceGeneration.load(ordering: .acquiring)
        {
            return parts._withUnsafeGuaranteedRef(body)
        }
        return body(choose())
    }

    @inline(never)
    private func choose() -> Parts {
        let wanted = HostEnvironment.resourceGeneration.load(ordering: .acquiring)
        // Outside of the lock, because the main bundle's own resources are asked for its languages.
        let choice = choice()
        return all.withLock { all in
            let parts = all.first { $0.choice == choice } ?? make(choice)
            if !all.contains(where: { $0 === parts }) { all.append(parts) }
            // A thread that was overtaken by another change leaves the choice to the one that saw it.
            if inUse.load(ordering: .relaxed) == nil || generation.load(ordering: .relaxed) <= wanted {
                inUse.store(.passUnretained(parts), ordering: .releasing)
                generation.store(wanted, ordering: .releasing)
            }
            return parts
        }
    }

    private func choice() -> Choice {
        let host = HostEnvironment.current
        var settings = LocalizationSettings(
            declared: manifest.localizations, developmentRegion: manifest.developmentRegion,
            languages: HostEnvironment.currentLanguages)
        let main = BundleOpening.main
        if main.resources !== self, !manifest.allowsMixedLocalizations {
            settings.restriction = main.localizations
            settings.restrictionRegion = main.developmentLocalization
        }
        return Choice(localization: settings, variants: VariantPreference(device: host.device, scale: host.scale))
    }

    private func make(_ choice: Choice) -> Parts {
        let finder = ResourceFinder(
            directory: directory, settings: choice.localization, preference: choice.variants)
        let identifier = identifier
        let strings = StringsTables(finder: finder) { findings in
            let log = HostEnvironment.current.log
            for finding in findings {
                let message = "\(finding.message) \(finding.remedy)"
                log(HostLogRecord(level: .warning, bundleIdentifier: identifier, message: message))
            }
        }
        return Parts(choice: choice, finder: finder, strings: strings)
    }
}

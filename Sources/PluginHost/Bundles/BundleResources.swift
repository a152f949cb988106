import BundleReading
import Glibc
import HostBasics
internal import PluginABI
import Synchronization

/// A bundle's resources and strings, set up at the first request, because most bundles of a process never get one.
///
/// The host may change the user's languages, the device and the scale at any time. Each look-up compares one number
/// with ``HostEnvironment/resourceGeneration``. If it differs, the bundle switches to the finder and the tables of the
/// new choice. Finders and tables of earlier choices are kept, so that nothing is read again when the user returns to a
/// language. Memory is bounded by the number of choices in use, and by how often the files of the bundle change.
final class BundleResources: Sendable {
    /// The settings that the host chose.
    private struct Choice: Equatable, Sendable {
        var localization: LocalizationSettings
        var variants: VariantPreference
    }

    private let bundlePath: String
    /// Relative to the bundle, in order; they may not exist.
    private let directories: [String]
    private let identifier: String?
    private let declared: [String]
    private let developmentRegion: String?
    private let allowsMixedLocalizations: Bool
    /// The tables of each choice, with the object that finds them; no choice for those that were read before the bundle's
    /// files changed, in which a look-up that began earlier may still read.
    ///
    /// A process makes few choices, so a linear search is faster than hashing a choice.
    private let all = Lock<[(choice: Choice?, strings: BundleStrings)]>([])
    /// The tables in use; `all` keeps them alive.
    ///
    /// They are neither protected by a lock nor retained at each use, because either would cost as much as looking up a
    /// string.
    private let inUse = Atomic<Unmanaged<BundleStrings>?>(nil)
    /// The generation for which the tables in use were chosen.
    private let generation = Atomic(0)

    init(_ bundle: borrowing BundleContents) {
        bundlePath = bundle.path
        directories = [bundle.layout.resources] + bundle.layout.furtherResources
        identifier = bundle.manifest.identifier
        declared = bundle.manifest.localizations
        developmentRegion = bundle.manifest.developmentRegion
        allowsMixedLocalizations = bundle.manifest.allowsMixedLocalizations
    }

    func resource(
        _ name: String?, type: String?, subdirectory: String?, localization: String?
    ) -> FoundResource? {
        withFinder { $0.resource(name, ofType: type, inDirectory: subdirectory, forLocalization: localization) }
    }

    func resources(type: String?, subdirectory: String?, localization: String?) -> [FoundResource] {
        withFinder { $0.resources(ofType: type, inDirectory: subdirectory, forLocalization: localization) }
    }

    func variants(of name: String, type: String?) -> [ResourceVariant] {
        withFinder { $0.variants(ofResource: name, type: type) }
    }

    /// The files that serve a resource of one of several types.
    ///
    /// Each place that has any gives a row: one file for each type, in order.
    func places(of name: String, types: [String], most: Int) -> [[String?]] {
        withFinder { $0.allPaths(forResource: name, ofTypes: types, most: most).paths }
    }

    /// The directories in which a resource is looked for, in order; they need not exist.
    var searchedDirectories: [String] { withFinder { $0.searchedDirectories } }

    /// The language of the `.lproj` directory that contains a resource; nil for a global resource.
    func language(ofResourceAt path: String) -> String? { withFinder { $0.language(ofResourceAt: path) } }

    /// The translation of a key; nil if no table has one.
    func translation(ofKey key: String, table: String) -> String? {
        withStrings { $0.string(forKey: key, table: table) }
    }

    var localizations: [String] { withFinder { $0.localizations } }
    var localizationsNow: (names: [String], isCertain: Bool) { withFinder { $0.localizationsNow } }
    var preferredLocalizations: [String] { withFinder { $0.preferredLocalizations } }

    func localizedString(key: String, value: String?, table: String?) -> String {
        withStrings { $0.localizedString(forKey: key, value: value, table: table) }
    }

    func localizedString(key: String, value: String?, table: String?, arguments: [Any], width: Int?) -> String {
        withStrings {
            $0.localizedString(forKey: key, value: value, table: table, arguments: arguments, width: width)
        }
    }

    /// The values of InfoPlist.strings in the user's language; nil if there is none.
    var localizedInfo: [String: String]? { withStrings { $0.localizedInfo } }

    func localizedInfo(forKey key: String) -> String? { withStrings { $0.localizedInfo(forKey: key) } }

    /// The values of InfoPlist.strings in the first of some languages that the bundle has.
    ///
    /// They are the caller's choice, so the application's languages do not restrict them. Nothing is kept for them.
    func localizedInfo(languages: [String]) -> [String: String] {
        let host = HostEnvironment.current
        let settings = LocalizationSettings(
            declared: declared, developmentRegion: developmentRegion,
            languages: LanguagePreferences.current(override: languages))
        let choice = Choice(
            localization: settings, variants: VariantPreference(device: host.device, scale: host.scale))
        return make(choice).localizedInfo ?? [:]
    }

    /// Makes the next look-up read the tables again, because files of the bundle changed. [any thread]
    func noteChangedFiles() {
        all.withLock { all in
            for index in all.indices { all[index].choice = nil }
            inUse.store(nil, ordering: .releasing)
        }
        HostEnvironment.resourceGeneration.add(1, ordering: .releasing)
    }

    private func withFinder<Value>(_ body: (ResourceFinder) -> Value) -> Value { withStrings { body($0.finder) } }

    /// Calls body with the strings for the host's current choice.
    @inline(__always)
    private func withStrings<Value>(_ body: (BundleStrings) -> Value) -> Value {
        // Read the number first: if the strings belong to a later generation, the only cost is one more search.
        let known = generation.load(ordering: .acquiring)
        if let strings = inUse.load(ordering: .acquiring),
            known == HostEnvironment.resourceGeneration.load(ordering: .acquiring)
        {
            return strings._withUnsafeGuaranteedRef(body)
        }
        return body(choose())
    }

    @inline(never)
    private func choose() -> BundleStrings {
        let wanted = HostEnvironment.resourceGeneration.load(ordering: .acquiring)
        // Outside the lock, because it asks the main bundle's resources for the application's languages.
        let (choice, isCertain) = choice()
        return all.withLock { all in
            let known = all.first { $0.choice == choice }?.strings
            let strings = known ?? make(choice)
            if known == nil { all.append((choice, strings)) }
            // If the main bundle's languages cannot be read now, this choice is used for one look-up only.
            guard isCertain else { return strings }
            // If another thread has already seen a later change, leave its choice in place.
            if inUse.load(ordering: .relaxed) == nil || generation.load(ordering: .relaxed) <= wanted {
                inUse.store(.passUnretained(strings), ordering: .releasing)
                generation.store(wanted, ordering: .releasing)
            }
            return strings
        }
    }

    /// What the host chose, and whether everything that influences the choice could be read.
    private func choice() -> (Choice, isCertain: Bool) {
        var isCertain = true
        let host = HostEnvironment.current
        var settings = LocalizationSettings(
            declared: declared, developmentRegion: developmentRegion,
            languages: HostEnvironment.currentLanguages)
        let main = BundleOpening.main
        // Compared by path, because a bundle that cannot be read has more than one object.
        if main.bundlePath != bundlePath, !allowsMixedLocalizations {
            let application = BundleOpening.languages(of: main)
            if !application.allowsMixedLocalizations {
                settings.restriction = application.localizations
                settings.restrictionRegion = application.developmentRegion
            }
            isCertain = application.isCertain
        }
        let variants = VariantPreference(device: host.device, scale: host.scale)
        return (Choice(localization: settings, variants: variants), isCertain)
    }

    /// The strings for languages that differ from the user's; nothing of them is kept.
    func strings(for languages: [String]) -> BundleStrings {
        var choice = choice().0
        choice.localization.languages = LanguagePreferences.current(override: languages)
        return make(choice)
    }

    private func make(_ choice: Choice) -> BundleStrings {
        let log: @Sendable ([PluginFinding]) -> Void = { [identifier, bundlePath] findings in
            let identifier = identifier ?? Path.stem(bundlePath)
            for finding in findings {
                let message = "\(finding.message) \(finding.remedy)"
                // A sandbox is meant to refuse the directory of a bare program, and the plug-in cannot change that.
                let isMeant = finding.refusal == EACCES && BundleOpening.isOfApplicationElsewhere(bundlePath)
                HostEnvironment.log(isMeant ? .debug : .warning, bundleIdentifier: identifier, message)
            }
        }
        let finder = ResourceFinder(
            directories: directories.map { Path.join(bundlePath, $0) }, settings: choice.localization,
            preference: choice.variants, log: log)
        return BundleStrings(finder: finder, log: log)
    }
}

import HostBasics
import Synchronization

/// The localisations of a bundle and the order in which they are searched.
package struct SearchOrder: Sendable, Hashable {
    /// The declared localisations in their order, then the other `.lproj` directories, sorted by name.
    ///
    /// As in CoreFoundation, the development region is added if there is no other localisation, or if there is a
    /// `Base`, which contains its resources.
    package let localizations: [String]
    /// The localisations to use for the user, best first.
    package let preferred: [String]
    /// The localisations to search: the first preferred one, Base, the other preferred ones, the development region.
    package let languages: [String]

    /// The maximum number of localisations that are used; further ones are ignored.
    ///
    /// Fewer languages have a locale. A folder can contain any number of names, and each is compared with each language
    /// of the user.
    package static let mostLocalizations = 1_000

    /// `folders`: the names of the `.lproj` directories, in order.
    package init(_ settings: LocalizationSettings, folders: [String]) {
        var localizations: [String] = []
        var seen: Set<String> = []
        func add(_ name: String) {
            if localizations.count < Self.mostLocalizations, Self.isUsable(name), seen.insert(name).inserted {
                localizations.append(name)
            }
        }
        for name in settings.declared.prefix(Self.mostLocalizations) { add(name) }
        for folder in folders.prefix(Self.mostLocalizations) {
            add(String(folder.utf8.dropLast(NameMark.localization.utf8.count))!)
        }
        if let region = settings.developmentRegion, localizations.isEmpty || seen.contains("Base"),
            LanguageMatcher.localization(equalTo: region, from: localizations) == nil
        {
            add(region)
        }
        self.localizations = localizations
        preferred = LanguageMatcher.preferredLocalizations(
            from: localizations, forPreferences: settings.effectiveLanguages,
            developmentRegion: settings.developmentRegion)
        var languages: [String] = []
        if let first = preferred.first { Self.add(first, to: &languages) }
        Self.add("Base", to: &languages)
        for name in preferred.dropFirst() { Self.add(name, to: &languages) }
        if let region = settings.developmentRegion {
            let name = LanguageMatcher.localization(equalTo: region, from: localizations)
            Self.add(name ?? region, to: &languages)
        }
        self.languages = languages
    }

    /// Adds a name that is not in the list yet.
    private static func add(_ name: String, to names: inout [String]) {
        if isUsable(name), !names.contains(name) { names.append(name) }
    }

    /// Whether a name, which Info.plist may declare freely, can be the name of a directory; no other name is used.
    package static func isUsable(_ name: String) -> Bool {
        name != "" && name != "." && name != ".." && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }

    /// The input that determines an order.
    private struct Question: Equatable, Sendable {
        let settings: LocalizationSettings
        let folders: [String]

        /// Names that occur in the answer are compared by their bytes, because the answer keeps the bundle's spelling.
        static func == (a: Self, b: Self) -> Bool {
            func isSame(_ names: [String], _ others: [String]) -> Bool {
                names.elementsEqual(others) { $0.utf8.elementsEqual($1.utf8) }
            }
            return a.settings == b.settings && isSame(a.folders, b.folders)
                && isSame(a.settings.declared, b.settings.declared)
        }
    }

    /// The latest orders.
    ///
    /// Most bundles of an application have the same languages, and determining which of them fit the user takes longer
    /// than the rest of the first look-up in a bundle.
    private static let recent = Lock<[(question: Question, order: SearchOrder)]>([])
    private static let mostRecent = 8

    /// The same result as the initialiser, but cheaper if it was computed recently.
    package static func order(_ settings: LocalizationSettings, folders: [String]) -> SearchOrder {
        let question = Question(settings: settings, folders: folders)
        // Entries that are cached for the next bundle must not be large.
        guard folders.count + settings.declared.count <= mostLocalizations else {
            return SearchOrder(settings, folders: folders)
        }
        if let known = recent.withLock({ $0.first { $0.question == question }?.order }) { return known }
        let order = SearchOrder(settings, folders: folders)
        recent.withLock { recent in
            if recent.count >= mostRecent { recent.removeFirst() }
            recent.append((question, order))
        }
        return order
    }
}

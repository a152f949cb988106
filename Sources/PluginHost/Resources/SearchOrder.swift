/// The localisations of a bundle and the order in which they are searched.
struct SearchOrder: Sendable, Hashable {
    /// The declared ones in their order, then the others found, by name.
    let localizations: [String]
    /// Those to use for the user, best first.
    let preferred: [String]
    /// Those to search: the first preferred one, Base, the other preferred ones, the development region.
    let languages: [String]

    /// How the directory of a localisation ends.
    static let suffix = ".lproj"

    /// - Parameter folders: the names of the `.lproj` directories, in order.
    init(_ settings: LocalizationSettings, folders: [String]) {
        let found = folders.map { String($0.dropLast(Self.suffix.count)) }
        localizations = (settings.declared + found).reduce(into: []) { names, name in
            if Self.isUsable(name), !names.contains(name) { names.append(name) }
        }
        preferred = LanguageMatcher.preferredLocalizations(
            from: localizations, forPreferences: settings.effectiveLanguages,
            developmentRegion: settings.developmentRegion)
        var order = preferred.prefix(1) + ["Base"] + preferred.dropFirst()
        if let region = settings.developmentRegion {
            order.append(LanguageMatcher.localization(equalTo: region, from: localizations) ?? region)
        }
        languages = order.reduce(into: []) { names, name in
            if Self.isUsable(name), !names.contains(name) { names.append(name) }
        }
    }

    /// Info.plist may declare anything: only what names one directory counts.
    private static func isUsable(_ name: String) -> Bool {
        name != "" && name != "." && name != ".." && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }
}

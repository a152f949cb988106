/// What decides, besides the `.lproj` directories it has, in which language a bundle speaks.
struct LocalizationSettings: Sendable, Hashable {
    /// Info.plist's CFBundleLocalizations.
    var declared: [String]
    /// Info.plist's CFBundleDevelopmentRegion.
    var developmentRegion: String?
    /// The user's languages, the preferred one first; see ``LanguagePreferences``.
    var languages: [String]
    /// The localisations of the main bundle, for another bundle unless CFBundleAllowMixedLocalizations is set: then it
    /// speaks the language the application speaks. Nil or empty restricts nothing: a bare executable, the usual host on
    /// Linux, has no localisations, and its plug-ins speak the user's language.
    var restriction: [String]?
    /// The development region of the main bundle, which it speaks where it has none of the user's languages.
    var restrictionRegion: String?

    init(
        declared: [String] = [], developmentRegion: String? = nil, languages: [String] = [],
        restriction: [String]? = nil, restrictionRegion: String? = nil
    ) {
        self.declared = declared
        self.developmentRegion = developmentRegion
        self.languages = languages
        self.restriction = restriction
        self.restrictionRegion = restrictionRegion
    }

    /// The user's languages as far as the main bundle speaks them, in its words; what it falls back to if it speaks
    /// none.
    var effectiveLanguages: [String] {
        guard let restriction, !restriction.isEmpty else { return languages }
        var spoken: [String] = []
        for language in languages {
            for name in LanguageMatcher.localizations(for: language, from: restriction) where !spoken.contains(name) {
                spoken.append(name)
            }
        }
        guard spoken.isEmpty else { return spoken }
        return LanguageMatcher.preferredLocalizations(
            from: restriction, forPreferences: [], developmentRegion: restrictionRegion)
    }
}

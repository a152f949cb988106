/// The settings that decide which language a bundle uses, together with its `.lproj` directories.
package struct LocalizationSettings: Sendable, Hashable {
    /// Info.plist's CFBundleLocalizations.
    package var declared: [String]
    /// Info.plist's CFBundleDevelopmentRegion.
    package var developmentRegion: String?
    /// The user's languages, the preferred one first; see ``LanguagePreferences``.
    package var languages: [String]
    /// The localisations of the main bundle, to which other bundles are restricted.
    ///
    /// A bundle uses only these, so that it has the language of the application, unless CFBundleAllowMixedLocalizations
    /// is set. Nil or empty restricts nothing: a bare executable, the usual host on Linux, has no localisations, and
    /// its plug-ins use the user's language.
    package var restriction: [String]?
    /// The development region of the main bundle, which it uses if it has none of the user's languages.
    package var restrictionRegion: String?

    package init(
        declared: [String] = [], developmentRegion: String? = nil, languages: [String] = [],
        restriction: [String]? = nil, restrictionRegion: String? = nil
    ) {
        self.declared = declared
        self.developmentRegion = developmentRegion
        self.languages = languages
        self.restriction = restriction
        self.restrictionRegion = restrictionRegion
    }

    /// The user's languages that the main bundle has, under its own names for them; if it has none, the language that
    /// it falls back to.
    package var effectiveLanguages: [String] {
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

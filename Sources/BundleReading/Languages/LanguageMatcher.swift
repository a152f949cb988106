/// Chooses the localisations of a bundle to use, depending on the user's languages.
///
/// Rules, in order; the first of the user's languages for which any localisation matches decides:
/// 1. the localisation of the same name;
/// 2. a localisation of the same language, script and region, in any spelling (`French` for `fr`);
/// 3. the nearest localisation in the tree of CLDR's parents. A region that is not the usual one for the language
///    counts as further away, and another language of the same family as much further. Languages and scripts without a
///    common parent never match: `sr-Latn` and `sr`, `uk` and `ru`. A variant that the user did not ask for comes after
///    everything else in its language: a reader of `ca` gets `ca-ES` before `ca-valencia`, and a reader of
///    `ca-valencia` gets that, then `ca`;
/// 4. if the nearest one has another region: a later one of the user's languages that is the same language and is
///    available exactly (`fr-CH, fr-CA` with `fr-FR` and `fr-CA` available: `fr-CA`);
/// 5. Brazilian Portuguese for a reader of European Portuguese, only if nothing else matches.
///
/// The available parents of the chosen localisation follow it and supply what it lacks.
///
/// Without any match: the development region, then `en_US` and its parents, then the first localisation.
///
/// Sources: UTS #35, part 1 (Likely Subtags, Parent Locales); CFBundle's
/// `CFBundleCopyLocalizationsForPreferences` for the last resorts.
///
/// **Threads.** No state. **Cost.** Microseconds for a bundle of ordinary size; no system call.
public enum LanguageMatcher {
    /// The localisations to use, best first, in the bundle's own spelling.
    ///
    /// - Parameters:
    ///   - available: the bundle's localisations. A `Base` among them means `developmentRegion`, unless that is
    ///     available itself.
    ///   - preferences: the user's languages, the preferred one first. `C` and `POSIX` mean none and are skipped.
    ///   - developmentRegion: the language in which the bundle was written, CFBundleDevelopmentRegion in Info.plist.
    /// - Returns: never empty; without any localisation, the development region or `en`.
    package static func preferredLocalizations(
        from available: [String], forPreferences preferences: [String], developmentRegion: String? = nil
    ) -> [String] {
        guard let first = available.first else { return [developmentRegion ?? "en"] }
        let available = Available(available, developmentRegion: developmentRegion)
        if let found = match(preferences, available) { return found }
        if let developmentRegion, let found = match([developmentRegion], available) { return found }
        return match(["en_US"], available) ?? [first]
    }

    /// The localisations for one language, best first; empty if none matches.
    public static func localizations(for language: String, from available: [String]) -> [String] {
        match([language], Available(available, developmentRegion: nil)) ?? []
    }

    /// The available localisation with the same language, in any spelling, or nil.
    package static func localization(equalTo name: String, from available: [String]) -> String? {
        if available.contains(name) { return name }
        guard let tag = tag(of: name) else { return nil }
        return available.first { self.tag(of: $0) == tag }
    }

    // MARK: The parts

    /// The localisations of a bundle.
    ///
    /// Tags are created at each use and not kept: in most bundles, a localisation has exactly the name that the user
    /// prefers, and no tag is needed twice.
    private struct Available {
        /// In the bundle's spelling.
        let names: [String]
        /// The language that `Base` means; nil for none.
        private let base: String?

        init(_ names: [String], developmentRegion: String?) {
            self.names = names
            let standsForRegion = developmentRegion.map { region in
                names.contains("Base") && localization(equalTo: region, from: names) == nil
            }
            base = standsForRegion == true ? developmentRegion : nil
        }

        func tag(_ number: Int) -> LanguageTag? {
            let name = names[number] == "Base" ? base : names[number]
            return name.flatMap(LanguageMatcher.tag)
        }
    }

    private static func tag(of name: String) -> LanguageTag? { LanguageTag(name)?.canonical }

    private static func match(_ wanted: [String], _ available: Available) -> [String]? {
        var lastResort: Int?
        for language in wanted {
            guard let (nearest, distance) = nearest(to: language, available) else { continue }
            var best = nearest
            if distance > 0, let tag = available.tag(nearest), tag.region != nil {
                if (tag.language, tag.region) == ("pt", "BR"), let wanted = self.tag(of: language),
                    (wanted.language, wanted.region) == ("pt", "PT")
                {
                    lastResort = lastResort ?? nearest
                    continue
                }
                if tag.language != "zh" { best = exact(wanted, of: tag.language, available) ?? best }
            }
            return withParents(best, available)
        }
        return lastResort.map { withParents($0, available) }
    }

    /// The localisation with the smallest distance, the first one if several are equal.
    ///
    /// An equal name has a smaller distance than any other match.
    private static func nearest(to wanted: String, _ available: Available) -> (Int, distance: Int)? {
        if let same = available.names.firstIndex(of: wanted) { return (same, -1) }
        guard let chain = tag(of: wanted)?.ancestry else { return nil }
        var best: (Int, distance: Int)?
        for number in available.names.indices {
            guard let other = available.tag(number), let distance = distance(chain, other) else { continue }
            if distance < best?.distance ?? .max { best = (number, distance) }
        }
        return best
    }

    /// Greater than any number of steps within a language.
    private static let otherVariant = 64
    /// A language of the same family is further away than any variant of the right one.
    private static let otherLanguage = 128

    /// The number of steps between the head of a chain and a tag, through their nearest common parent.
    private static func distance(_ chain: [LanguageTag], _ tag: LanguageTag) -> Int? {
        var best: Int?
        // Programs write several variants in any order.
        if tag.variants.count > 1, tag.isEqual(to: chain[0]) { return 0 }
        for (steps, ancestor) in tag.ancestry.enumerated() {
            guard let position = chain.firstIndex(of: ancestor) else { continue }
            var distance = position + steps
            if steps > 0, tag.isUnusualForm { distance += 1 }
            if !isSameLanguage(tag.language, chain[0].language) { distance += otherLanguage }
            if !tag.variants.allSatisfy(chain[0].variants.contains) { distance += otherVariant }
            if distance < best ?? .max { best = distance }
        }
        return best
    }

    /// Whether two codes mean the same language: `no` and `nb` both mean Bokmål.
    private static func isSameLanguage(_ code: String, _ other: String) -> Bool {
        code == other || (code == "no" && other == "nb") || (code == "nb" && other == "no")
    }

    /// The first localisation that equals a wanted language; only forms of `language` count.
    private static func exact(_ wanted: [String], of language: String, _ available: Available) -> Int? {
        for name in wanted {
            guard let tag = tag(of: name), tag.language == language else { continue }
            if let found = available.names.indices.first(where: { available.tag($0) == tag }) { return found }
        }
        return nil
    }

    /// The maximum number of names that a look-up checks; no language has as many with its parents.
    ///
    /// A look-up that finds nothing checks each of them.
    private static let mostNames = 32

    /// The localisation, the localisations with the same meaning, and its parents; at most ``mostNames``.
    private static func withParents(_ best: Int, _ available: Available) -> [String] {
        var names = [available.names[best]]
        func add(_ tag: LanguageTag) {
            for number in available.names.indices where names.count < mostNames && available.tag(number) == tag {
                if !names.contains(available.names[number]) { names.append(available.names[number]) }
            }
        }
        available.tag(best)?.forEachAncestor { ancestor in
            add(ancestor)
            // zh_TW was the name of Traditional Chinese before there were scripts in names.
            if ancestor.description == "zh-Hant-HK" { add(LanguageTag(language: "zh", script: "Hant", region: "TW")) }
        }
        return names
    }
}

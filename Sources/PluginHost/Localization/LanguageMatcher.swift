/// Chooses among a bundle's localisations the ones to use, by the user's languages.
///
/// Rules, in order; the first of the user's languages that any localisation serves decides:
/// 1. the localisation of the same name;
/// 2. a localisation of the same language, script and region, however it is written (`French` for `fr`);
/// 3. the localisation nearest in the tree of CLDR's parents, where a region that one would not assume for the language
///    counts as further away, and another language of the same family much further. Languages and scripts without a
///    common parent never match: `sr-Latn` and `sr`, `uk` and `ru`;
/// 4. where the nearest one is of another region and a later one of the user's languages is available exactly in the
///    same language, that one (`fr-CH, fr-CA` with `fr-FR` and `fr-CA` available: `fr-CA`);
/// 5. Brazilian for a reader of European Portuguese, only if nothing else matches.
///
/// After the chosen localisation come the available ones among its parents: they have what it lacks.
///
/// Without any match: the development region, then `en_US` and its parents, then the first localisation.
///
/// Sources: UTS #35, part 1 (Likely Subtags, Parent Locales); CFBundle's
/// `CFBundleCopyLocalizationsForPreferences` for the last resorts.
///
/// **Threads.** No state. **Cost.** Microseconds for a bundle of ordinary size; no system call.
enum LanguageMatcher {
    /// The localisations to use, best first, in the bundle's own spelling.
    ///
    /// - Parameters:
    ///   - available: the bundle's localisations. A `Base` among them stands for `developmentRegion` unless that is
    ///     available itself.
    ///   - preferences: the user's languages, the preferred one first. `C` and `POSIX` mean none and are read over.
    ///   - developmentRegion: the language the bundle was written in, its Info.plist's CFBundleDevelopmentRegion.
    /// - Returns: never empty; without any localisation, the development region or `en`.
    static func preferredLocalizations(
        from available: [String], forPreferences preferences: [String], developmentRegion: String? = nil
    ) -> [String] {
        guard let first = available.first else { return [developmentRegion ?? "en"] }
        let candidates = candidates(available, developmentRegion: developmentRegion)
        let wanted = preferences.map(Candidate.init)
        if let found = match(wanted, candidates) { return found }
        if let developmentRegion, let found = match([Candidate(developmentRegion)], candidates) { return found }
        return match([Candidate("en_US")], candidates) ?? [first]
    }

    /// The localisations that serve one language, best first; empty if none does.
    static func localizations(for language: String, from available: [String]) -> [String] {
        match([Candidate(language)], available.map(Candidate.init)) ?? []
    }

    /// The available localisation that is the same language, however written, or nil.
    static func localization(equalTo name: String, from available: [String]) -> String? {
        if available.contains(name) { return name }
        guard let tag = LanguageTag(name)?.canonical else { return nil }
        return available.first { LanguageTag($0)?.canonical == tag }
    }

    // MARK: The parts

    /// A localisation or a language of the user.
    private struct Candidate {
        /// As the bundle spells it.
        let name: String
        let tag: LanguageTag?

        init(_ name: String) {
            self.init(name, meaning: name)
        }

        init(_ name: String, meaning: String) {
            self.name = name
            tag = LanguageTag(meaning)?.canonical
        }
    }

    private static func candidates(_ available: [String], developmentRegion: String?) -> [Candidate] {
        guard let developmentRegion, available.contains("Base"),
            localization(equalTo: developmentRegion, from: available) == nil
        else { return available.map(Candidate.init) }
        return available.map { Candidate($0, meaning: $0 == "Base" ? developmentRegion : $0) }
    }

    private static func match(_ wanted: [Candidate], _ candidates: [Candidate]) -> [String]? {
        var lastResort: Candidate?
        for language in wanted {
            guard let (nearest, distance) = nearest(to: language, candidates) else { continue }
            if distance > 0, language.tag?.description == "pt-PT", nearest.tag?.description == "pt-BR" {
                lastResort = lastResort ?? nearest
                continue
            }
            var best = nearest
            if distance > 0, let tag = best.tag, tag.region != nil, tag.language != "zh" {
                best = exact(wanted.filter { $0.tag?.language == tag.language }, candidates) ?? best
            }
            return withParents(best, candidates)
        }
        return lastResort.map { withParents($0, candidates) }
    }

    /// The candidate with the least distance, the first one of equals.
    private static func nearest(to wanted: Candidate, _ candidates: [Candidate]) -> (Candidate, distance: Int)? {
        if let same = candidates.first(where: { $0.name == wanted.name }) { return (same, -1) }
        guard let tag = wanted.tag else { return nil }
        let chain = tag.ancestry
        var best: (Candidate, distance: Int)?
        for candidate in candidates {
            guard let other = candidate.tag, let distance = distance(chain, other) else { continue }
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best
    }

    /// How many steps lie between the head of a chain and a tag, through their nearest common parent.
    private static func distance(_ chain: [LanguageTag], _ tag: LanguageTag) -> Int? {
        var best: Int?
        for (steps, ancestor) in tag.ancestry.enumerated() {
            guard let position = chain.firstIndex(of: ancestor) else { continue }
            var distance = position + steps
            if steps > 0, tag.isUnusualForm { distance += 1 }
            if tag.language != chain[0].language { distance += 3 }
            if distance < best ?? .max { best = distance }
        }
        return best
    }

    private static func exact(_ wanted: [Candidate], _ candidates: [Candidate]) -> Candidate? {
        for language in wanted {
            if let found = candidates.first(where: { $0.tag == language.tag }) { return found }
        }
        return nil
    }

    /// The candidate, others that mean the same, and the candidates among its parents.
    private static func withParents(_ best: Candidate, _ candidates: [Candidate]) -> [String] {
        var names = [best.name]
        func add(_ tag: LanguageTag) {
            for candidate in candidates where candidate.tag == tag && !names.contains(candidate.name) {
                names.append(candidate.name)
            }
        }
        guard let tag = best.tag else { return names }
        for ancestor in tag.ancestry {
            add(ancestor)
            // zh_TW was the name of Traditional Chinese before there were scripts in names.
            if ancestor.description == "zh-Hant-HK" { add(LanguageTag(language: "zh", script: "Hant", region: "TW")) }
        }
        return names
    }
}

extension LanguageTag {
    /// The tag in the one form that equal languages share: codes out of use replaced (`iw` is `he`, `English` is `en`),
    /// the script told where the region implies another than the usual one (`zh-TW` is `zh-Hant-TW`) and left out where
    /// it is the usual one (`sr-Cyrl` is `sr`).
    ///
    /// Source: UTS #35, part 1, "Canonicalizing Syntax" and "Likely Subtags".
    @_spi(Tools) public var canonical: LanguageTag {
        var tag = self
        if let alias = LanguageData.alias(of: tag.language).flatMap({ LanguageTag($0) }) {
            tag.language = alias.language
            tag.script = tag.script ?? alias.script
            tag.region = tag.region ?? alias.region
        }
        if tag.region == "UK" { tag.region = "GB" }
        // Nastaliq is a hand of the Arabic script; no bundle is localised in both.
        if tag.script == "Aran" { tag.script = "Arab" }
        if tag.script == nil, let region = tag.region {
            tag.script = LanguageData.regionalScripts.value(of: "\(tag.language)-\(region)")
        }
        if tag.script != nil, tag.script == LanguageData.scripts.key(of: tag.language) ?? "Latn" { tag.script = nil }
        return tag
    }

    /// Where the localisation of this language goes for what it lacks, nil at the end.
    ///
    /// `es-MX` to `es-419` to `es`. A script that is not the language's usual one ends the chain: who reads `sr-Latn`
    /// need not read `sr`. Source: UTS #35, part 1, "Parent Locales".
    ///
    /// - Precondition: the tag is ``canonical``.
    var parent: LanguageTag? {
        if let parent = LanguageData.parent(of: self) { return LanguageTag(parent) }
        guard region != nil else { return nil }
        return LanguageTag(language: language, script: script)
    }

    /// The tag itself, its parent, and so on.
    ///
    /// - Precondition: the tag is ``canonical``.
    @_spi(Tools) public var ancestry: [LanguageTag] {
        var chain: [LanguageTag] = []
        forEachAncestor { chain.append($0) }
        return chain
    }

    /// Calls a function with each member of the ``ancestry``.
    func forEachAncestor(_ body: (LanguageTag) -> Void) {
        var next: LanguageTag? = self
        // The tables have no cycle and their longest chain five members; the bound is for a slip in them.
        for _ in 0..<10 {
            guard let tag = next else { return }
            body(tag)
            next = tag.parent
        }
    }

    /// Whether the tag is a form of its language that one would not assume without being told: `pt-PT`, not `pt-BR`.
    ///
    /// - Precondition: the tag is ``canonical``.
    var isUnusualForm: Bool {
        // Of the two forms of Norwegian, Bokmål is the one that `no` means.
        if language == "nn" { return true }
        guard let region else { return false }
        if let script, let usual = LanguageData.scriptRegions.value(of: "\(language)-\(script)") {
            return region != usual
        }
        // Mexico's is the Spanish that bundles without es-419 have for Latin America.
        if language == "es", region == "MX" { return false }
        return region != LanguageData.regions.key(of: language)
    }
}

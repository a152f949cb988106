extension LanguageTag {
    /// The tag in the one form that equal languages share: obsolete codes are replaced (`iw` becomes `he`, `English`
    /// becomes `en`), the script is added if the region implies an unusual one (`zh-TW` becomes `zh-Hant-TW`), and
    /// removed if it is the usual one (`sr-Cyrl` becomes `sr`).
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
        // Nastaliq is a style of the Arabic script; no bundle is localised in both.
        if tag.script == "Aran" { tag.script = "Arab" }
        if tag.script == nil, let region = tag.region {
            tag.script = LanguageData.regionalScripts.value(of: "\(tag.language)-\(region)")
        }
        if tag.script != nil, tag.script == LanguageData.scripts.key(of: tag.language) ?? "Latn" { tag.script = nil }
        return tag
    }

    /// The localisation that supplies what this language's localisation lacks; nil at the end.
    ///
    /// From `es-MX` to `es-419` to `es`. A script that is not the language's usual one ends the chain: a reader of
    /// `sr-Latn` may not be able to read `sr`. Source: UTS #35, part 1, "Parent Locales".
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
        // The tables have no cycle, and their longest chain has five members; the bound protects against a mistake in
        // them.
        for _ in 0..<10 {
            guard let tag = next else { return }
            body(tag)
            next = tag.parent
        }
    }

    /// Whether the tag is an unusual form of its language that one would not assume: `pt-PT`, not `pt-BR`.
    ///
    /// - Precondition: the tag is ``canonical``.
    var isUnusualForm: Bool {
        // Of the two forms of Norwegian, `no` means Bokmål.
        if language == "nn" { return true }
        guard let region else { return false }
        if let script, let usual = LanguageData.scriptRegions.value(of: "\(language)-\(script)") {
            return region != usual
        }
        // Bundles without es-419 use Mexican Spanish for Latin America.
        if language == "es", region == "MX" { return false }
        return region != LanguageData.regions.key(of: language)
    }
}

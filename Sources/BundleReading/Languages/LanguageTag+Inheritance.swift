extension LanguageTag {
    /// The tag in the one form that equal languages share: obsolete codes are replaced (`iw` becomes `he`, `English`
    /// becomes `en`), the script is added if the region implies an unusual one (`zh-TW` becomes `zh-Hant-TW`), and
    /// removed if it is the usual one (`sr-Cyrl` becomes `sr`).
    ///
    /// Source: UTS #35, part 1, "Canonicalizing Syntax" and "Likely Subtags".
    public var canonical: LanguageTag {
        var tag = self
        if let alias = LanguageData.alias(of: tag.language).flatMap({ LanguageTag($0) }) {
            tag.language = alias.language
            tag.script = tag.script ?? alias.script
            tag.region = tag.region ?? alias.region
        }
        if tag.region == "UK" { tag.region = "GB" }
        // Eastern Armenian is what hy means, and Western Armenian has a code of its own.
        if tag.language == "hy", tag.variants == ["arevela"] { tag.variants = [] }
        if tag.language == "hy", tag.variants == ["arevmda"] { (tag.language, tag.variants) = ("hyw", []) }
        // Nastaliq is a style of the Arabic script; no bundle is localised in both.
        if tag.script == "Aran" { tag.script = "Arab" }
        if tag.script == nil, let region = tag.region {
            tag.script = LanguageData.regionalScripts.value(of: "\(tag.language)-\(region)")
        }
        if tag.script != nil, tag.script == LanguageData.scripts.key(of: tag.language) ?? "Latn" { tag.script = nil }
        // A variant is one of the language: ca-ES-valencia, as POSIX locales write it, is ca-valencia.
        if !tag.variants.isEmpty, tag.region != nil, tag.region == tag.usualRegion { tag.region = nil }
        return tag
    }

    /// The region that one assumes for the language in its script; nil if there is no data about it.
    ///
    /// - Precondition: the script is that of the ``canonical`` tag.
    private var usualRegion: String? {
        let inScript = script.flatMap { LanguageData.scriptRegions.value(of: "\(language)-\($0)") }
        return inScript ?? LanguageData.regions.key(of: language)
    }

    /// The canonical tag with the region that one assumes where it has none.
    ///
    /// It is equal for the names that other systems give to one localisation: `zh-CN` and `zh-Hans`, `no` and `nb`,
    /// `pt` and `pt-BR`.
    ///
    /// Source: UTS #35, part 1, "Likely Subtags".
    public var likely: LanguageTag {
        var tag = canonical
        if tag.language == "no" { tag.language = "nb" }
        tag.region = tag.region ?? tag.usualRegion
        return tag
    }

    /// The localisation that supplies what this language's localisation lacks; nil at the end.
    ///
    /// From `ca-valencia` to `ca`, and from `es-MX` to `es-419` to `es`. A script that is not the language's usual one
    /// ends the chain: a reader of `sr-Latn` may not be able to read `sr`. Source: UTS #35, part 1, "Parent Locales".
    ///
    /// - Precondition: the tag is ``canonical``.
    package var parent: LanguageTag? {
        if !variants.isEmpty {
            return LanguageTag(language: language, script: script, region: region, variants: variants.dropLast())
        }
        if let parent = LanguageData.parent(of: self) { return LanguageTag(parent) }
        guard region != nil else { return nil }
        return LanguageTag(language: language, script: script)
    }

    /// The tag itself, its parent, and so on.
    ///
    /// A variant in a region may be had without the region, too: from `de-CH-1901` by `de-CH` and `de-1901` to `de`.
    ///
    /// - Precondition: the tag is ``canonical``.
    public var ancestry: [LanguageTag] {
        var chain: [LanguageTag] = []
        forEachAncestor { chain.append($0) }
        return chain
    }

    /// Calls a function with each member of the ``ancestry``.
    func forEachAncestor(_ body: (LanguageTag) -> Void) {
        var next: LanguageTag? = self
        // The tables have no cycle, and their longest chain has five members, and a tag has at
        // most eight variants; the bound protects against a mistake in
        // them.
        for _ in 0..<Self.mostAncestors {
            guard let tag = next else { return }
            if region != nil, !variants.isEmpty, tag.region == nil, tag.variants.isEmpty, tag.language == language {
                body(LanguageTag(language: language, script: tag.script, variants: variants))
            }
            body(tag)
            next = tag.parent
        }
    }

    /// Five, and one for each variant.
    private static let mostAncestors = 16

    /// Whether two tags differ at most in the order of their variants.
    package func isEqual(to other: LanguageTag) -> Bool {
        var sorted = self
        sorted.variants = other.variants
        return sorted == other && Set(variants) == Set(other.variants)
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

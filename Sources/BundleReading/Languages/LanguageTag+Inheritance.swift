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
        // hy means Eastern Armenian; Western Armenian has a separate code.
        if tag.language == "hy", tag.variants == ["arevela"] { tag.variants = [] }
        if tag.language == "hy", tag.variants == ["arevmda"] { (tag.language, tag.variants) = ("hyw", []) }
        // Nastaliq is a style of the Arabic script; no bundle is localised in both.
        if tag.script == "Aran" { tag.script = "Arab" }
        if tag.script == nil, let region = tag.region {
            tag.script = LanguageData.regionalScripts.value(of: "\(tag.language)-\(region)")
        }
        if tag.script != nil, tag.script == LanguageData.scripts.key(of: tag.language) ?? "Latn" { tag.script = nil }
        // A variant belongs to the language, not to the region: ca-ES-valencia, the POSIX spelling, is ca-valencia.
        if !tag.variants.isEmpty, tag.region != nil, tag.region == tag.usualRegion { tag.region = nil }
        return tag
    }

    /// The usual region of the language in its script; nil if there is no data about it.
    ///
    /// - Precondition: the script is the one in the ``canonical`` tag.
    private var usualRegion: String? {
        let inScript = script.flatMap { LanguageData.scriptRegions.value(of: "\(language)-\($0)") }
        return inScript ?? LanguageData.regions.key(of: language)
    }

    /// The canonical tag, with the language's usual region if it has none.
    ///
    /// Different names for one localisation have the same likely tag: `zh-CN` and `zh-Hans`, `no` and `nb`, `pt` and
    /// `pt-BR`.
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
    /// For example, from `ca-valencia` to `ca`, and from `es-MX` to `es-419` to `es`. A script that is not the
    /// language's usual one ends the chain: a reader of `sr-Latn` may not be able to read `sr`. Source: UTS #35, part
    /// 1, "Parent Locales".
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
    /// For a tag with a region and a variant, the variant without the region is also an ancestor: `de-CH-1901`,
    /// `de-CH`, `de-1901`, `de`.
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
        // The tables have no cycle, their longest chain has five members, and a tag has at most nine variants, one of
        // them from a modifier. The bound protects against a mistake in the tables.
        for _ in 0..<Self.mostAncestors {
            guard let tag = next else { return }
            if region != nil, !variants.isEmpty, tag.region == nil, tag.variants.isEmpty, tag.language == language {
                body(LanguageTag(language: language, script: tag.script, variants: variants))
            }
            body(tag)
            next = tag.parent
        }
    }

    /// At least five, plus one for each variant.
    private static let mostAncestors = 16

    /// Whether two tags differ at most in the order of their variants.
    package func isEqual(to other: LanguageTag) -> Bool {
        var sorted = self
        sorted.variants = other.variants
        return sorted == other && Set(variants) == Set(other.variants)
    }

    /// Whether the tag is an unusual form of its language: true for `pt-PT`, false for `pt-BR`.
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

import HostBasics

/// A language as written by bundles, users and systems: `fr`, `zh-Hant-HK`, `en_GB`, `sr_RS.UTF-8@latin`, `English`.
///
/// Language, script, region and variants matter for localisations. Extensions are skipped, and so is `posix`, which is
/// a way to sort and to format, not a variant of a language.
///
/// **Threads.** A value. **Cost.** Reading a tag needs no system call and, for ordinary tags, allocates no memory.
public struct LanguageTag: Hashable, Sendable, CustomStringConvertible {
    /// Two or three lower-case letters, or an English name (`english`).
    public var language: String
    /// Four letters, the first one upper case.
    public var script: String?
    /// Two upper-case letters or three digits.
    package var region: String?
    /// In lower case and in the order of the text, from general to specific: `rozaj`, `biske`.
    package var variants: [String] = []

    package init(language: String, script: String? = nil, region: String? = nil, variants: [String] = []) {
        self.language = language
        self.script = script
        self.region = region
        self.variants = variants
    }

    /// Reads the tag of a language, in any of three forms; case and the kind of separator do not matter.
    ///
    /// The forms are a tag as defined by BCP 47 (section 2.1), a Unicode locale identifier (UTS #35, section 3), and a
    /// POSIX locale name (language[_territory][.codeset][@modifier]).
    ///
    /// - Returns: nil if the text does not begin like the name of a language.
    public init?(_ text: String) {
        // A short way for tags that are only a language, as most are, and for Base.
        if Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy(\.isLetter) {
            language = text.lowercased()
            return
        }
        let bytes = Array(text.utf8)
        // Encoding and modifier end the tag: fr_FR.UTF-8@euro.
        let end = bytes.firstIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "@") } ?? bytes.count
        var subtags = bytes[..<end].split(maxSplits: 8, omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }[...]
        guard let first = subtags.popFirst(), Self.lengths.contains(first.count), first.allSatisfy(\.isLetter)
        else { return nil }
        language = Self.lowercased(first)
        // An extended language: zh-yue is yue.
        if let second = subtags.first, second.count == 3, second.allSatisfy(\.isLetter) {
            let extended = Self.lowercased(second)
            subtags.removeFirst()
            if extended == "min", let third = subtags.first, Self.lowercased(third) == "nan" { subtags.removeFirst() }
            language = Self.irregularLanguages["\(language)-\(extended)"] ?? extended
        }
        for subtag in subtags {
            // The start of an extension (zh-u-co-pinyin): nothing after it matters.
            if subtag.count == 1 { break }
            if subtag.count == 4, script == nil, region == nil, subtag.allSatisfy(\.isLetter) {
                let letters = [subtag[subtag.startIndex] & 0xDF] + subtag.dropFirst().map { $0 | 0x20 }
                script = String(decoding: letters, as: UTF8.self)
            } else if region == nil, subtag.isRegion {
                region = String(decoding: subtag.map { $0.isLetter ? $0 & 0xDF : $0 }, as: UTF8.self)
            } else if subtag.isVariant {
                addVariant(Self.lowercased(subtag))
            }
        }
        if let at = bytes.firstIndex(of: UInt8(ascii: "@")) { read(modifier: bytes[(at + 1)...]) }
    }

    /// Tags that are older than the rules and look like a language with an extended language.
    ///
    /// Source: BCP 47, section 2.2.8 and the registry's grandfathered tags.
    private static let irregularLanguages = ["no-bok": "nb", "no-nyn": "nn", "zh-min": "nan"]

    /// Reads the text after the @ of a POSIX locale: a script or a variant.
    ///
    /// gettext has separate texts for each modifier, so an unknown modifier counts as a variant if it has the form of
    /// one. `@euro` and `@collation=phonebook` do not have that form, and do not affect the language.
    private mutating func read(modifier bytes: ArraySlice<UInt8>) {
        let modifier = Self.lowercased(bytes)
        if let known = Self.modifiers[modifier] {
            script = script ?? known.script
            if let variant = known.variant { addVariant(variant) }
        } else if bytes.isVariant, !Self.sortingModifiers.contains(modifier) {
            addVariant(modifier)
        }
    }

    private mutating func addVariant(_ variant: String) {
        if variant != "posix", !variants.contains(variant) { variants.append(variant) }
    }

    /// The modifiers that mean a script, or a variant that is spelt differently, as glibc, KDE and GNOME use them.
    private static let modifiers: [String: (script: String?, variant: String?)] = [
        "latin": ("Latn", nil), "latn": ("Latn", nil), "iqtelif": ("Latn", nil),
        "cyrillic": ("Cyrl", nil), "cyrl": ("Cyrl", nil), "arabic": ("Arab", nil), "arab": ("Arab", nil),
        "devanagari": ("Deva", nil), "deva": ("Deva", nil), "shaw": ("Shaw", nil), "shavian": ("Shaw", nil),
        "mong": ("Mong", nil), "hans": ("Hans", nil), "hant": ("Hant", nil),
        "ijekavian": (nil, "ijekavsk"), "ijekavianlatin": ("Latn", "ijekavsk"),
    ]

    /// The modifiers with the form of a variant that mean a sort order, a currency or a style of quotation marks.
    private static let sortingModifiers: Set = [
        "abegede", "boldquot", "chewing", "pinyin", "preeuro", "radical", "stroke", "zhuyin",
    ]

    /// The number of letters in codes and English names; the upper bound is the longest name in ``LanguageData``.
    private static let lengths = 2...25

    private static func lowercased(_ letters: ArraySlice<UInt8>) -> String {
        String(decoding: letters.map { $0.isLetter ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The tag with hyphens: `zh-Hant-HK`, `ca-ES-valencia`.
    public var description: String {
        var text = language
        if let script { text += "-" + script }
        if let region { text += "-" + region }
        for variant in variants { text += "-" + variant }
        return text
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}

extension ArraySlice<UInt8> {
    /// Two letters (ISO 3166) or three digits (UN M.49).
    fileprivate var isRegion: Bool {
        count == 2 && allSatisfy(\.isLetter) || count == 3 && allSatisfy(\.isDigit)
    }

    /// Five to eight letters and digits, or four that begin with a digit (BCP 47, section 2.1).
    fileprivate var isVariant: Bool {
        guard 5...8 ~= count || count == 4 && first?.isDigit == true else { return false }
        return allSatisfy { $0.isLetter || $0.isDigit }
    }
}

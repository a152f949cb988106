import HostBasics

/// What a bundle's Info.plist says about it for people: what it does, who made it, and under which terms.
///
/// The texts come from the bundle and are not trusted. They may have any characters, control characters too: escape
/// them before writing them to a terminal.
///
/// **Threads.** A value; may be shared freely.
public struct PluginMetadata: Sendable, Hashable {
    /// `PHDescription`: a sentence that says what the plug-in does.
    public var description: String?
    /// `PHAuthors`: each as a name, or as `Name <mail>`.
    public var authors: [String] = []
    /// `NSHumanReadableCopyright`.
    public var copyright: String?
    /// `PHLicense`: an SPDX expression, such as `MIT OR Apache-2.0`.
    public var license: String?
    /// `PHWebsite`: an address that begins with `https:` or `mailto:`; nil for any other address.
    public var website: String?
    /// `PHBugs`: the address for reports of problems, with the same restriction.
    public var bugs: String?
    /// `LSApplicationCategoryType`: one of Apple's categories, `public.app-category.…`, or a word of the application.
    public var category: String?
    /// `PHKeywords`: words by which people look for it.
    public var keywords: [String] = []

    /// No values.
    package init() {}
}

extension PluginMetadata {
    /// The longest text that is passed on, in bytes of UTF-8.
    package static let longestText = 4_096
    /// The highest number of authors or keywords that are passed on.
    package static let mostItems = 100

    /// The metadata in another language, with every text limited in its length.
    ///
    /// An empty text counts as absent. Authors are names, so they are not translated.
    ///
    /// - Parameter translation: the text of `InfoPlist.strings` for a key, or nil.
    /// - Returns: the values to show.
    package func localized(_ translation: (String) -> String?) -> PluginMetadata {
        func text(_ key: ManifestKey, _ original: String?) -> String? {
            (translation(key.spelling) ?? original).map(Self.limited).flatMap { $0.isEmpty ? nil : $0 }
        }
        func address(_ key: ManifestKey, _ original: String?) -> String? {
            text(key, original).flatMap { Self.isAddress($0) ? $0 : nil }
        }
        var result = PluginMetadata()
        result.description = text(.shortDescription, description)
        result.authors = Self.limited(authors)
        result.copyright = text(.copyright, copyright)
        result.license = text(.license, license)
        result.website = address(.website, website)
        result.bugs = address(.bugs, bugs)
        result.category = text(.category, category)
        result.keywords = translation(ManifestKey.keywords.spelling).map(Self.words) ?? Self.limited(keywords)
        return result
    }

    /// Whether a text is an address that an application may open: `https:` or `mailto:`, without blanks and control
    /// characters.
    ///
    /// Why: an application that makes a link of the text must not run a script (`javascript:`), open a local file or
    /// start another program.
    package static func isAddress(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let rest = text.utf8[text.utf8.index(after: colon)...]
        let isKnown =
            switch text[..<colon].lowercased() {
            case "https": rest.starts(with: "//".utf8) && rest.count > 2
            case "mailto": !rest.isEmpty
            default: false
            }
        return isKnown
            && !text.unicodeScalars.contains {
                NameRules.isBlank($0) || $0.properties.generalCategory == .control
            }
    }

    private static func limited(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: longestText - "…".utf8.count)
        // Never cut inside of a character.
        while end.samePosition(in: text) == nil { end = text.utf8.index(before: end) }
        return text[..<end] + "…"
    }

    private static func limited(_ texts: [String]) -> [String] {
        texts.lazy.filter { !$0.isEmpty }.prefix(mostItems).map(limited)
    }

    /// The words of one text with commas between them.
    private static func words(_ text: String) -> [String] {
        limited(
            text.split(separator: ",", maxSplits: mostItems).prefix(mostItems).map { part in
                let scalars = part.unicodeScalars.drop(while: NameRules.isBlank)
                let end = scalars.lastIndex { !NameRules.isBlank($0) }
                return end.map { String(scalars[...$0]) } ?? ""
            })
    }
}

extension ManifestDecoder {
    /// The keys for people.
    mutating func metadata(in values: ManifestValues) -> PluginMetadata {
        var metadata = PluginMetadata()
        metadata.description = string(values[.shortDescription])
        metadata.authors = strings(values[.authors])
        metadata.copyright = string(values[.copyright])
        metadata.license = string(values[.license])
        metadata.website = string(values[.website])
        metadata.bugs = string(values[.bugs])
        metadata.category = string(values[.category])
        metadata.keywords = strings(values[.keywords])
        return metadata
    }
}

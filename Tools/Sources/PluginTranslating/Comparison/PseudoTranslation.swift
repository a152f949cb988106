@_spi(Tools) internal import PluginHost
@_spi(Tools) internal import PluginLinting
internal import PropertyLists

/// Makes texts that look translated but can still be read.
///
/// They show which texts of a program are not in a table, which do not fit their place, and which are cut off.
///
/// Placeholders, variables of plural rules, names in braces, line ends and tabs stay unchanged.
///
/// **Threads.** A value; may be shared freely.
public struct PseudoTranslation: Sendable {
    /// What to do with a text.
    public enum Style: String, Sendable, Hashable, CaseIterable {
        /// Letters get accents, the text gets a third longer, and brackets surround the whole.
        case accented
        /// Direction marks make the words run from right to left.
        case rightToLeft

        /// The usual name of the pseudo-language: `en-XA` or `ar-XB`.
        public var language: String { self == .accented ? "en-XA" : "ar-XB" }
    }

    /// What to do with a text.
    public var style: Style

    /// A translation in a style.
    public init(_ style: Style = .accented) {
        self.style = style
    }

    /// The translation of every entry of a table.
    public func translated(_ content: TableContent) -> TableContent {
        var content = content
        for index in content.entries.indices {
            content.entries[index].value = translated(content.entries[index].value)
            content.entries[index].isUntranslated = false
            content.entries[index].needsReview = false
        }
        return content
    }

    private func translated(_ value: PropertyList) -> PropertyList {
        switch value {
        case .string(let text): .string(translated(text, isWhole: true))
        case .dictionary(let entry): .dictionary(Dictionary(uniqueKeysWithValues: entry.map { ($0, part($0, $1)) }))
        default: value
        }
    }

    /// A part of an entry with plural forms.
    ///
    /// Only the text of the whole entry gets brackets.
    private func part(_ key: String, _ value: PropertyList) -> PropertyList {
        switch (key, value) {
        case (PluralForms.ruleKey, _), (PluralForms.valueTypeKey, _): value
        case (PluralForms.formatKey, .string(let text)): .string(translated(text, isWhole: true))
        case (_, .string(let text)): .string(translated(text, isWhole: false))
        case (_, .dictionary(let entry)):
            .dictionary(Dictionary(uniqueKeysWithValues: entry.map { ($0, part($0, $1)) }))
        default: value
        }
    }

    /// The translation of a text.
    ///
    /// - Parameters:
    ///   - text: the text, which may be a format.
    ///   - isWhole: whether the text is not a part of another text. A whole text gets brackets.
    /// - Returns: the text with the same placeholders.
    public func translated(_ text: String, isWhole: Bool = true) -> String {
        let bytes = Array(text.utf8)
        // A date pattern is not translated.
        if text.isEmpty || FormatArguments(text).isDate { return text }
        var result = ""
        var letters = 0
        var start = 0
        for range in Self.fixedParts(of: bytes) + [bytes.count..<bytes.count] {
            let part = String(decoding: bytes[start..<range.lowerBound], as: UTF8.self)
            letters += part.count(where: \.isLetter)
            result += changed(part)
            result += String(decoding: bytes[range], as: UTF8.self)
            start = range.upperBound
        }
        guard style == .accented, isWhole else { return result }
        return "[" + result + String(repeating: "~", count: (letters + 2) / 3) + "]"
    }

    /// The placeholders and the names in braces.
    private static func fixedParts(of bytes: [UInt8]) -> [Range<Int>] {
        var parts = FormatArguments.places(in: bytes).map(\.range)
        var index = 0
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "{")),
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "}"))
        {
            index = end + 1
            if !parts.contains(where: { $0.overlaps(start..<index) }) { parts.append(start..<index) }
        }
        return parts.sorted { $0.lowerBound < $1.lowerBound }
    }

    private func changed(_ text: String) -> String {
        switch style {
        case .accented: return String(text.map { Self.accents[$0] ?? $0 })
        case .rightToLeft:
            // Change each word separately, so that lines can still be wrapped.
            var result = ""
            var word = ""
            func flush() {
                if !word.isEmpty { result += "\u{202E}" + word + "\u{202C}" }
                word = ""
            }
            for character in text {
                if character.isLetter || character.isNumber {
                    word.append(character)
                } else {
                    flush()
                    result.append(character)
                }
            }
            flush()
            return result
        }
    }

    private static let accents: [Character: Character] = Dictionary(
        uniqueKeysWithValues: zip(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            "åƀçđéƒğĥîĵķļɱñöþǫŕšţûṽŵẋýžÅƁÇĐÉƑĞĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽ"))
}

internal import BundleReading
@_spi(Tools) internal import PluginHost
internal import PropertyLists

/// The single texts of a `.stringsdict` entry, by the keys that lead to them.
enum PluralTexts {
    /// The identifier of a text, in the form that Apple's tools use: `/%d files:dict/files:dict/one:dict/:string`.
    static func id(_ path: [String]) -> String { "/" + path.map { $0 + ":dict" }.joined(separator: "/") + "/:string" }

    /// The texts that a language needs for an entry, in a stable order.
    ///
    /// - Parameters:
    ///   - entry: the entry of the development language.
    ///   - translation: the entry of the other language, if there is one.
    ///   - language: the other language. Texts for its plural categories are added, with the form `other` as their
    ///     source.
    /// - Returns: the texts of the development language, with the keys that lead to them.
    static func all(of entry: PropertyList, _ translation: PropertyList?, language: String) -> [(
        path: [String], text: String
    )] {
        var texts: [(path: [String], text: String)] = []
        gather(entry, translation, at: [], PluralRules(language: language).usualCategories, into: &texts)
        return texts
    }

    private static func gather(
        _ value: PropertyList, _ translation: PropertyList?, at path: [String], _ categories: Set<PluralCategory>,
        into texts: inout [(path: [String], text: String)]
    ) {
        if let text = value.string { return texts.append((path, text)) }
        guard var entries = value.dictionary else { return }
        let other = entries["other"]
        if entries[PluralForms.ruleKey]?.string == PluralForms.pluralRule, let other {
            let translated = PluralCategory.allCases.filter { translation?[$0.rawValue] != nil }
            for category in categories.union(translated) where entries[category.rawValue] == nil {
                entries[category.rawValue] = other
            }
        }
        for (key, value) in entries.sorted(by: { order($0.key) < order($1.key) })
        where key != PluralForms.ruleKey && key != PluralForms.valueTypeKey {
            gather(value, translation?[key], at: path + [key], categories, into: &texts)
        }
    }

    /// A sort key: the format first, the categories in their order, then everything else by name.
    private static func order(_ key: String) -> String {
        if key == PluralForms.formatKey { return "0" }
        let category = PluralCategory(rawValue: key).flatMap { PluralCategory.allCases.firstIndex(of: $0) }
        return category.map { "1\($0)" } ?? "2" + key
    }

    /// The text at a path.
    static func text(at path: [String], in value: PropertyList?) -> String? {
        path.reduce(value) { $0?[$1] }?.string
    }

    /// An entry with new texts.
    ///
    /// It has the rules of the translation, or of the development language if there is no translation.
    static func entry(
        _ entry: PropertyList, _ translation: PropertyList?, texts: [[String]: String]
    ) -> PropertyList {
        var result = translation ?? rules(entry)
        for (path, text) in texts { set(text, at: path[...], in: &result, rulesOf: entry) }
        if result[PluralForms.formatKey] == nil, let format = entry[PluralForms.formatKey] {
            set(format.string ?? "", at: [PluralForms.formatKey], in: &result, rulesOf: entry)
        }
        return result
    }

    /// The entry without its texts.
    private static func rules(_ value: PropertyList) -> PropertyList {
        guard let entries = value.dictionary else { return value }
        var result: [String: PropertyList] = [:]
        for (key, value) in entries {
            if key == PluralForms.ruleKey || key == PluralForms.valueTypeKey {
                result[key] = value
            } else if value.dictionary != nil {
                result[key] = rules(value)
            }
        }
        return .dictionary(result)
    }

    private static func set(
        _ text: String, at path: ArraySlice<String>, in value: inout PropertyList, rulesOf entry: PropertyList?
    ) {
        guard let key = path.first else {
            value = .string(text)
            return
        }
        var entries = value.dictionary ?? [:]
        var inner = entries[key] ?? entry?[key].map(rules) ?? .dictionary([:])
        set(text, at: path.dropFirst(), in: &inner, rulesOf: entry?[key])
        entries[key] = inner
        value = .dictionary(entries)
    }
}

internal import BundleReading
internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
internal import PropertyLists

/// A string catalogue, `.xcstrings`: all languages of a table in one JSON file.
struct StringCatalog {
    private let path: String
    private let sourceLanguage: String
    private let strings: [String: PropertyList]

    init(path: String, bytes: [UInt8]) throws(LintFinding) {
        self.path = path
        let list = try TableContent.json(path, bytes)
        guard let strings = list["strings"]?.dictionary, let language = list["sourceLanguage"]?.string else {
            throw LintFinding(
                .error, .notCatalog, filePath: path,
                message: "The file \(quoted(path)) is not a string catalogue: it lacks “sourceLanguage” or “strings”.",
                remedy: "Check the file.")
        }
        self.strings = strings
        sourceLanguage = language
    }

    /// The entries of a language.
    ///
    /// In the source language, the key replaces a missing text.
    ///
    /// - Parameter language: nil for the source language.
    /// - Returns: the entries, sorted by their keys.
    /// - Throws: a finding if an entry varies in an unknown way, or if no entry has the language.
    func content(language: String?) throws(LintFinding) -> TableContent {
        let language = language ?? sourceLanguage
        var entries: [TableContent.Entry] = []
        for (key, value) in strings.sorted(by: { $0.key < $1.key }) {
            let localization = value["localizations"]?[language]
            guard localization != nil || language == sourceLanguage else { continue }
            let text = try localization.map { (found) throws(LintFinding) in try entry(found, key) } ?? .string(key)
            var new = TableContent.Entry(key: key, value: text, comment: value["comment"]?.string)
            new.isUnused = value["extractionState"]?.string == "stale"
            let states = localization.map(Self.states) ?? []
            new.isUntranslated = states.contains("new")
            new.needsReview = states.contains("needs_review")
            entries.append(new)
        }
        guard !entries.isEmpty || strings.isEmpty else {
            throw LintFinding(
                .error, .missingLanguage, filePath: path, subject: language,
                message: "The catalogue \(quoted(path)) has no text in \(quoted(language)).",
                remedy: "Name one of its languages with --language.")
        }
        return TableContent(entries)
    }

    /// The states of all texts of a localisation, including its plural forms, devices and substitutions.
    private static func states(of value: PropertyList) -> Set<String> {
        var states: Set<String> = []
        if let state = value["stringUnit"]?["state"]?.string { states.insert(state) }
        var parts = (value["substitutions"]?.dictionary ?? [:]).values.map(\.self)
        for kind in (value["variations"]?.dictionary ?? [:]).values { parts += (kind.dictionary ?? [:]).values }
        for part in parts { states.formUnion(Self.states(of: part)) }
        return states
    }

    private func entry(_ localization: PropertyList, _ key: String) throws(LintFinding) -> PropertyList {
        let substitutions = localization["substitutions"]?.dictionary ?? [:]
        if let text = localization["stringUnit"]?["value"]?.string {
            guard !substitutions.isEmpty else { return .string(text) }
            return .dictionary(try format(text, substitutions, key))
        }
        guard let variations = localization["variations"]?.dictionary else { throw fault(key) }
        if let plural = variations["plural"]?.dictionary {
            var forms = try texts(plural, key)
            let number = Self.number(in: forms["other"] ?? "")
            // Placeholders without a number count from the variable's argument, so number them if that is not the first
            // argument.
            if number.argument > 1 { forms = forms.mapValues(TableMerge.numbered) }
            return .dictionary([
                PluralForms.formatKey: .string(number.argument > 1 ? "%\(number.argument)$#@value@" : "%#@value@"),
                "value": .dictionary(rule(forms, type: number.type)),
            ])
        }
        guard let devices = variations["device"]?.dictionary else { throw fault(key) }
        let names = ["applevision": "vision", "applewatch": "watch", "appletv": "tv"]
        let texts = try texts(devices, key).map { (names[$0.key] ?? $0.key, PropertyList.string($0.value)) }
        return .dictionary([PluralForms.deviceRule: .dictionary(Dictionary(uniqueKeysWithValues: texts))])
    }

    /// The first numeric argument of a text, and its type: 1 and `lld` for `%2$@: %1$lld`.
    private static func number(in text: String) -> (argument: Int, type: String) {
        let bytes = Array(text.utf8)
        var parser = FormatParser(text)
        var next = 1
        var found: (argument: Int, type: String)?
        while let part = parser.next() {
            guard case .conversion(let conversion) = part.content else { continue }
            let argument = conversion.position ?? next
            if conversion.position == nil { next += 1 }
            let isNumber = "diuxXofFeEgGaADOU".unicodeScalars.contains(conversion.type)
            guard isNumber, argument < found?.argument ?? .max else { continue }
            let type = String(decoding: bytes[part.range].dropFirst(), as: UTF8.self).split(separator: "$").last
            found = (argument, type.map(String.init) ?? "lld")
        }
        return found ?? (1, "lld")
    }

    /// An entry whose format has variables, each with plural forms.
    private func format(
        _ text: String, _ substitutions: [String: PropertyList], _ key: String
    ) throws(LintFinding) -> [String: PropertyList] {
        var text = text
        var result: [String: PropertyList] = [:]
        for (name, value) in substitutions.sorted(by: { $0.key < $1.key }) {
            guard let plural = value["variations"]?["plural"]?.dictionary else { throw fault(key) }
            let type = value["formatSpecifier"]?.string ?? "lld"
            if let number = value["argNum"]?.integer {
                text = text.replacing("%#@\(name)@", with: "%\(number)$#@\(name)@")
            }
            let forms = try texts(plural, key).mapValues { $0.replacing("%arg", with: "%" + type) }
            result[name] = .dictionary(rule(forms, type: type))
        }
        result[PluralForms.formatKey] = .string(text)
        return result
    }

    private func rule(_ forms: [String: String], type: String) -> [String: PropertyList] {
        forms.mapValues(PropertyList.string).merging([
            PluralForms.ruleKey: .string(PluralForms.pluralRule), PluralForms.valueTypeKey: .string(type),
        ]) { $1 }
    }

    private func texts(_ variations: [String: PropertyList], _ key: String) throws(LintFinding) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, value) in variations {
            guard let text = value["stringUnit"]?["value"]?.string else { throw fault(key) }
            texts[name] = text
        }
        return texts
    }

    private func fault(_ key: String) -> LintFinding {
        LintFinding(
            .error, .notCatalog, filePath: path, subject: key,
            message: "The entry \(quoted(key)) varies in a way that a table does not know.",
            remedy: "Write the entry by hand.")
    }
}

extension LintFinding.Code {
    /// A file that is not a string catalogue, or that has an entry which a table cannot hold.
    public static let notCatalog = Self(rawValue: "notCatalog")
}

@_spi(Tools) internal import PluginHost
internal import PropertyLists

/// Whether the entries of a `.stringsdict` are built as these files are.
///
/// Source: Apple, “Stringsdict File Format” (Internationalization and Localization Guide).
struct PluralLint {
    private let file: LintedFile
    private let key: String
    private let entry: [String: PropertyList]
    /// The categories that the language needs; none where the language is not known.
    private let required: Set<PluralCategory>
    private var findings: LintFindings

    static let formatKey = "NSStringLocalizedFormatKey"
    private static let ruleKey = "NSStringFormatSpecTypeKey"
    private static let typeKey = "NSStringFormatValueTypeKey"
    private static let pluralRule = "NSStringPluralRuleType"
    /// Entries that choose by the width or the device, and not by a number.
    private static let otherRules: Set = ["NSStringVariableWidthRuleType", "NSStringDeviceSpecificRuleType"]
    private static let categories = Set(PluralCategory.allCases.map(\.rawValue))

    /// `language`: the name of the file's `.lproj`, nil for a file that stands in none.
    static func findings(in file: LintedFile, language: String?) -> [LintFinding] {
        guard file.type == .pluralRules, let value = file.list?.value else { return [] }
        guard case .dictionary(let entries) = value else {
            return [
                LintFinding(
                    .error, .malformedPlural, filePath: file.path,
                    message: "The list is \(value.typeName); plural rules are a dictionary of entries.",
                    remedy: advice)
            ]
        }
        let required = language.map { PluralRules(language: $0).usualCategories } ?? []
        var findings = LintFindings()
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            if case .dictionary(let entry) = value {
                var lint = PluralLint(file: file, key: key, entry: entry, required: required, findings)
                findings = LintFindings()
                lint.run()
                findings = lint.findings
            } else if value.string == nil {
                // A plain text counts as one without plural rules.
                findings.add(
                    file.finding(
                        .error, .malformedPlural, at: [key],
                        "The value of \(quoted(key)) is \(value.typeName); a dictionary is expected.", remedy: advice))
            }
        }
        return findings.all
    }

    private static let advice = "Build it as docs/command-line.md shows under “Plural rules”."

    /// `findings`: about the entries before this one.
    private init(
        file: LintedFile, key: String, entry: [String: PropertyList], required: Set<PluralCategory>,
        _ findings: LintFindings
    ) {
        self.findings = findings
        self.file = file
        self.key = key
        self.entry = entry
        self.required = required
    }

    private mutating func run() {
        if entry.keys.contains(where: Self.otherRules.contains) { return }
        guard let format = entry[Self.formatKey]?.string else {
            let found = entry[Self.formatKey].map { "is \($0.typeName), where a string is expected" } ?? "is missing"
            return complain(at: [], "\(Self.formatKey) \(found).")
        }
        TextLint.check(format, at: [key, Self.formatKey], of: file, &findings)
        checkVariables(usedBy: format)
        for (name, value) in entry.sorted(by: { $0.key < $1.key }) where name != Self.formatKey {
            guard case .dictionary(let variable) = value else {
                complain(at: [name], "\(quoted(name)) is \(value.typeName); a variable is a dictionary.")
                continue
            }
            check(variable, named: name)
        }
    }

    /// Follows the variables of the format, and those that their texts use in turn.
    private mutating func checkVariables(usedBy format: String) {
        enum Visit { case open, done }
        var visits: [String: Visit] = [:]
        // No recursion: the file decides how long a chain is. Nil at the end of a variable's own.
        var waiting: [(name: String, usedAt: [String]?)] = FormatArguments(format).variables.map {
            ($0.name, [Self.formatKey])
        }
        while let (name, usedAt) = waiting.popLast() {
            guard let usedAt else {
                visits[name] = .done
                continue
            }
            if visits[name] == .done { continue }
            guard visits[name] == nil else {
                complain(at: usedAt, "The variable \(quoted("%#@\(name)@")) uses itself.")
                continue
            }
            guard let value = entry[name] else {
                visits[name] = .done
                complain(at: usedAt, "The variable \(quoted("%#@\(name)@")) has no dictionary in the entry.")
                continue
            }
            visits[name] = .open
            waiting.append((name, nil))
            for (category, text) in value.dictionary ?? [:] where Self.categories.contains(category) {
                waiting += FormatArguments(text.string ?? "").variables.map { ($0.name, [name, category]) }
            }
        }
        for name in entry.keys.sorted() where name != Self.formatKey && visits[name] == nil {
            guard entry[name]?.dictionary != nil else { continue }
            let (file, key) = (file, key)
            findings.add(
                file.finding(
                    .warning, .unusedVariable, at: [key, name],
                    "The entry \(quoted(key)) has the variable \(quoted(name)), which its format does not use.",
                    remedy: "Write “%#@\(name)@” in \(Self.formatKey), or remove the variable."))
        }
    }

    private mutating func check(_ variable: [String: PropertyList], named name: String) {
        let rule = variable[Self.ruleKey]
        if rule?.string != Self.pluralRule {
            let found = rule.map { $0.string.map { quoted($0) } ?? $0.typeName }
            complain(
                at: [name],
                "\(Self.ruleKey) of the variable \(quoted(name)) is \(found ?? "missing"); "
                    + "it must be \(Self.pluralRule).")
        }
        let type = variable[Self.typeKey]
        let kind = type?.string.flatMap(FormatArguments.kind)
        let written = type?.string.map { quoted($0) } ?? type?.typeName ?? ""
        if type == nil {
            complain(at: [name], "\(Self.typeKey) of the variable \(quoted(name)) is missing.")
        } else if kind == nil {
            complain(
                at: [name, Self.typeKey],
                "\(Self.typeKey) of the variable \(quoted(name)) is \(written); "
                    + "a format's type such as “d” or “lu” is expected.")
        }
        checkCategories(of: variable, named: name, kind)
    }

    private mutating func checkCategories(
        of variable: [String: PropertyList], named name: String, _ kind: FormatArguments.Kind?
    ) {
        if variable["other"] == nil {
            complain(
                at: [name], "The variable \(quoted(name)) has no text for the category “other”, which is required.")
        }
        for (category, value) in variable.sorted(by: { $0.key < $1.key })
        where category != Self.ruleKey && category != Self.typeKey {
            guard Self.categories.contains(category) else {
                complain(
                    at: [name, category],
                    "\(quoted(category)) is no plural category; they are zero, one, two, few, many, other.")
                continue
            }
            guard let text = value.string else {
                complain(at: [name, category], "The text for \(quoted(category)) is \(value.typeName).")
                continue
            }
            TextLint.check(text, at: [key, name, category], of: file, &findings)
            let (file, key) = (file, key)
            // A placeholder without a number is the variable's own value.
            let arguments = FormatArguments(text)
            if let kind, !arguments.isNumbered, let used = arguments.kinds[1], used != kind {
                findings.add(
                    file.finding(
                        .error, .placeholderMismatch, at: [key, name, category],
                        "The text for \(quoted(category)) takes \(used.rawValue), where the variable "
                            + "\(quoted(name)) is \(kind.rawValue).",
                        remedy: "Make the placeholder and \(Self.typeKey) agree."))
            }
        }
        let (file, key) = (file, key)
        let missing = Set(required.map(\.rawValue)).subtracting(variable.keys).subtracting(["other"])
        if !missing.isEmpty {
            findings.add(
                file.finding(
                    .warning, .missingPluralCategory, at: [key, name],
                    "The variable \(quoted(name)) has no text for "
                        + "\(missing.sorted().map { quoted($0) }.joined(separator: ", ")), which the language tells "
                        + "apart; that of “other” is used.",
                    remedy: "Add the missing categories."))
        }
    }

    private mutating func complain(at keys: [String], _ message: @autoclosure () -> String) {
        let (file, key) = (file, key)
        findings.add(
            file.finding(
                .error, .malformedPlural, at: [key] + keys, "In the entry \(quoted(key)): \(message())",
                remedy: Self.advice))
    }

    /// What an entry takes in all: the arguments of its format and of its variables.
    static func arguments(of entry: [String: PropertyList]) -> FormatArguments? {
        guard let format = entry[formatKey]?.string else { return nil }
        var arguments = FormatArguments(format)
        for variable in arguments.variables {
            let type = entry[variable.name]?[typeKey]?.string
            if let kind = type.flatMap(FormatArguments.kind) { arguments.take(kind, as: variable.argument) }
        }
        return arguments
    }
}

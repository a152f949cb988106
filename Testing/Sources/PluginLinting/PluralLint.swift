@_spi(Tools) internal import BundleReading
@_spi(Tools) internal import HostBasics
@_spi(Tools) internal import PluginHost
public import PropertyLists

/// Whether the entries of a `.stringsdict` have the structure of these files.
///
/// Source: Apple, “Stringsdict File Format” (Internationalization and Localization Guide).
@_spi(Tools) public struct PluralLint {
    private let file: LintedFile
    private let key: String
    /// The categories that the language needs; none for an unknown language.
    private let required: Set<PluralCategory>
    private var findings: LintFindings

    private static let formatKey = "NSStringLocalizedFormatKey"
    private static let ruleKey = "NSStringFormatSpecTypeKey"
    private static let typeKey = "NSStringFormatValueTypeKey"
    private static let pluralRule = "NSStringPluralRuleType"
    /// Rules that choose by the width or the device, and not by a number.
    private static let otherRules = ["NSStringVariableWidthRuleType", "NSStringDeviceSpecificRuleType"]

    /// `language`: the name of the file's `.lproj`, nil for a file outside of any.
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
        var lint = PluralLint(file: file, key: "", required: required, findings: LintFindings())
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            lint = PluralLint(file: file, key: key, required: required, findings: lint.findings)
            // An entry is well-formed exactly if the library reads it and does not leave it out.
            if let fault = PluralEntry.fault(in: value) {
                lint.complain(at: fault.path, fault.message)
            } else {
                lint.check(value, at: [], variable: nil)
            }
        }
        return lint.findings.all
    }

    private static let advice = "Build it as the page command-line.md shows under “Plural rules”."

    /// Checks an entry or one of its variants.
    ///
    /// A variant may itself be an entry.
    ///
    /// `keys`: the keys that lead from the entry to the value. `variable`: the argument of the variable that contains
    /// the value; nil outside of variables.
    private mutating func check(_ value: PropertyList, at keys: [String], variable: Int?) {
        if let text = value.string {
            return TextLint.check(text, at: [key] + keys, of: file, variable: variable, &findings)
        }
        guard let entry = value.dictionary else { return }
        if let format = entry[Self.formatKey]?.string {
            TextLint.check(format, at: [key] + keys + [Self.formatKey], of: file, variable: variable, &findings)
            return checkVariables(of: entry, format, at: keys, first: variable ?? 1)
        }
        guard let rule = Self.otherRules.first(where: { entry[$0] != nil }) else { return }
        for (name, variant) in Self.variants(of: entry[rule]?.dictionary ?? [:]) {
            check(variant, at: keys + [rule, name], variable: variable)
        }
    }

    private mutating func checkVariables(
        of entry: [String: PropertyList], _ format: String, at keys: [String], first: Int
    ) {
        let used = Self.variables(of: entry, format, first: first)
        for (name, value) in entry.sorted(by: { $0.key < $1.key }) where name != Self.formatKey {
            if used[name] == nil {
                let (file, key) = (file, key)
                findings.add(
                    file.finding(
                        .warning, .unusedVariable, at: [key] + keys + [name],
                        "The entry \(quoted(key)) has the variable \(quoted(name)), which its format does not use.",
                        remedy: "Write “%#@\(name.shortened.escapedForDisplay)@” in \(Self.formatKey), or remove the "
                            + "variable."))
            }
            check(value.dictionary ?? [:], named: name, at: keys + [name], argument: used[name] ?? 1)
        }
    }

    /// The variables that a format uses, and those that their texts use in turn, each with its argument.
    private static func variables(
        of entry: [String: PropertyList], _ format: String, first: Int
    ) -> [String: Int] {
        var found: [String: Int] = [:]
        var waiting = FormatArguments(format, from: first).variables
        // No recursion: the file decides how long a chain is.
        while let variable = waiting.popLast() {
            guard found[variable.name] == nil else { continue }
            found[variable.name] = variable.argument
            for text in texts(of: entry[variable.name] ?? .dictionary([:])) {
                waiting += FormatArguments(text, from: variable.argument).variables
            }
        }
        return found
    }

    /// All texts in an entry, a variable or a variant.
    private static func texts(of value: PropertyList) -> [String] {
        switch value {
        case .string(let text): [text]
        case .dictionary(let values): variants(of: values).flatMap { texts(of: $0.value) }
        default: []
        }
    }

    private static func variants(of values: [String: PropertyList]) -> [(key: String, value: PropertyList)] {
        values.filter { $0.key != ruleKey && $0.key != typeKey }.sorted { $0.key < $1.key }
    }

    private mutating func check(
        _ variable: [String: PropertyList], named name: String, at keys: [String], argument: Int
    ) {
        let type = variable[Self.typeKey]?.string
        let kind = type.flatMap(FormatArguments.kind)
        if let type, kind == nil {
            complain(
                at: keys + [Self.typeKey],
                "\(Self.typeKey) of the variable \(quoted(name)) is \(quoted(type)); "
                    + "a format's type such as “d” or “lu” is expected.")
        }
        let isPlural = (variable[Self.ruleKey]?.string ?? Self.pluralRule) == Self.pluralRule
        for (variant, value) in Self.variants(of: variable) {
            check(value, at: keys + [variant], variable: argument)
            guard isPlural, let kind, let text = value.string,
                let used = FormatArguments(text, from: argument).kinds[argument], used != kind
            else { continue }
            let (file, key) = (file, key)
            findings.add(
                file.finding(
                    .error, .placeholderMismatch, at: [key] + keys + [variant],
                    "The text for \(quoted(variant)) takes \(used.rawValue), but the variable "
                        + "\(quoted(name)) is \(kind.rawValue).",
                    remedy: "Make the placeholder and \(Self.typeKey) agree."))
        }
        if isPlural { checkCategories(of: variable, named: name, at: keys) }
    }

    private mutating func checkCategories(
        of variable: [String: PropertyList], named name: String, at keys: [String]
    ) {
        let (file, key) = (file, key)
        let missing = Set(required.map(\.rawValue)).subtracting(variable.keys).subtracting(["other"])
        guard !missing.isEmpty else { return }
        findings.add(
            file.finding(
                .warning, .missingPluralCategory, at: [key] + keys,
                "The variable \(quoted(name)) has no text for "
                    + "\(missing.sorted().map { quoted($0) }.joined(separator: ", ")), which the language "
                    + "distinguishes; that of “other” is used.",
                remedy: "Add the missing categories."))
    }

    private mutating func complain(at keys: [String], _ message: @autoclosure () -> String) {
        let (file, key) = (file, key)
        findings.add(
            file.finding(
                .error, .malformedPlural, at: [key] + keys, "In the entry \(quoted(key)): \(message())",
                remedy: Self.advice))
    }

    /// All arguments of an entry: those of its format, of its variables and of their texts.
    @_spi(Tools) public static func arguments(of entry: [String: PropertyList]) -> FormatArguments? {
        guard let format = entry[formatKey]?.string else { return nil }
        var arguments = FormatArguments(format)
        for (name, argument) in variables(of: entry, format, first: 1) {
            guard let variable = entry[name]?.dictionary else { continue }
            for text in texts(of: .dictionary(variable)) {
                for (number, kind) in FormatArguments(text, from: argument).kinds { arguments.take(kind, as: number) }
            }
            if let kind = variable[typeKey]?.string.flatMap(FormatArguments.kind) { arguments.take(kind, as: argument) }
        }
        return arguments
    }
}

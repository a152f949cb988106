internal import BundleReading
internal import HostBasics
@_spi(Tools) internal import PluginHost
internal import PropertyLists
internal import SettingsReading

/// What is wrong with a bundle's Settings.bundle: its lists, its texts, and the settings that sources name and it lacks.
struct SettingsLint {
    private let schema: SettingsSchema?
    private(set) var findings: [LintFinding] = []
    /// The files that were read.
    private(set) var files: [String] = []

    init(_ bundle: PluginBundle, manifest: Manifest) {
        let texts = bundle.settingsBundle
        schema = texts == nil ? nil : bundle.settingsSchema
        guard let schema, let texts else { return }
        files = schema.files
        findings = schema.findings.map { LintFinding($0, in: nil) }
        checkTexts(schema, texts, manifest)
    }

    // MARK: Texts

    private mutating func checkTexts(_ schema: SettingsSchema, _ bundle: PluginBundle, _ manifest: Manifest) {
        guard let directory = bundle.resourcePath else { return }
        var resources = ResourceLists()
        resources.gather(directory)
        findings += resources.findings
        var tables: [LocalizedTables.Table] = []
        for list in resources.lists where list.type != .propertyList {
            let file = LintedFile(path: list.path, type: list.type)
            files.append(list.path)
            findings += file.findings + TextLint.findings(in: file)
            tables.append(LocalizedTables.Table(name: list.name, language: list.language, file: file))
        }
        // A Settings.bundle has no Info.plist: it is written in the language of its bundle.
        let localized = LocalizedTables(
            tables: tables, languages: resources.languages, manifest: manifest, infoList: nil)
        findings += TranslationLint(localized).findings
        for pane in schema.panes { checkTexts(of: pane, localized) }
    }

    /// A page shows a key that its table lacks as it is written, in every language.
    private mutating func checkTexts(of pane: SettingsPane, _ tables: LocalizedTables) {
        guard let table = pane.table, !tables.languages.isEmpty else { return }
        guard let file = schema?.files.first(where: { Path.lastComponent($0) == pane.name + ".plist" }) else { return }
        guard tables.names.contains(table) else {
            findings.append(
                LintFinding(
                    .warning, .missingTable, filePath: file, subject: table,
                    message:
                        "The strings table \(quoted(table)) of StringsTable is in no language of the Settings.bundle.",
                    remedy: "Add the table, or correct the name."))
            return
        }
        var reported: Set<String> = []
        var found = LintFindings()
        for key in pane.elements.flatMap(\.texts)
        // Numbers and signs need no translation.
        where key.contains(where: \.isLetter) && !tables.has(key, in: table) && reported.insert(key).inserted {
            found.add(
                LintFinding(
                    .warning, .undefinedKey, filePath: file, subject: key,
                    message:
                        "The text \(quoted(key.shortened)) is in no table \(quoted(table)) of the Settings.bundle.",
                    remedy: "Add it to the tables, or correct it here."))
        }
        findings += found.all
    }

    // MARK: Sources

    /// Compares the settings that Swift sources name with the schema.
    ///
    /// **Cost.** Reads each source once.
    mutating func check(sources: [String]) {
        for path in SourceFiles(sources).paths where SourceFiles.isSwift(path) == true {
            guard let bytes = SourceFiles.bytes(path) else { continue }
            let uses = SettingUses(SourceTokens(bytes, isSwift: true)).uses
            let wrong = uses.compactMap { use in problem(use).map { (use, $0) } }
            guard !wrong.isEmpty else { continue }
            let source = bytes.withUnsafeBufferPointer { SourceText($0) }
            var found = LintFindings()
            for (use, problem) in wrong {
                let (position, excerpt) = source.place(at: use.offset)
                found.add(
                    LintFinding(
                        .warning, LintFinding.Code(rawValue: PluginError.Code.settingUndeclared.rawValue),
                        filePath: path,
                        place: LintFinding.Place(position, excerpt), subject: use.key, message: problem.message,
                        remedy: problem.remedy))
            }
            findings += found.all
        }
    }

    private func problem(_ use: SettingUses.Use) -> (message: String, remedy: String)? {
        let key = quoted(use.key.shortened)
        guard let schema else {
            return (
                "The code names the setting \(key), and the bundle has no Settings.bundle; the code's own default counts.",
                "Add a Settings.bundle that declares it."
            )
        }
        // Its settings are not known.
        guard !schema.panes.isEmpty else { return nil }
        guard let declaration = schema[use.key] else {
            var suggestions = NameSuggestions()
            let near = suggestions.names(near: use.key, among: schema.declarations.map(\.key), most: 1)
            return (
                "The code names the setting \(key), which the Settings.bundle does not declare; the code's own default counts.",
                near.first.map { "Did you mean \(quoted($0))?" } ?? "Declare it, or correct the key."
            )
        }
        guard let type = use.type, type != declaration.type else { return nil }
        return (
            """
            The code reads the setting \(key) as \(type.words), and the Settings.bundle declares it as \
            \(declaration.type.words); the code's own default counts.
            """,
            "Use the declared type."
        )
    }
}

extension SettingsElement {
    /// The keys of its texts.
    fileprivate var texts: [String] {
        [title, footer].compactMap(\.self) + choices.flatMap { [$0.title, $0.shortTitle].compactMap(\.self) }
    }
}

extension LocalizedTables {
    /// Whether any language has an entry for a key.
    fileprivate func has(_ key: String, in table: String) -> Bool {
        global[table]?.dictionary[key] != nil || languages(with: table).contains { entries(table, $0)[key] != nil }
    }
}

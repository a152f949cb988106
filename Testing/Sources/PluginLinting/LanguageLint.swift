internal import BundleReading
internal import HostBasics
@_spi(Tools) internal import PluginHost
internal import PropertyLists

/// Differences between the localisations that a bundle declares, its directories, and their tables.
struct LanguageLint {
    private let tables: LocalizedTables
    private let manifest: Manifest
    private let infoList: LintedFile?
    /// By a table's name, the languages that need no such table because they have their own nib.
    private let complete: [String: Set<String>]
    private(set) var findings: [LintFinding] = []

    init(
        _ tables: LocalizedTables, manifest: Manifest, infoList: LintedFile?, complete: [String: Set<String>] = [:]
    ) {
        self.complete = complete
        self.tables = tables
        self.manifest = manifest
        self.infoList = infoList
        checkNames()
        checkDeclared()
        checkTables()
    }

    private mutating func checkNames() {
        var first: [LanguageTag: String] = [:]
        for language in tables.languages where language != "Base" {
            let directory = tables.directories[language] ?? ""
            guard let tag = LanguageTag(language)?.canonical, KnownLanguages.contains(tag) else {
                findings.append(
                    LintFinding(
                        .warning, .unknownLanguage, filePath: directory, subject: language,
                        message: "The directory name \(quoted(language)) is not a language.",
                        remedy: "Name it by a BCP 47 tag: “fr.lproj”, “zh-Hant.lproj”."))
                continue
            }
            let earlier = first[tag]
            if earlier == nil { first[tag] = language }
            if let earlier {
                findings.append(
                    LintFinding(
                        .warning, .duplicateLanguage, filePath: directory, subject: language,
                        message: "The localisations \(quoted(earlier)) and \(quoted(language)) are the same language.",
                        remedy: "Put their files into one directory."))
            }
        }
    }

    private mutating func checkDeclared() {
        // If all texts are in the code, or the host supplies them, a bundle has no directories at all.
        guard let infoList, !tables.languages.isEmpty else { return }
        let key = "CFBundleLocalizations"
        var missing = LintFindings()
        for language in manifest.localizations where !tables.hasLanguage(language) {
            missing.add(
                infoList.finding(
                    .warning, .missingLanguage, at: [key], subject: language,
                    "\(key) declares \(quoted(language)), which has no directory “\(language).lproj”.",
                    remedy: "Add the directory, or remove the language."))
        }
        findings += missing.all
        let regionKey = "CFBundleDevelopmentRegion"
        guard let region = manifest.developmentRegion else {
            findings.append(
                infoList.finding(
                    .note, .missingLanguage, at: [], subject: regionKey,
                    "The bundle is localised but has no \(regionKey): its tables are compared with \(compared).",
                    remedy: "Name the language that the bundle was written in."))
            return
        }
        if !tables.hasRegion {
            findings.append(
                infoList.finding(
                    .note, .missingLanguage, at: [regionKey], subject: region,
                    "The development region \(quoted(region)) has no directory “\(region).lproj”: "
                        + "tables are compared with \(compared).",
                    remedy: "Add the directory, unless the keys are the texts of that language."))
        }
    }

    /// What the tables are compared with.
    private var compared: String { tables.references.first.map { "those of \(quoted($0))" } ?? "one another" }

    private mutating func checkTables() {
        for table in tables.names {
            let having = tables.languages(with: table)
            if let global = tables.global[table] {
                for language in having {
                    guard let file = tables.file(table, language) else { continue }
                    findings.append(
                        LintFinding(
                            .warning, .hiddenTable, filePath: file.path, subject: table,
                            message:
                                "The table is never read: \(quoted(global.path)) is outside of the localisations "
                                + "and hides it.",
                            remedy: "Move the outer one into the development region's directory."))
                }
                continue
            }
            guard isExpected(table, having) else { continue }
            for language in tables.languages where !having.contains(language) && !isExcused(language, table, having) {
                findings.append(
                    LintFinding(
                        .warning, .missingTable, filePath: tables.directories[language] ?? "", subject: table,
                        message:
                            "The localisation \(quoted(language)) has no table \(quoted(table)), which is in "
                            + "\(Self.list(having)).",
                        remedy: "Add it."))
            }
        }
    }

    /// Names as a message shows them.
    private static func list(_ names: [String]) -> String {
        shownList(names.lazy.map { quoted($0) }, atMost: 20)
    }

    /// Whether every localisation should have a table: at least one has translated it, and either there is an original
    /// or at least half of the localisations have translated it.
    private func isExpected(_ table: String, _ having: [String]) -> Bool {
        let others = tables.languages.filter { !tables.references.contains($0) }
        let translated = others.count { having.contains($0) && !tables.entries(table, $0).isEmpty }
        // A table without any translation may not be meant for translation.
        return translated > 0 && (tables.reference(of: table) != nil || translated * 2 >= others.count)
    }

    /// Whether a localisation may lack a table.
    private func isExcused(_ language: String, _ table: String, _ having: [String]) -> Bool {
        // The original texts may be in the code, in Info.plist, in an interface file or in Base.lproj.
        if tables.references.contains(language) || LocalizedTables.isForTranslators(language) { return true }
        if complete[table]?.contains(language) ?? false { return true }
        return tables.broader(than: language).contains(where: having.contains)
    }
}

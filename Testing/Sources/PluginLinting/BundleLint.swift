import Glibc
internal import HostBasics
internal import NibReading
@_spi(Tools) internal import PluginHost
internal import PropertyLists

/// One run of a linter over one bundle.
struct BundleLint {
    let bundle: PluginBundle
    let linter: BundleLinter
    private var files: [String] = []
    private var findings: [LintFinding] = []

    init(bundle: PluginBundle, linter: BundleLinter) {
        self.bundle = bundle
        self.linter = linter
    }

    mutating func run() -> LintReport {
        let infoList = lintInfoList()
        let manifest = Manifest(dictionary: infoList?.dictionary ?? [:], path: infoList?.path)
        var resources = ResourceLists()
        if let directory = bundle.resourcePath { resources.gather(directory) }
        findings += resources.findings
        let tables = lint(resources.lists.filter { $0.path != infoList?.path })
        let localizations = LocalizedTables(
            tables: tables, languages: resources.languages, manifest: manifest, infoList: infoList)
        var complete: [String: Set<String>] = [:]
        for nib in resources.nibs {
            if let language = nib.language { complete[nib.name, default: []].insert(language) }
        }
        findings +=
            LanguageLint(localizations, manifest: manifest, infoList: infoList, complete: complete).findings
        // The original of a nib's table is the nib, so skip the tables of nibs.
        findings += TranslationLint(localizations, except: Set(resources.nibs.map(\.name))).findings
        lint(resources.nibs, localizations)
        var settings = SettingsLint(bundle, manifest: manifest)
        settings.check(sources: linter.sources)
        files += settings.files
        findings += settings.findings
        if linter.requiresAllTexts { findings += CompletenessLint(localizations, nibs: resources.nibs).findings }
        if !linter.sources.isEmpty {
            var keys = KeyUseLint(localizations, infoList: infoList, executable: bundle.executablePath)
            keys.run(sources: linter.sources)
            findings += keys.findings
            files += keys.files
        }
        var report = LintReport(path: bundle.bundlePath, files: files, findings: infoListFirst(findings.inOrder))
        report.keys = localizations.allKeys
        return report
    }

    private func infoListFirst(_ findings: [LintFinding]) -> [LintFinding] {
        findings.filter { $0.filePath == bundle.manifestPath } + findings.filter { $0.filePath != bundle.manifestPath }
    }

    /// The bundle's current Info.plist; nil if there is none.
    private mutating func lintInfoList() -> LintedFile? {
        // A file that cannot be examined is not missing: reading it reports the reason.
        if FileIdentity(path: bundle.manifestPath) == nil, ErrorNumber.saysAbsent(errno) {
            findings += (bundle.manifestError?.findings ?? []).map { LintFinding($0, in: nil) }
            return nil
        }
        let file = LintedFile(path: bundle.manifestPath, type: .propertyList)
        files.append(file.path)
        var own = file.findings + InfoListLint.findings(in: file)
        // It was unreadable only when the bundle was opened: the other checks know none of its keys.
        if own.isEmpty { own = (bundle.manifestError?.findings ?? []).map { LintFinding($0, in: nil) } }
        findings += own
        return file
    }

    private mutating func lint(_ nibs: [BundledNib], _ localizations: LocalizedTables) {
        guard !nibs.isEmpty else { return }
        let lists = NibClassLists(of: bundle, files: linter.classLists, plugins: linter.plugins)
        var lint = NibLint(classes: lists.classes, bundle: bundle)
        let read = nibs.compactMap { file in lint.check(path: file.path).map { (file: file, nib: $0) } }
        lint.finish()
        lint.compare(read, localizations)
        files += lint.files
        findings += lists.findings + lint.findings
    }

    /// Checks each file separately, and returns the tables.
    private mutating func lint(_ lists: [ResourceLists.List]) -> [LocalizedTables.Table] {
        var tables: [LocalizedTables.Table] = []
        for list in lists {
            let file = LintedFile(path: list.path, type: list.type)
            files.append(list.path)
            findings += file.findings + TextLint.findings(in: file)
            findings += PluralLint.findings(in: file, language: list.language)
            if list.type != .propertyList {
                tables.append(LocalizedTables.Table(name: list.name, language: list.language, file: file))
            }
        }
        return tables
    }
}

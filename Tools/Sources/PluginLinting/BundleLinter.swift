@_spi(Tools) public import PluginHost
internal import PropertyLists

/// Reads the property lists and strings tables of bundles for their authors: what is wrong in each file, and what does
/// not fit between the languages of a bundle.
///
/// No code of a bundle runs. What a load checks of the executable is no matter here;
/// ``PluginBundle/findings(loadedBy:)`` tells it.
///
/// ```swift
/// for finding in BundleLinter().lint(bundle).findings {
///     print(finding.filePath, finding.place?.line ?? 0, finding.message)
/// }
/// ```
///
/// **Threads.** A value; every member may be used on any thread.
public struct BundleLinter: Sendable {
    /// What a file is read as.
    public enum FileType: String, Sendable, Hashable, CaseIterable {
        case propertyList = "plist"
        case stringsTable = "strings"
        case pluralRules = "stringsdict"

        /// By the extension of a file's name; nil for any other.
        public init?(path: String) {
            guard let dot = path.lastIndex(of: "."), let type = Self(rawValue: String(path[path.index(after: dot)...]))
            else { return nil }
            self = type
        }
    }

    /// Directories and files with the sources of the bundle's code. With any, keys that no source mentions are noted,
    /// and keys that sources ask for and no table has are found.
    public var sources: [String]

    /// A linter that compares with these sources, where there are any.
    public init(sources: [String] = []) {
        self.sources = sources
    }

    /// Looks at every list and table of a bundle.
    ///
    /// 1. Info.plist: its faults, its keys, unknown keys that begin with `PH`.
    /// 2. Every `.plist`, `.strings` and `.stringsdict` among the resources, in every localisation and subdirectory.
    ///    Bundles among the resources are left out, and links to directories are not followed.
    /// 3. The localisations: declared ones without a directory, tables and entries that a translation lacks or that
    ///    only it has, placeholders that differ, texts that were not translated.
    /// 4. With ``sources``, keys that are not used, and keys that are used and not there.
    ///
    /// An entry is compared with that of the development region's localisation, else of `Base`, else of English. Without any
    /// of these, it is compared with its key where keys are texts, else with what most localisations agree upon. What a
    /// broader localisation of the same language has (`pt` for `pt-BR`) is not missing from the narrower one.
    ///
    /// **Cost.** Reads all these files, with memory of some times their size. With ``sources``, a key that is in none of them
    /// is looked for in the executable and in each file that is no source. Of one file at most 100 findings are listed.
    public func lint(_ bundle: PluginBundle) -> LintReport {
        var lint = BundleLint(bundle: bundle, linter: self)
        return lint.run()
    }

    /// Looks at several bundles that share sources.
    ///
    /// Each bundle is compared with its own sources: where one of ``sources`` has a directory of the bundle's name
    /// (`Reporter` for `Reporter.bundle`), these; else all of it. A key that sources of several bundles ask for is found
    /// only where no bundle has it, and once.
    ///
    /// **Cost.** That of ``lint(_:)`` for each bundle.
    /// - Returns: a report on each bundle, in the order given.
    public func lint(_ bundles: [PluginBundle]) -> [LintReport] {
        let own = bundles.map { bundle in sources.map { Self.own($0, named: Path.stem(bundle.bundlePath)) } }
        var reports = zip(bundles, own).map { bundle, own in BundleLinter(sources: own).lint(bundle) }
        let shared = reports.indices.filter { bundles.count > 1 && own[$0] == sources }
        let keys = shared.reduce(into: Set<String>()) { $0.formUnion(reports[$1].keys) }
        var places: Set<String> = []
        for index in shared {
            reports[index].findings.removeAll { finding in
                guard finding.code == .undefinedKey, let key = finding.subject else { return false }
                let place = "\(finding.filePath):\(finding.place?.line ?? 0):\(finding.place?.column ?? 0)"
                return keys.contains(key) || !places.insert(place).inserted
            }
        }
        return reports
    }

    /// The part of a directory of sources that is a bundle's own, where it has one.
    private static func own(_ source: String, named name: String) -> String {
        let part = Path.join(Path.normalized(source) ?? source, name)
        return FileIdentity(path: part)?.isDirectory ?? false ? part : source
    }

    /// Looks at one file.
    ///
    /// - Parameters:
    ///   - path: the file. One that is named `Info.plist` is also looked at as a bundle's.
    ///   - type: what it is read as; nil for what its name says, and a property list for any other name.
    /// - Returns: what was looked at, and every finding.
    public func lint(file path: String, as type: FileType? = nil) -> LintReport {
        let absolute = Path.normalized(path) ?? path
        return report(on: LintedFile(path: absolute, type: type ?? FileType(path: path) ?? .propertyList))
    }

    /// Looks at bytes that are no file.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - type: what it is read as.
    ///   - name: what to call it in the findings.
    /// - Returns: what was looked at, and every finding.
    public func lint(_ bytes: [UInt8], as type: FileType, named name: String) -> LintReport {
        report(on: LintedFile(path: name, type: type, bytes: bytes))
    }

    private func report(on file: LintedFile) -> LintReport {
        var findings = file.findings
        if file.isInfoList { findings += InfoListLint.findings(in: file) }
        findings += TextLint.findings(in: file)
        findings += PluralLint.findings(in: file, language: nil)
        return LintReport(path: file.path, files: [file.path], findings: findings.inOrder)
    }
}

extension [LintFinding] {
    /// By file and place, equal ones as they were found.
    var inOrder: [LintFinding] {
        enumerated().sorted { a, b in
            let (first, second) = (a.element, b.element)
            if first.filePath != second.filePath { return first.filePath < second.filePath }
            let places = (first.place?.sortKey ?? (0, 0), second.place?.sortKey ?? (0, 0))
            return places.0 == places.1 ? a.offset < b.offset : places.0 < places.1
        }.map(\.element)
    }
}

extension LintFinding.Place {
    fileprivate var sortKey: (Int, Int) { (line ?? 0, column ?? byte ?? 0) }
}

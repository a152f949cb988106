@_spi(Tools) public import PluginHost
internal import PropertyLists

/// Checks the property lists and strings tables of bundles for their authors: the faults in each file, and the differences
/// between the languages of a bundle.
///
/// No code of a bundle runs. The linter does not make the checks of a load; ``PluginBundle/findings(loadedBy:)`` does.
///
/// ```swift
/// for finding in BundleLinter().lint(bundle).findings {
///     print(finding.filePath, finding.place?.line ?? 0, finding.message)
/// }
/// ```
///
/// **Threads.** A value; every member may be used on any thread.
public struct BundleLinter: Sendable {
    /// How to read a file.
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

    /// Directories and files with the sources of the bundle's code.
    ///
    /// If there are any, the linter also reports keys that no source mentions, and keys that sources use and no table
    /// has.
    public var sources: [String]

    /// A linter that compares with these sources, if there are any.
    public init(sources: [String] = []) {
        self.sources = sources
    }

    /// Checks every list and table of a bundle.
    ///
    /// 1. Info.plist: its faults, its keys, unknown keys that begin with `PH`.
    /// 2. Every `.plist`, `.strings` and `.stringsdict` among the resources, in every localisation and subdirectory.
    ///    Bundles among the resources are left out, and links to directories are not followed.
    /// 3. The localisations: declared ones without a directory, tables and entries that a translation lacks or that
    ///    only it has, placeholders that differ, texts that were not translated.
    /// 4. With ``sources``, keys that are not used, and keys that are used but do not exist.
    ///
    /// An entry is compared with that of the development region's localisation, else of `Base`, else of English. Without any
    /// of these, it is compared with its key if keys are texts, else with what most localisations agree upon. If a broader
    /// localisation of the same language has an entry (`pt` for `pt-BR`), the narrower one does not miss it.
    ///
    /// **Cost.** Reads all these files and takes several times their size in memory. With ``sources``, a key that is in none of
    /// them is looked for in the executable and in each file that is not a source. At most 100 findings are listed for a file.
    public func lint(_ bundle: PluginBundle) -> LintReport {
        var lint = BundleLint(bundle: bundle, linter: self)
        return lint.run()
    }

    /// Checks several bundles that share sources.
    ///
    /// Each bundle is compared with its own sources: if one of ``sources`` has a directory of the bundle's name
    /// (`Reporter` for `Reporter.bundle`), with that directory, else with all of it. A key that sources of several bundles use
    /// is reported only if no bundle has it, and once.
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

    /// The part of a directory of sources that belongs to one bundle, if there is one.
    private static func own(_ source: String, named name: String) -> String {
        let part = Path.join(Path.normalized(source) ?? source, name)
        return FileIdentity(path: part)?.isDirectory ?? false ? part : source
    }

    /// Checks one file.
    ///
    /// - Parameters:
    ///   - path: the file. If its name is `Info.plist`, its keys are checked too.
    ///   - type: how to read it; nil decides by the name, and any other name means a property list.
    /// - Returns: the files that were read, and every finding.
    public func lint(file path: String, as type: FileType? = nil) -> LintReport {
        let absolute = Path.normalized(path) ?? path
        return report(on: LintedFile(path: absolute, type: type ?? FileType(path: path) ?? .propertyList))
    }

    /// Checks bytes that are not in a file.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - type: how to read them.
    ///   - name: their name in the findings.
    /// - Returns: what was read, and every finding.
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
    /// By file and place; equal places in the order in which they were found.
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

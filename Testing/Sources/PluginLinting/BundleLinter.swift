public import HostBasics
internal import NibReading
@_spi(Tools) public import PluginHost
internal import PropertyLists

/// Checks the property lists, strings tables and nibs of bundles for their authors: the faults in each file, and the
/// differences between the languages of a bundle.
///
/// The linter does not run a bundle's code, and does not make the checks of a load. For these, use
/// ``PluginBundle/findings(loadedBy:)``.
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
        case nib = "xib"

        /// The type for a file name's extension; nil for any other extension.
        public init?(path: String) {
            if BundledNib.isNib(path) {
                self = .nib
                return
            }
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
    /// Files in the format of NibClasses.plist that list the application's classes.
    ///
    /// Nibs of every bundle may name them.
    public var classLists: [String]
    /// Directories to search for required bundles that are not beside the bundle.
    ///
    /// Nibs may name the classes of required bundles.
    public var plugins: [String]

    /// Whether every localisation must have a text for every key that another one has, even if the code or Info.plist
    /// has the text too.
    ///
    /// A gap is an error of code `missingText`. Default: false.
    public var requiresAllTexts = false

    /// Creates a linter that also checks against these sources and classes.
    public init(sources: [String] = [], classLists: [String] = [], plugins: [String] = []) {
        self.sources = sources
        self.classLists = classLists
        self.plugins = plugins
    }

    /// Checks every list and table of a bundle.
    ///
    /// 1. Info.plist: its faults, its keys, unknown keys that begin with `PH`.
    /// 2. Every `.plist`, `.strings` and `.stringsdict` among the resources, in every localisation and subdirectory.
    ///    Bundles among the resources are left out, and links to directories are not followed. Storyboards, string
    ///    catalogues and XLIFF files, which no bundle reads, are warnings.
    /// 3. The localisations: declared ones without a directory, tables and entries that a translation lacks or that
    ///    only it has, placeholders that differ, texts that were not translated.
    /// 4. Every nib: its document, and everything that would stop the nib from being instantiated. The known classes
    ///    are those in NibClasses.plist of the bundle and of the bundles that it requires, and in ``classLists``.
    ///    Tables of nibs are compared with the nibs.
    /// 5. With ``sources``, keys that are not used, and keys that are used but do not exist.
    ///
    /// An entry is compared with the same entry in the development region's localisation, else in `Base`, else in
    /// English. Without any of these, it is compared with its key if keys are texts, else with the form that most
    /// localisations have. If a broader localisation of the same language has an entry (`pt` for `pt-BR`), the narrower
    /// one does not miss it.
    ///
    /// **Cost.** Reads all these files and takes several times their size in memory. With ``sources``, a key that is in
    /// none of them is looked for in the executable and in each file that is not a source. At most 100 findings are
    /// listed for a file.
    public func lint(_ bundle: PluginBundle) -> LintReport {
        var lint = BundleLint(bundle: bundle, linter: self)
        return lint.run()
    }

    /// Checks several bundles that share sources.
    ///
    /// For each of ``sources``, a bundle is compared with the subdirectory of its name (`Reporter` for
    /// `Reporter.bundle`), or with the whole directory if there is no such subdirectory. A key in sources that several
    /// bundles share is reported once, and only if no bundle has it.
    ///
    /// **Cost.** The cost of ``lint(_:)`` for each bundle.
    /// - Returns: a report on each bundle, in the order given.
    public func lint(_ bundles: [PluginBundle]) -> [LintReport] {
        let own = bundles.map { bundle in sources.map { Self.own($0, named: Path.stem(bundle.bundlePath)) } }
        var reports = zip(bundles, own).map { bundle, own in
            BundleLinter(sources: own, classLists: classLists, plugins: plugins).lint(bundle)
        }
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

    /// The subdirectory of a source directory that belongs to one bundle; the whole directory if there is none.
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
        if type == nil, let other = ForeignFile(path: absolute) {
            return LintReport(path: absolute, files: [absolute], findings: [other.finding])
        }
        let type = type ?? FileType(path: path) ?? .propertyList
        if type == .nib { return report(onNib: absolute, bytes: nil) }
        return report(on: LintedFile(path: absolute, type: type))
    }

    /// Checks bytes that are not in a file.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - type: how to read them.
    ///   - name: their name in the findings.
    /// - Returns: what was read, and every finding.
    public func lint(_ bytes: [UInt8], as type: FileType, named name: String) -> LintReport {
        if type == .nib { return report(onNib: name, bytes: bytes) }
        return report(on: LintedFile(path: name, type: type, bytes: bytes))
    }

    /// Everything that would stop the nibs of a bundle from being instantiated: the errors of ``lint(_:)`` about nibs.
    public func nibErrors(of bundle: PluginBundle) -> [LintFinding] {
        let nibs = BundledNib.all(in: bundle)
        guard !nibs.isEmpty else { return [] }
        let lists = NibClassLists(of: bundle, files: classLists, plugins: plugins)
        var lint = NibLint(classes: lists.classes, bundle: bundle)
        for nib in nibs { lint.check(path: nib.path) }
        return (lists.findings + lint.findings).filter { $0.severity == .error }.inOrder
    }

    /// The classes that a bundle's nibs may name, and the elements that stand for them: those in NibClasses.plist of
    /// the bundle and of the bundles that it requires, and in ``classLists``.
    ///
    /// - Returns: the names, the elements that the lists leave out, and the reasons why lists could not be read.
    public func nibClassNames(
        of bundle: PluginBundle
    ) -> (names: Set<String>, elementsLeftOut: Set<String>, unread: [PluginFinding]) {
        let read = NibClassLists(of: bundle, files: classLists, plugins: plugins)
        let lists = read.classes.own + read.classes.required.map(\.list) + read.classes.application
        return (
            lists.flatMap(\.entries).reduce(into: []) { $0.formUnion($1.elements.union([$1.name])) },
            lists.reduce(into: []) { $0.formUnion($1.elementsLeftOut) }, read.unread
        )
    }

    private func report(onNib path: String, bytes: [UInt8]?) -> LintReport {
        let lists = NibClassLists(of: nil, files: classLists, plugins: [])
        var lint = NibLint(classes: lists.classes, bundle: nil)
        lint.check(path: path, bytes: bytes)
        lint.finish()
        return LintReport(path: path, files: lint.files, findings: lists.findings + lint.findings.inOrder)
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
    /// Sorted by file and place.
    ///
    /// Findings at the same place keep their order.
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

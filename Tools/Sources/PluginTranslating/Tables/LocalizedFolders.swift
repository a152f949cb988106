internal import BundleReading
internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) internal import PluginLinting

/// The `.lproj` directories of one set of resources.
struct LocalizedFolders {
    /// The directory that contains them.
    let root: String
    /// The language that the others are translated from.
    let development: String
    /// The language of the development region, or the one that the caller named.
    let region: String
    /// The directory of each language that exists, by the language's name.
    let paths: [String: String]

    /// The languages other than the development language, sorted.
    ///
    /// `Base`, notes to translators and pseudo-languages are not translations.
    var translations: [String] {
        paths.keys.filter { $0 != development && $0 != "Base" && !Self.isArtificial($0) }.sorted()
    }

    /// The directory of a language, which need not exist.
    func path(_ language: String) -> String { paths[language] ?? Path.join(root, language + ".lproj") }

    /// The names of the tables in a directory, sorted: a `.stringsdict` after the `.strings` of the same name.
    static func tables(in folder: String) -> [String] { files(in: folder, [.stringsTable, .pluralRules]) }

    /// The names of the nibs in a directory, sorted.
    static func nibs(in folder: String) -> [String] { files(in: folder, [.nib]) }

    private static func files(in folder: String, _ types: Set<BundleLinter.FileType>) -> [String] {
        DirectoryListing(path: folder).names.filter { name, kind in
            kind != .directory && BundleLinter.FileType(path: name).map(types.contains) ?? false
        }.keys.sorted()
    }

    /// Finds the directories.
    ///
    /// - Parameters:
    ///   - path: an `.lproj` directory, which is then the only one; a directory that contains `.lproj` directories; or
    ///     a bundle or folder of sources with such directories in its resources.
    ///   - language: the development language; nil for the bundle's own, or English.
    init(at path: String, development language: String?) {
        let path = Path.normalized(path) ?? path
        if path.hasSuffix(".lproj") {
            root = Path.parent(path)
            development = String(Path.lastComponent(path).dropLast(".lproj".count))
            region = development
            paths = [development: path]
            return
        }
        var root = path
        var found = Self.folders(in: path)
        var declared: String?
        if let bundle = try? PluginBundle.open(path: path) {
            declared = bundle.developmentLocalization
            if found.isEmpty, let resources = bundle.resourcePath, FileIdentity(path: resources)?.isDirectory ?? false {
                root = resources
                found = Self.folders(in: resources)
            }
        }
        self.root = root
        paths = found
        region = language ?? declared ?? "en"
        let same = Self.spelling(of: region, in: found)
        development = found[same] == nil && found["Base"] != nil ? "Base" : same
    }

    private static func folders(in directory: String) -> [String: String] {
        var folders: [String: String] = [:]
        for (name, kind) in DirectoryListing(path: directory).names where name.hasSuffix(".lproj") && kind != .file {
            folders[String(name.dropLast(".lproj".count))] = Path.join(directory, name)
        }
        return folders
    }

    /// The names of the directories that a translator's language code may mean.
    ///
    /// The rules, of which the first with a result applies: the same name; an equal tag (`English` for `en`); the same
    /// language, script, region and variants, with the usual script and region for a tag that has none (`zh-Hans` for
    /// `zh-CN`, `nb` for `no`, `sr-Latn` for `sr-RS@latin`).
    func names(for language: String) -> [String] {
        if paths[language] != nil { return [language] }
        guard let tag = LanguageTag(language) else { return [] }
        let others = paths.keys.filter { $0 != "Base" }.sorted()
        let same = others.filter { LanguageTag($0)?.canonical == tag.canonical }
        return same.isEmpty ? others.filter { LanguageTag($0)?.likely == tag.likely } : same
    }

    /// The name of a language's directory; for `en` it may be `English`.
    ///
    /// If there is no directory, the language itself.
    private static func spelling(of language: String, in folders: [String: String]) -> String {
        if folders[language] != nil { return language }
        let meant = LanguageTag(language)?.canonical
        return folders.keys.filter { $0 != "Base" }.sorted().first { LanguageTag($0)?.canonical == meant } ?? language
    }

    /// Whether a name can be the name of a file in a directory, and does not lead elsewhere.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 200
            && name.utf8.allSatisfy { $0 != UInt8(ascii: "/") && $0 >= 0x20 && $0 != 0x7F }
    }

    /// Checks the development language, named by the caller or by the bundle's Info.plist, before anything is written
    /// to its directory.
    ///
    /// - Throws: a finding unless the directory exists or the name is a language.
    func requireLanguage() throws(LintFinding) {
        if paths[development] != nil { return }
        guard Self.isName(development), LanguageTag(development) != nil else {
            throw LintFinding(
                .error, .unknownLanguage, filePath: root, subject: development,
                message: "The development language \(quoted(development)) is not a language.",
                remedy: "Name it by its code, such as en or pt-BR, in CFBundleDevelopmentRegion or by --language.")
        }
    }

    /// Whether a name is that of a pseudo-language, `en-XA`, or of notes to translators, `qqq`.
    private static func isArtificial(_ name: String) -> Bool {
        let tag = LanguageTag(name)?.description ?? ""
        return LocalizedTables.isForTranslators(name) || tag.hasSuffix("-XA") || tag.hasSuffix("-XB")
    }
}

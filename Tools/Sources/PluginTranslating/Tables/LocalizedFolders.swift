@_spi(Tools) internal import PluginHost
internal import PluginLinting

/// The `.lproj` directories of one set of resources.
struct LocalizedFolders {
    /// The directory that contains them.
    let root: String
    /// The language that the others are translated from.
    let development: String
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

    /// Finds the directories.
    ///
    /// - Parameters:
    ///   - path: an `.lproj` directory, which then is the only one; a directory that contains some; or a bundle, or a folder
    ///     of sources, with them in its resources.
    ///   - language: the development language; nil for the bundle's own, or English.
    init(at path: String, development language: String?) {
        let path = Path.normalized(path) ?? path
        if path.hasSuffix(".lproj") {
            root = Path.parent(path)
            development = String(Path.lastComponent(path).dropLast(".lproj".count))
            paths = [development: path]
            return
        }
        var root = path
        var found = Self.folders(in: path)
        var region: String?
        if let bundle = try? PluginBundle.open(path: path) {
            region = bundle.developmentLocalization
            if found.isEmpty, let resources = bundle.resourcePath, FileIdentity(path: resources)?.isDirectory ?? false {
                root = resources
                found = Self.folders(in: resources)
            }
        }
        self.root = root
        paths = found
        development = Self.spelling(of: language ?? region ?? "en", in: found)
    }

    private static func folders(in directory: String) -> [String: String] {
        var folders: [String: String] = [:]
        for (name, kind) in DirectoryListing(path: directory).names where name.hasSuffix(".lproj") && kind != .file {
            folders[String(name.dropLast(".lproj".count))] = Path.join(directory, name)
        }
        return folders
    }

    /// The name of the language's directory: `en` may be `English`, or `Base` without any.
    private static func spelling(of language: String, in folders: [String: String]) -> String {
        if folders[language] != nil { return language }
        let meant = LanguageTag(language)?.canonical
        let others = folders.keys.filter { $0 != "Base" }.sorted()
        if let same = others.first(where: { LanguageTag($0)?.canonical == meant }) { return same }
        return folders["Base"] == nil ? language : "Base"
    }

    /// Whether a name is that of a pseudo-language, `en-XA`, or of notes to translators, `qqq`.
    private static func isArtificial(_ name: String) -> Bool {
        let tag = LanguageTag(name)?.description ?? ""
        return LocalizedTables.isForTranslators(name) || tag.hasSuffix("-XA") || tag.hasSuffix("-XB")
    }
}

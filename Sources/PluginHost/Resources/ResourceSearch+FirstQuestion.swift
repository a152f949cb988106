import Glibc

/// The first question to a bundle, answered without reading a directory.
///
/// Many bundles are asked for one file, an icon in a list of plug-ins. For that the search would read two directories and
/// find out which of the bundle's languages fit the user. Where the file stands where nearly all do, it is there for
/// who asks by name. Later questions read the directories, which answer all that come after them.
extension ResourceSearch {
    /// What the search finds, or nil where only the search can tell.
    ///
    /// The file is looked for among the global resources, which go first, and then in the user's first language: a
    /// localisation of that very name goes before all others (``LanguageMatcher``, rule 1). Without a language of the
    /// user the development region is that language.
    mutating func answerByName(_ query: ResourceQuery, _ run: inout Run) -> FoundResource? {
        guard query.localization == nil, preference.suffixes.count == 1, let meaning = query.meaning,
            meaning.directory.isEmpty, let file = meaning.name?.full, Self.hasOneSpelling(file),
            let directory = directories.first
        else { return nil }
        if let found = answerByName(file, meaning, in: directory, &run) {
            return Self.isListed(directory) ? found : nil
        }
        // What cannot be looked at may be there, and would go first.
        guard run.failures.isEmpty else { return nil }
        guard let language = settings.effectiveLanguages.first ?? settings.developmentRegion,
            SearchOrder.isUsable(language), Self.hasOneSpelling(language)
        else { return nil }
        let folder = Path.join(directory, language + NameMark.localization)
        let found = answerByName(file, meaning, in: folder, &run)
        return found != nil && Self.isListed(directory) && Self.isListed(folder) ? found : nil
    }

    /// Nil also where the file cannot be looked at: the search reports why.
    private mutating func answerByName(
        _ file: String, _ meaning: ResourceQuery.Meaning, in folder: String, _ run: inout Run
    ) -> FoundResource? {
        guard let kind = kind(of: Path.join(folder, file), &run) else { return nil }
        for variant in meaning.name?.forPlatform("") ?? [] {
            if let kind = self.kind(of: Path.join(folder, variant), &run) {
                return FoundResource(DirectoryListing.Item(name: variant, kind: kind), in: folder)
            }
        }
        return FoundResource(DirectoryListing.Item(name: file, kind: kind), in: folder)
    }

    /// Whether a name in a directory equals this one only if its bytes do: it is ASCII, without the characters that are
    /// others' normal forms (of U+037E, U+212A and U+1FEF).
    private static func hasOneSpelling(_ name: String) -> Bool {
        name.utf8.allSatisfy { byte in
            byte < 0x80 && byte != UInt8(ascii: ";") && byte != UInt8(ascii: "K") && byte != UInt8(ascii: "`")
        }
    }

    /// Whether a directory can be read. The search finds nothing in one that may only be entered.
    private static func isListed(_ folder: String) -> Bool { faccessat(AT_FDCWD, folder, R_OK, AT_EACCESS) == 0 }
}

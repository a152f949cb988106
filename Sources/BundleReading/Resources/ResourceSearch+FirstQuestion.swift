import Glibc
import HostBasics

/// The first question to a bundle, answered without reading a directory.
///
/// Many bundles are asked for only one file, such as an icon in a list of plug-ins. For that the search would read two
/// directories and determine which of the bundle's languages fit the user. If the file is in the usual place, checking
/// its name is enough. Later questions read the directories, whose content then answers all following ones.
extension ResourceSearch {
    /// The result of the search, or nil if the full search is needed.
    ///
    /// The file is searched among the resources for all languages, which come first, and then in the user's first
    /// language: a localisation with exactly that name is preferred to all others (``LanguageMatcher``, rule 1). If the
    /// user has no language, the development region is used.
    mutating func answerByName(_ query: ResourceQuery, _ run: inout Run) -> FoundResource? {
        guard query.localization == nil, preference.suffixes.count == 1, let meaning = query.meaning,
            meaning.directory.isEmpty, let file = meaning.name?.full, Self.hasOneSpelling(file),
            let directory = directories.first
        else { return nil }
        if let found = answerByName(file, meaning, in: directory, &run) {
            return Self.isListed(directory) ? found : nil
        }
        // An item that cannot be examined may exist, and would then come first.
        guard run.failures.isEmpty else { return nil }
        guard let language = settings.effectiveLanguages.first ?? settings.developmentRegion,
            SearchOrder.isUsable(language), Self.hasOneSpelling(language)
        else { return nil }
        let folder = Path.join(directory, language + NameMark.localization)
        let found = answerByName(file, meaning, in: folder, &run)
        return found != nil && Self.isListed(directory) && Self.isListed(folder) ? found : nil
    }

    /// Also nil if the file cannot be examined; the full search then reports why.
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

    /// Whether a name in a directory equals this one only if its bytes do: it must be ASCII, without the characters
    /// that are normal forms of others (U+037E, U+212A and U+1FEF).
    private static func hasOneSpelling(_ name: String) -> Bool {
        name.utf8.allSatisfy { byte in
            byte < 0x80 && byte != UInt8(ascii: ";") && byte != UInt8(ascii: "K") && byte != UInt8(ascii: "`")
        }
    }

    /// Whether the names in a directory can be read.
    ///
    /// The search finds nothing in a directory that may only be entered.
    private static func isListed(_ folder: String) -> Bool { faccessat(AT_FDCWD, folder, R_OK, AT_EACCESS) == 0 }
}

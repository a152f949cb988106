import CatalogIndexing
import HostBasics

extension PluginCatalog {
    /// The plug-ins that open a file, by its name.
    ///
    /// The order is: the rank that the plug-in claims (`LSHandlerRank`: Owner, Default, Alternate); the longer
    /// extension (`tar.gz` before `gz`); a type before the types to which it conforms; the search path; the identifier.
    /// Case does not matter. Known types are those of usable plug-ins and of the application, and Apple's most common
    /// ones; docs/bundle-format.md, "Documents", lists the rules.
    ///
    /// - Parameter name: a file's name or path. The file is not read and need not exist.
    /// - Returns: each plug-in once; none if nobody opens such a file.
    ///
    /// **Cost.** Some binary searches, and decoding the record of each plug-in that it returns. The answers for 1,000
    /// plug-ins are kept; asking again costs about a microsecond.
    public func plugins(opening name: String) -> [PluginDescription] {
        let index = current
        return index.openings(ofName: Path.lastComponent(name), host: Self.hostTypes).map { description($0, in: index) }
    }

    /// The plug-ins that open documents of a type, in the order of ``plugins(opening:)``.
    ///
    /// - Parameter type: a MIME type such as `audio/midi`, a family such as `audio/*`, or the identifier of a type such
    ///   as `public.midi-audio`.
    /// - Returns: each plug-in once; none if nobody opens the type.
    ///
    /// **Cost.** As for ``plugins(opening:)``.
    public func plugins(openingType type: String) -> [PluginDescription] {
        let index = current
        return index.openings(ofType: type, host: Self.hostTypes).map { description($0, in: index) }
    }

    /// What the application's own Info.plist declares.
    private static var hostTypes: [Manifest.TypeDeclaration] { BundleOpening.main.manifest.typeDeclarations }

    /// The description with the record that was decoded for the question.
    private func description(_ opening: CatalogIndex.Opening, in index: CatalogIndex) -> PluginDescription {
        let candidate = PluginCandidate(index, index.candidateRow(opening.candidate), opening.record)
        return PluginDescription(.catalog(self), candidate, number: opening.candidate)
    }
}

import ELFImages

extension LoadedLibraries {
    /// The executable files of the loaded bundles.
    static var ofPlugins: Set<String> {
        Set(BundleTable.shared.libraryBases.compactMap { path(ofLibraryAt: $0) })
    }
}

import ELFImages

extension LoadedImages {
    /// The executable files of the loaded bundles.
    static var ofPlugins: Set<String> {
        Set(BundleTable.shared.imageBases.compactMap { path(ofImageAt: $0) })
    }
}

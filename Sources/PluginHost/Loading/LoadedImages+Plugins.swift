extension LoadedImages {
    /// The files of the plug-ins that bundles have brought in.
    static var ofPlugins: Set<String> {
        Set(BundleTable.shared.imageBases.compactMap { path(ofImageAt: $0) })
    }
}

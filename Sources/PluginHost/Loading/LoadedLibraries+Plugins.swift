import ELFImages

extension LoadedLibraries {
    /// The executable files of the loaded bundles.
    static var ofPlugins: Set<String> {
        Set(BundleTable.shared.libraryBases.compactMap { path(ofLibraryAt: $0) })
    }
}

extension ELFSurroundings {
    /// This process with its plug-ins, as a bundle finds it that is loaded next.
    static var process: ELFSurroundings {
        .currentProcess(
            pluginLibraries: LoadedLibraries.ofPlugins, carriedLibraries: CarriedNames.shared.paths)
    }
}

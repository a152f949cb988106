import CPluginSupport.Shims

extension LoadedLibraries {
    /// The path of the loaded file that contains an address, as the dynamic linker spells it.
    package static func path(containing address: UnsafeRawPointer) -> String? {
        var library = phs_library()
        guard phs_library_of_address(address, &library), let path = library.path else { return nil }
        return String(validatingCString: path)
    }

    /// The path of the loaded file that begins at an address.
    package static func path(ofLibraryAt base: UInt) -> String? {
        UnsafeRawPointer(bitPattern: base).flatMap { path(containing: $0) }
    }
}

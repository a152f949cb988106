import CPluginSupport.Shims

extension LoadedImages {
    /// The path of the loaded file that contains an address, as the dynamic linker spells it.
    package static func path(containing address: UnsafeRawPointer) -> String? {
        var image = phs_image()
        guard phs_image_of_address(address, &image), let path = image.path else { return nil }
        return String(validatingCString: path)
    }

    /// The path of the loaded file that begins at an address.
    package static func path(ofImageAt base: UInt) -> String? {
        UnsafeRawPointer(bitPattern: base).flatMap { path(containing: $0) }
    }
}

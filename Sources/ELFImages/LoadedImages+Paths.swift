import CPluginSupport.Shims

extension LoadedImages {
    /// The file of the image that contains an address, under the dynamic linker's name for it.
    package static func path(containing address: UnsafeRawPointer) -> String? {
        var image = phs_image()
        guard phs_image_of_address(address, &image), let path = image.path else { return nil }
        return String(validatingCString: path)
    }

    /// The file of the image that begins at an address.
    package static func path(ofImageAt base: UInt) -> String? {
        UnsafeRawPointer(bitPattern: base).flatMap { path(containing: $0) }
    }
}

import Synchronization

/// An image that a bundle has, found by its name.
///
/// A nib and code that ask a bundle for one name get one object, until the file, the device or the scale changes.
///
/// **Threads.** Any.
public final class NamedImage: Sendable, Hashable {
    /// The format of an image's file, by what the file begins with.
    public enum Format: String, Sendable, Hashable {
        case png, jpeg, gif, webp, svg, tiff, bmp
        /// Another one, or none that is known.
        case other
    }

    /// The name that it was found by, without the marks of its variant.
    public let name: String
    /// The absolute path of the file.
    public let path: String
    /// Pixels to a point: 2 for `seal@2x.png`.
    public let scale: Int
    /// The device that the file is for: `phone` for `seal~phone.png`; nil for any.
    public let device: String?
    /// The format of the file.
    public let format: Format
    /// The measures in pixels, from the head of a PNG, JPEG, GIF, WebP or BMP file; nil for other formats and for a head that
    /// cannot be read.
    public let pixelSize: NibSize?
    private let source: any MediaBytes
    /// What ``decoded(_:)`` made, by its type.
    private let results = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// For the host.
    @_spi(PluginHost)
    public init(
        name: String, path: String, scale: Int, device: String?, format: Format, pixelSize: NibSize?,
        source: any MediaBytes
    ) {
        self.name = name
        self.path = path
        self.scale = scale
        self.device = device
        self.format = format
        self.pixelSize = pixelSize
        self.source = source
    }

    /// The measures in points: ``pixelSize`` divided by ``scale``.
    public var size: NibSize? {
        pixelSize.map { NibSize(width: $0.width / Double(scale), height: $0.height / Double(scale)) }
    }

    /// Whether the name ends in `Template`: then the image is a shape that the application fills with its own colour.
    public var isTemplate: Bool { name.hasSuffix("Template") }

    /// The content of the file.
    ///
    /// - Throws: an error that names the file if it is gone, cannot be read, or is larger than the host allows: 64 MiB.
    ///
    /// **Cost.** None while the bytes are kept: those of all images and sounds that were used last, 64 MiB together.
    public func bytes() throws -> [UInt8] { try source.bytes() }

    /// What the application makes of the file: made once for each type, and kept as long as this object.
    ///
    /// - Parameter make: makes it, such as a texture of ``bytes()``. Of two threads that come at once, both may make one, and
    ///   both get the first.
    /// - Returns: what was made.
    /// - Throws: what `make` throws; nothing is kept then.
    public func decoded<Picture: AnyObject & Sendable>(_ make: (NamedImage) throws -> Picture) rethrows -> Picture {
        let key = ObjectIdentifier(Picture.self)
        if let known = results.withLock({ $0[key] }) { return unsafeDowncast(known, to: Picture.self) }
        let made = try make(self)
        let kept: any AnyObject & Sendable = results.withLock { results in
            if let first = results[key] { return first }
            results[key] = made
            return made
        }
        return unsafeDowncast(kept, to: Picture.self)
    }

    /// Whether both are one object.
    public static func == (a: NamedImage, b: NamedImage) -> Bool { a === b }
    /// Feeds what equality compares into the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A sound that a bundle has, found by its name.
///
/// As ``NamedImage``. **Threads.** Any.
public final class NamedSound: Sendable, Hashable {
    /// The format of a sound's file, by what the file begins with.
    public enum Format: String, Sendable, Hashable {
        case wav, ogg, flac, mp3, aiff, au
        /// Another one, or none that is known.
        case other
    }

    /// The name that it was found by, without the marks of its variant.
    public let name: String
    /// The absolute path of the file.
    public let path: String
    /// The format of the file.
    public let format: Format
    private let source: any MediaBytes

    /// For the host.
    @_spi(PluginHost)
    public init(name: String, path: String, format: Format, source: any MediaBytes) {
        self.name = name
        self.path = path
        self.format = format
        self.source = source
    }

    /// The content of the file, as ``NamedImage/bytes()``.
    public func bytes() throws -> [UInt8] { try source.bytes() }

    /// Whether both are one object.
    public static func == (a: NamedSound, b: NamedSound) -> Bool { a === b }
    /// Feeds what equality compares into the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Where the host has the bytes of a file.
@_spi(PluginHost)
public protocol MediaBytes: AnyObject, Sendable {
    func bytes() throws -> [UInt8]
}

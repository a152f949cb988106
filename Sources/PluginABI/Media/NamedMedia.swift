import Synchronization

/// An image of a bundle, found by its name.
///
/// A nib and code that request the same name from a bundle get the same object, until the file, the device or the scale
/// changes.
///
/// **Threads.** Any.
public final class NamedImage: Sendable, Hashable {
    /// The format of an image file, detected from its first bytes.
    public enum Format: String, Sendable, Hashable {
        case png, jpeg, gif, webp, svg, tiff, bmp
        /// Any other or unknown format.
        case other
    }

    /// The name by which the image was found, without the markers of device and scale.
    public let name: String
    /// The absolute path of the file.
    public let path: String
    /// Pixels per point: 2 for `seal@2x.png`.
    public let scale: Int
    /// The device that the file is for: `phone` for `seal~phone.png`; nil for any.
    public let device: String?
    /// The format of the file.
    public let format: Format
    /// The size in pixels, from the header of a PNG, JPEG, GIF, WebP or BMP file; nil for other formats and for an
    /// unreadable header.
    public let pixelSize: NibSize?
    private let source: any MediaBytes
    /// The results of ``decoded(_:)``, by type.
    private let results = Mutex<[ObjectIdentifier: any Sendable]>([:])

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

    /// The size in points: ``pixelSize`` divided by ``scale``.
    public var size: NibSize? {
        pixelSize.map { NibSize(width: $0.width / Double(scale), height: $0.height / Double(scale)) }
    }

    /// Whether the name ends in `Template`: such an image is a shape that the application fills with its own colour.
    public var isTemplate: Bool { name.hasSuffix("Template") }

    /// The content of the file.
    ///
    /// - Throws: an error that names the file if it no longer exists, cannot be read, or is larger than the host's
    ///   limit, which is 64 MiB by default.
    ///
    /// **Cost.** None while the bytes are cached. The cache keeps the most recently used images and sounds, 64 MiB in
    /// total.
    public func bytes() throws -> [UInt8] { try source.bytes() }

    /// The application's decoded form of the file: made once for each type, and kept as long as this object exists.
    ///
    /// - Parameter make: makes the decoded form, such as a texture, from ``bytes()``. If two threads call at the same
    ///   time, both may run `make`; both get the first result.
    /// - Returns: the decoded form.
    /// - Throws: the error of `make`; nothing is kept in this case.
    public func decoded<Picture: AnyObject & Sendable>(_ make: (NamedImage) throws -> Picture) rethrows -> Picture {
        let key = ObjectIdentifier(Picture.self)
        if let known = results.withLock({ $0[key] }) { return known as! Picture }
        let made = try make(self)
        let kept: any Sendable = results.withLock { results in
            if let first = results[key] { return first }
            results[key] = made
            return made
        }
        // The key is the type.
        return kept as! Picture
    }

    /// Whether both are the same object.
    public static func == (a: NamedImage, b: NamedImage) -> Bool { a === b }
    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A sound of a bundle, found by its name.
///
/// Otherwise like ``NamedImage``. **Threads.** Any.
public final class NamedSound: Sendable, Hashable {
    /// The format of a sound file, detected from its first bytes.
    public enum Format: String, Sendable, Hashable {
        case wav, ogg, flac, mp3, aiff, au
        /// Any other or unknown format.
        case other
    }

    /// The name by which the sound was found.
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

    /// The content of the file; same rules as ``NamedImage/bytes()``.
    public func bytes() throws -> [UInt8] { try source.bytes() }

    /// Whether both are the same object.
    public static func == (a: NamedSound, b: NamedSound) -> Bool { a === b }
    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Gives the bytes of a file, from the host.
@_spi(PluginHost)
public protocol MediaBytes: AnyObject, Sendable {
    func bytes() throws -> [UInt8]
}

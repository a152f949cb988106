internal import PropertyLists

/// The limits of a nib, and of its images and sounds.
///
/// A nib that exceeds one has the error `nibUnreadable`, before any object is created.
///
/// The largest values in 410 nibs of open projects were half a mebibyte, 3,773 elements, 885 objects and 566
/// connections.
public struct NibLimits: Sendable, Hashable {
    /// The largest file, in bytes: 4 MiB.
    public var size = 4 << 20
    /// How deep elements may nest: 128.
    public var depth = 128
    /// How many elements there may be: 100,000.
    public var elements = 100_000
    /// How many objects a nib may create: 4,096.
    ///
    /// File's Owner, First Responder and placeholders do not count, nor do objects that are left out. A chain of strong
    /// outlets through all objects is released recursively, and each object takes stack: at this limit less than 1 MiB
    /// in optimised code, and less than 2 MiB in unoptimised code.
    public var objects = 4_096
    /// How many connections there may be: 20,000.
    public var connections = 20_000
    /// The longest text, in bytes: 1 MiB.
    public var text = 1 << 20
    /// How many images and sounds a nib may list: 1,000.
    public var resources = 1_000
    /// The largest file of an image or sound, in bytes: 64 MiB.
    ///
    /// A larger file is treated as missing, which is logged as `nibResourceMissing`.
    public var media = 64 << 20

    /// Creates the default limits.
    public init() {}

    var document: XMLDocument.Limits {
        XMLDocument.Limits(size: size, depth: min(depth, Self.deepest), elements: elements, text: text)
    }

    /// The deepest nesting that is allowed, because the document's objects are visited by recursion.
    private static let deepest = 512
}

/// How much a reader accepts.
///
/// A list from a stranger's bundle is read before anything shows that it can be trusted. So each limit is checked
/// before memory is allocated.
public struct PropertyListLimits: Sendable, Hashable {
    /// The largest file, in bytes.
    public var size: Int
    /// How deep arrays and dictionaries may be nested; the outermost one has depth 1.
    ///
    /// Values above ``deepestSupported`` are reduced to it, because comparing and releasing a value are recursive in
    /// the standard library.
    public var depth: Int
    /// How many values and keys a list may contain.
    ///
    /// Shared parts of a binary list count each time they are referred to, because code that walks the list meets them
    /// each time.
    public var nodes: Int

    /// The greatest ``depth`` that has an effect.
    public static let deepestSupported = 512

    /// Creates limits.
    public init(size: Int = 1 << 20, depth: Int = 64, nodes: Int = 100_000) {
        self.size = size
        self.depth = depth
        self.nodes = nodes
    }

    /// The limits for an Info.plist: 1 MiB, depth 64, 100,000 values and keys.
    public static let standard = PropertyListLimits()

    /// The limits for a strings table: 32 MiB, depth 64, two million keys with their values.
    public static let stringsTable = PropertyListLimits(size: 32 << 20, depth: 64, nodes: 4_000_000)

    /// The depth that is enforced.
    var effectiveDepth: Int { min(depth, Self.deepestSupported) }
}

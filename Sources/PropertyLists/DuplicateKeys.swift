/// A key that its dictionary has already.
public struct DuplicateKey: Sendable, Hashable {
    /// The key.
    public let name: String
    /// The key of the outermost dictionary that it stands under; the key itself where it stands in that one.
    public let outermost: String
    /// Where it stands the second time, or a further one.
    public let position: PropertyListFault.Position
    /// Whether it has the value that counts, that of the first.
    public let hasSameValue: Bool

    /// A key with all its parts.
    public init(name: String, outermost: String, position: PropertyListFault.Position, hasSameValue: Bool) {
        self.name = name
        self.outermost = outermost
        self.position = position
        self.hasSameValue = hasSameValue
    }
}

/// The keys that a list has more than once.
///
/// Two keys are one if their bytes are: those that differ in their Unicode form only are two keys, of which a Swift
/// dictionary holds the first.
public struct DuplicateKeys: Sendable, Hashable {
    /// The first ones in the order of the file, as many as a report lists.
    public internal(set) var listed: [DuplicateKey] = []
    /// How many there are beside those.
    public internal(set) var further = 0
    /// Whether one of those has another value than the first of its name.
    public internal(set) var furtherDiffer = false

    /// A list without such keys.
    public init() {}

    /// Whether there are none.
    public var isEmpty: Bool { listed.isEmpty && further == 0 }
}

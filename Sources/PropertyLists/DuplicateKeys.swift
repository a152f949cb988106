import Glibc

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

extension [String: PropertyList] {
    /// Enters a value by the policy for equal keys. `mayRepeat`: whether the key is likely to be there; then it is looked
    /// for first, and not put in and out again.
    ///
    /// - Returns: for a key that is there already, whether it has the same value; nil for a new one, and for one that is
    ///   spelt with other bytes.
    mutating func enter(
        _ value: PropertyList, forKey key: String, _ policy: TreeBuilder.DuplicatePolicy, mayRepeat: Bool
    ) -> Bool? {
        guard policy == .keepFirst else { return updateValue(value, forKey: key).map { $0 == value } }
        if mayRepeat, let index = index(forKey: key) {
            return keys[index].hasBytes(of: key) ? values[index] == value : nil
        }
        guard let first = updateValue(value, forKey: key), let index = index(forKey: key) else { return nil }
        values[index] = first
        // The dictionary keeps the spelling of the first.
        return keys[index].hasBytes(of: key) ? first == value : nil
    }
}

extension String {
    /// By memcmp(), because comparing views of UTF-8 takes ten times as long, and thousands of keys may be equal.
    fileprivate func hasBytes(of other: String) -> Bool {
        let (own, others) = (utf8, other.utf8)
        guard own.count == others.count else { return false }
        let isEqual = own.withContiguousStorageIfAvailable { own in
            others.withContiguousStorageIfAvailable { others in
                others.isEmpty || memcmp(own.baseAddress!, others.baseAddress!, others.count) == 0
            }
        }
        return isEqual.flatMap(\.self) ?? own.elementsEqual(others)
    }
}

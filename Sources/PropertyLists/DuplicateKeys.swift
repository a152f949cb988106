import Glibc

/// A key that already exists in its dictionary.
public struct DuplicateKey: Sendable, Hashable {
    /// The key.
    public let name: String
    /// The key of the outermost dictionary that contains it; the key itself if it is in that dictionary.
    public let outermost: String
    /// The position of its second or a further occurrence.
    public let position: PropertyListFault.Position
    /// Whether it has the same value as the first occurrence, whose value is used.
    public let hasSameValue: Bool

    /// Creates a key with all its parts.
    public init(name: String, outermost: String, position: PropertyListFault.Position, hasSameValue: Bool) {
        self.name = name
        self.outermost = outermost
        self.position = position
        self.hasSameValue = hasSameValue
    }
}

/// The keys that a list has more than once.
///
/// Two keys are equal if their bytes are equal. Keys that differ only in their Unicode form are two keys, but a Swift
/// dictionary contains only the first of them.
public struct DuplicateKeys: Sendable, Hashable {
    /// The first ones in the order of the file, as many as a report lists.
    public internal(set) var listed: [DuplicateKey] = []
    /// How many there are in addition to ``listed``.
    public internal(set) var further = 0
    /// Whether one of the further keys has a different value than the first occurrence.
    public internal(set) var furtherDiffer = false

    /// The first key that was left out because an earlier key differs from it only in the Unicode form; nil if there is
    /// none.
    public internal(set) var otherForm: String?

    /// A list without repeated keys.
    public init() {}

    /// Whether no key is repeated.
    public var isEmpty: Bool { listed.isEmpty && further == 0 }
}

/// What a dictionary already has under a key.
enum KeyRepetition {
    /// Nothing, so the value was added.
    case none
    case sameValue
    case otherValue
    /// A value under a key that has other bytes, but differs only in the Unicode form.
    case otherForm

    fileprivate init(isSameValue: Bool) { self = isSameValue ? .sameValue : .otherValue }
}

extension [String: PropertyList] {
    /// Adds a value according to the policy for equal keys.
    ///
    /// `mayRepeat`: whether the key probably exists already; then it is looked up first, instead of being inserted and
    /// removed again.
    mutating func enter(
        _ value: PropertyList, forKey key: String, _ policy: TreeBuilder.DuplicatePolicy, mayRepeat: Bool
    ) -> KeyRepetition {
        guard policy == .keepFirst else {
            return updateValue(value, forKey: key).map { KeyRepetition(isSameValue: $0 == value) } ?? .none
        }
        if mayRepeat, let index = index(forKey: key) {
            return keys[index].hasBytes(of: key) ? KeyRepetition(isSameValue: values[index] == value) : .otherForm
        }
        guard let first = updateValue(value, forKey: key), let index = index(forKey: key) else { return .none }
        values[index] = first
        // The dictionary keeps the spelling of the first key.
        return keys[index].hasBytes(of: key) ? KeyRepetition(isSameValue: first == value) : .otherForm
    }
}

extension String {
    /// Uses memcmp(), because comparing views of UTF-8 takes ten times as long, and thousands of keys may be equal.
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

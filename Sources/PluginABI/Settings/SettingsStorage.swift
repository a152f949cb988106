import Synchronization

/// The current values of a plug-in's settings.
///
/// The schema fixes the keys and their types. So each number has a word of its own that never moves, which is read
/// without a lock, and no reader can hold a snapshot that would have to be freed later. Texts are read under a lock. All
/// changes are made under it, so that ``all`` has the values of one moment.
///
/// **Threads.** Any.
@_spi(PluginHost)
public final class SettingsStorage: @unchecked Sendable {
    // @unchecked because of the pointer: it is set in init only, and its words are atomic.

    @usableFromInline
    enum Kind: UInt8 {
        case boolean, integer, real, text
    }

    private let keys: [String]
    private let kinds: [Kind]
    /// The numbers of the keys by their bytes, and by what Swift calls equal.
    private let index: SettingsIndex
    private let numbers: [String: Int]
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let texts: ObservedMutex<[String]>

    /// - Parameter values: a value for each key of the schema.
    public init(_ values: [String: SettingScalar]) {
        let words = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: max(values.count, 1))
        var keys: [String] = [], kinds: [Kind] = [], texts: [String] = []
        for (number, (key, value)) in values.enumerated() {
            (words + number).initialize(to: Atomic(value.bits))
            keys.append(key)
            kinds.append(value.kind)
            texts.append(value.textOrEmpty)
        }
        self.words = words
        self.keys = keys
        self.kinds = kinds
        index = SettingsIndex(keys)
        numbers = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
        self.texts = ObservedMutex(texts)
    }

    deinit {
        words.deinitialize(count: keys.count)
        words.deallocate()
    }

    @inline(__always)
    private func number(of key: String) -> Int? { index.number(of: key) ?? otherNumber(of: key) }

    /// The number of a key with other bytes; most keys that come here are not declared.
    @inline(never)
    private func otherNumber(of key: String) -> Int? { numbers[key] }

    /// The number for a key, as bits; nil if the schema lacks the key or gives it another type.
    @inline(__always)
    func bits(_ key: String, _ kind: Kind) -> UInt64? {
        guard let number = number(of: key), kinds[number] == kind else { return nil }
        return words[number].load(ordering: .acquiring)
    }

    @inline(__always)
    func text(_ key: String) -> String? {
        guard let number = number(of: key), kinds[number] == .text else { return nil }
        return texts.withLock { $0[number] }
    }

    /// Whether the schema declares the key.
    func declares(_ key: String) -> Bool { number(of: key) != nil }

    /// The value for a key; nil if the schema lacks it.
    public func value(_ key: String) -> SettingScalar? {
        guard let number = number(of: key) else { return nil }
        return texts.withLock { value(number, $0) }
    }

    /// All values, of one moment.
    public var all: [String: SettingScalar] {
        texts.withLock { texts in numbers.mapValues { value($0, texts) } }
    }

    private func value(_ number: Int, _ texts: [String]) -> SettingScalar {
        let bits = words[number].load(ordering: .acquiring)
        return switch kinds[number] {
        case .boolean: .boolean(bits != 0)
        case .integer: .integer(Int(truncatingIfNeeded: bits))
        case .real: .real(Double(bitPattern: bits))
        case .text: .text(texts[number])
        }
    }

    /// Changes values; unknown keys and values of another type are left out.
    ///
    /// - Returns: the keys whose value is different now.
    public func apply(_ values: [String: SettingScalar]) -> Set<String> {
        texts.withLock { texts in
            var changed: Set<String> = []
            for (key, new) in values {
                guard let number = number(of: key), kinds[number] == new.kind, value(number, texts) != new else {
                    continue
                }
                if case .text(let text) = new { texts[number] = text }
                words[number].store(new.bits, ordering: .releasing)
                changed.insert(key)
            }
            return changed
        }
    }
}

extension SettingScalar {
    fileprivate var kind: SettingsStorage.Kind {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .real: .real
        case .text: .text
        }
    }

    fileprivate var bits: UInt64 {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): UInt64(truncatingIfNeeded: value)
        case .real(let value): value.bitPattern
        case .text: 0
        }
    }

    fileprivate var textOrEmpty: String {
        if case .text(let value) = self { value } else { "" }
    }
}

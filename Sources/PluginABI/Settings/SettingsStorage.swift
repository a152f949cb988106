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

    private struct Slot {
        let kind: Kind
        let number: Int32
    }

    private let slots: [String: Slot]
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let texts: ObservedMutex<[String]>

    /// - Parameter values: a value for each key of the schema.
    public init(_ values: [String: SettingScalar]) {
        let words = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: max(values.count, 1))
        var slots: [String: Slot] = [:]
        slots.reserveCapacity(values.count)
        var texts: [String] = []
        for (number, (key, value)) in values.enumerated() {
            (words + number).initialize(to: Atomic(value.bits))
            slots[key] = Slot(kind: value.kind, number: Int32(number))
            texts.append(value.textOrEmpty)
        }
        self.words = words
        self.slots = slots
        self.texts = ObservedMutex(texts)
    }

    deinit {
        words.deinitialize(count: slots.count)
        words.deallocate()
    }

    /// The number for a key, as bits; nil if the schema lacks the key or gives it another type.
    @inline(__always)
    func bits(_ key: String, _ kind: Kind) -> UInt64? {
        guard let slot = slots[key], slot.kind == kind else { return nil }
        return words[Int(slot.number)].load(ordering: .acquiring)
    }

    @inline(__always)
    func text(_ key: String) -> String? {
        guard let slot = slots[key], slot.kind == .text else { return nil }
        return texts.withLock { $0[Int(slot.number)] }
    }

    /// Whether the schema declares the key.
    func declares(_ key: String) -> Bool { slots[key] != nil }

    /// The value for a key; nil if the schema lacks it.
    public func value(_ key: String) -> SettingScalar? {
        guard let slot = slots[key] else { return nil }
        return texts.withLock { value(slot, $0) }
    }

    /// All values, of one moment.
    public var all: [String: SettingScalar] {
        texts.withLock { texts in slots.mapValues { value($0, texts) } }
    }

    private func value(_ slot: Slot, _ texts: [String]) -> SettingScalar {
        let bits = words[Int(slot.number)].load(ordering: .acquiring)
        return switch slot.kind {
        case .boolean: .boolean(bits != 0)
        case .integer: .integer(Int(truncatingIfNeeded: bits))
        case .real: .real(Double(bitPattern: bits))
        case .text: .text(texts[Int(slot.number)])
        }
    }

    /// Changes values; unknown keys and values of another type are left out.
    ///
    /// - Returns: the keys whose value is different now.
    public func apply(_ values: [String: SettingScalar]) -> Set<String> {
        texts.withLock { texts in
            var changed: Set<String> = []
            for (key, new) in values {
                guard let slot = slots[key], slot.kind == new.kind, value(slot, texts) != new else { continue }
                if case .text(let text) = new { texts[Int(slot.number)] = text }
                words[Int(slot.number)].store(new.bits, ordering: .releasing)
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

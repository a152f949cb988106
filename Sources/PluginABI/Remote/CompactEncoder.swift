extension CompactMessage {
    /// Encodes a value.
    init(encoding value: some Encodable) throws {
        let output = CompactOutput()
        try output.add(value, to: nil)
        keys = output.keys
        bytes = output.bytes
    }
}

/// The bytes encoded so far.
private final class CompactOutput {
    private(set) var bytes: [UInt8] = []
    private(set) var keys: [String] = []
    private var numbers: [String: UInt16] = [:]

    /// A value whose bytes are not complete yet.
    final class Place {
        /// The offset of its length.
        let start: Int
        let outer: Place?
        let key: (any CodingKey)?
        let depth: Int
        /// Whether it is a container that was opened inside another one.
        ///
        /// Nothing signals when such a container is complete, so its length is updated at each addition.
        let isNested: Bool
        /// Where its bytes end.
        ///
        /// For a nested container, this is its end so far; for any other value, -1 until it is complete.
        fileprivate(set) var end = -1

        init(start: Int, outer: Place?, key: (any CodingKey)?, isNested: Bool) {
            self.start = start
            self.outer = outer
            self.key = key
            self.isNested = isNested
            depth = (outer?.depth ?? 0) + 1
        }

        /// The keys that lead to the value, for errors and for types that read `codingPath`.
        var path: [any CodingKey] {
            var path: [any CodingKey] = []
            var place: Place? = self
            while let current = place {
                if let key = current.key { path.append(key) }
                place = current.outer
            }
            return path.reversed()
        }
    }

    private func number(of key: String) throws -> UInt16 {
        if let known = numbers[key] { return known }
        guard let number = UInt16(exactly: keys.count) else {
            throw RemoteFailure(.messageTooLarge, "A Codable value has more than 65,536 different keys.")
        }
        numbers[key] = number
        keys.append(key)
        return number
    }

    private func append(_ integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Opens a value inside another one, at its end.
    func open(in outer: Place?, key: (any CodingKey)?, isNested: Bool = false) throws -> Place {
        if let outer {
            // The lengths would be wrong if two containers were filled alternately.
            guard outer.end == (outer.isNested ? bytes.count : -1) else {
                throw EncodingError.invalidValue(
                    key?.stringValue ?? "a value",
                    .init(
                        codingPath: outer.path, debugDescription: "A container is filled after another one was begun."))
            }
            guard outer.depth < CompactMessage.depthLimit else {
                throw RemoteFailure.tooDeep(CompactMessage.depthLimit)
            }
        }
        if let key { append(try number(of: key.stringValue)) }
        let place = Place(start: bytes.count, outer: outer, key: key, isNested: isNested)
        append(UInt32(0))
        if isNested { try hasGrown(place) }
        return place
    }

    /// Updates the lengths of nested containers after bytes were added to one of them.
    private func hasGrown(_ place: Place?) throws {
        var current = place
        while let open = current, open.isNested {
            try setLength(of: open)
            current = open.outer
        }
    }

    private func setLength(of place: Place) throws {
        place.end = bytes.count
        guard let length = UInt32(exactly: place.end - place.start - 4), length != CompactMessage.none else {
            throw RemoteFailure(.messageTooLarge, "A Codable value has more than 4 GiB.")
        }
        set(length, at: place.start)
    }

    /// Turns an empty value into nil.
    func setNone(_ place: Place) {
        place.end = bytes.count
        set(CompactMessage.none, at: place.start)
    }

    private func set(_ length: UInt32, at start: Int) {
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: length.littleEndian, toByteOffset: start, as: UInt32.self)
        }
    }

    /// Adds a complete value.
    func add(_ value: some Encodable, to outer: Place?, key: (any CodingKey)? = nil) throws {
        let place = try open(in: outer, key: key)
        try fill(place, with: value)
        // A nil already has its length.
        if place.end < 0 { try setLength(of: place) }
        try hasGrown(outer)
    }

    func fill<Value: Encodable>(_ place: Place, with value: Value) throws {
        if Value.self == [UInt8].self, let value = value as? [UInt8] {
            bytes += value
            return try hasGrown(place)
        }
        try value.encode(to: ValueEncoder(output: self, place: place))
    }

    /// Adds the bytes of a number.
    func add(_ integer: some FixedWidthInteger, to place: Place) throws {
        append(integer)
        try hasGrown(place)
    }

    func add(_ text: String, to place: Place) throws {
        bytes.append(contentsOf: text.utf8)
        try hasGrown(place)
    }

    func addNone(to outer: Place, key: (any CodingKey)? = nil) throws {
        setNone(try open(in: outer, key: key))
        try hasGrown(outer)
    }

    /// Opens a container inside another one.
    ///
    /// The protocol's functions that open nested containers cannot throw. So if this one cannot be opened, filling it
    /// fails.
    func nested(in outer: Place, key: (any CodingKey)?) -> Place {
        (try? open(in: outer, key: key, isNested: true)) ?? Place(start: 0, outer: outer, key: key, isNested: true)
    }
}

/// Encodes one value of any kind.
private struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let output: CompactOutput
    let place: CompactOutput.Place
    var codingPath: [any CodingKey] { place.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedEncoder<Key>(output: output, place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedEncoder(output: output, place: place)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { output.setNone(place) }

    func encode(_ value: String) throws { try output.add(value, to: place) }

    private func encode(plain integer: some FixedWidthInteger) throws { try output.add(integer, to: place) }

    func encode(_ value: Bool) throws { try encode(plain: value ? 1 : 0 as UInt8) }
    func encode(_ value: Double) throws { try encode(plain: value.bitPattern) }
    func encode(_ value: Float) throws { try encode(plain: value.bitPattern) }
    func encode(_ value: Int) throws { try encode(plain: value) }
    func encode(_ value: Int8) throws { try encode(plain: value) }
    func encode(_ value: Int16) throws { try encode(plain: value) }
    func encode(_ value: Int32) throws { try encode(plain: value) }
    func encode(_ value: Int64) throws { try encode(plain: value) }
    func encode(_ value: Int128) throws { try encode(plain: value) }
    func encode(_ value: UInt) throws { try encode(plain: value) }
    func encode(_ value: UInt8) throws { try encode(plain: value) }
    func encode(_ value: UInt16) throws { try encode(plain: value) }
    func encode(_ value: UInt32) throws { try encode(plain: value) }
    func encode(_ value: UInt64) throws { try encode(plain: value) }
    func encode(_ value: UInt128) throws { try encode(plain: value) }
    func encode(_ value: some Encodable) throws { try output.fill(place, with: value) }
}

private struct KeyedEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: CompactOutput
    let place: CompactOutput.Place
    var codingPath: [any CodingKey] { place.path }

    func encodeNil(forKey key: Key) throws { try output.addNone(to: place, key: key) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try output.add(value, to: place, key: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(
            KeyedEncoder<NestedKey>(output: output, place: output.nested(in: place, key: key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedEncoder(output: output, place: output.nested(in: place, key: key))
    }

    func superEncoder() -> any Encoder {
        ValueEncoder(output: output, place: output.nested(in: place, key: SuperKey()))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        ValueEncoder(output: output, place: output.nested(in: place, key: key))
    }
}

private struct UnkeyedEncoder: UnkeyedEncodingContainer {
    let output: CompactOutput
    let place: CompactOutput.Place
    var codingPath: [any CodingKey] { place.path }
    private(set) var count = 0

    init(output: CompactOutput, place: CompactOutput.Place) {
        self.output = output
        self.place = place
    }

    mutating func encodeNil() throws {
        try output.addNone(to: place)
        count += 1
    }

    mutating func encode(_ value: some Encodable) throws {
        try output.add(value, to: place)
        count += 1
    }

    private mutating func opened() -> CompactOutput.Place {
        count += 1
        return output.nested(in: place, key: nil)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(KeyedEncoder<NestedKey>(output: output, place: opened()))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedEncoder(output: output, place: opened())
    }

    mutating func superEncoder() -> any Encoder {
        ValueEncoder(output: output, place: opened())
    }
}

/// The key under which a class encodes its superclass, as in the standard library's coders.
struct SuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }
    init() {}
    init?(stringValue: String) { if stringValue != "super" { return nil } }
    init?(intValue: Int) { nil }
}

extension CompactMessage {
    /// Decodes a value; the bytes may come from a hostile process.
    func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        let input = CompactInput(message: self)
        var rest = 0..<bytes.count
        let value = try input.takeValue(&rest, path: [])
        guard rest.isEmpty else { throw RemoteFailure.violation("A Codable value has bytes after its end.") }
        return try input.decode(type, value, depth: 1, path: [])
    }
}

/// The bytes to decode.
private final class CompactInput: Sendable {
    private let message: CompactMessage

    /// The content of a value; nil for nil.
    typealias Content = Range<Int>?

    init(message: CompactMessage) {
        self.message = message
    }

    func key(_ number: Int) -> String? { message.keys.indices.contains(number) ? message.keys[number] : nil }

    func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { message.bytes[range] }

    func integer<Integer: FixedWidthInteger>(_ range: Range<Int>, as type: Integer.Type) -> Integer {
        // No alignment is needed: each byte is added on its own.
        bytes(range).reversed().reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
    }

    /// Takes `count` bytes from the beginning of a range.
    func take(_ count: Int, _ rest: inout Range<Int>, path: [any CodingKey]) throws -> Range<Int> {
        guard count <= rest.count else { throw damaged("A value ends before its last byte.", path) }
        let taken = rest.lowerBound..<rest.lowerBound + count
        rest = taken.upperBound..<rest.upperBound
        return taken
    }

    /// Takes a value from the beginning of a range.
    func takeValue(_ rest: inout Range<Int>, path: [any CodingKey]) throws -> Content {
        let length = integer(try take(4, &rest, path: path), as: UInt32.self)
        return length == CompactMessage.none ? nil : try take(Int(length), &rest, path: path)
    }

    func decode<Value: Decodable>(
        _ type: Value.Type, _ content: Content, depth: Int, path: [any CodingKey]
    ) throws -> Value {
        guard depth <= CompactMessage.depthLimit else { throw RemoteFailure.tooDeep(CompactMessage.depthLimit) }
        if type == [UInt8].self, let content, let bytes = Array(bytes(content)) as? Value { return bytes }
        return try Value(from: ValueDecoder(input: self, content: content, depth: depth, codingPath: path))
    }

    func damaged(_ text: String, _ path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: text))
    }
}

/// Decodes one value of any kind.
private struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let input: CompactInput
    let content: CompactInput.Content
    let depth: Int
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private func present() throws -> Range<Int> {
        guard let content else {
            throw DecodingError.valueNotFound(
                Any.self, .init(codingPath: codingPath, debugDescription: "A value is nil."))
        }
        return content
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(
            try KeyedDecoder<Key>(input: input, content: try present(), depth: depth, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedDecoder(input: input, content: try present(), depth: depth, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { content == nil }

    func decode(_ type: String.Type) throws -> String {
        guard let text = String(validating: input.bytes(try present()), as: UTF8.self) else {
            throw input.damaged("A text is not UTF-8.", codingPath)
        }
        return text
    }

    private func plain<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) throws -> Integer {
        let content = try present()
        guard content.count == MemoryLayout<Integer>.size else {
            throw input.damaged("A number has \(content.count) bytes.", codingPath)
        }
        return input.integer(content, as: type)
    }

    func decode(_ type: Bool.Type) throws -> Bool {
        let number = try plain(UInt8.self)
        guard number < 2 else { throw input.damaged("A Bool is \(number).", codingPath) }
        return number == 1
    }

    func decode(_ type: Double.Type) throws -> Double { Double(bitPattern: try plain()) }
    func decode(_ type: Float.Type) throws -> Float { Float(bitPattern: try plain()) }
    func decode(_ type: Int.Type) throws -> Int { try plain() }
    func decode(_ type: Int8.Type) throws -> Int8 { try plain() }
    func decode(_ type: Int16.Type) throws -> Int16 { try plain() }
    func decode(_ type: Int32.Type) throws -> Int32 { try plain() }
    func decode(_ type: Int64.Type) throws -> Int64 { try plain() }
    func decode(_ type: Int128.Type) throws -> Int128 { try plain() }
    func decode(_ type: UInt.Type) throws -> UInt { try plain() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try plain() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try plain() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try plain() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try plain() }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try plain() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try input.decode(type, content, depth: depth + 1, path: codingPath)
    }
}

private struct KeyedDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let input: CompactInput
    private let items: [String: CompactInput.Content]
    private let depth: Int
    let codingPath: [any CodingKey]

    init(input: CompactInput, content: Range<Int>, depth: Int, codingPath: [any CodingKey]) throws {
        self.input = input
        self.depth = depth
        self.codingPath = codingPath
        var items: [String: CompactInput.Content] = [:]
        var rest = content
        while !rest.isEmpty {
            let number = input.integer(try input.take(2, &rest, path: codingPath), as: UInt16.self)
            guard let key = input.key(Int(number)) else {
                throw input.damaged("A key has the number \(number), which does not exist.", codingPath)
            }
            let value = try input.takeValue(&rest, path: codingPath)
            guard items.updateValue(value, forKey: key) == nil else {
                throw input.damaged("A key is there twice.", codingPath)
            }
        }
        self.items = items
    }

    var allKeys: [Key] { items.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { items[key.stringValue] != nil }

    private func content(_ key: any CodingKey) throws -> CompactInput.Content {
        guard let content = items[key.stringValue] else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "A key is missing."))
        }
        return content
    }

    func decodeNil(forKey key: Key) throws -> Bool { try content(key) == nil }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try input.decode(type, try content(key), depth: depth + 1, path: codingPath + [key])
    }

    private func decoder(_ key: any CodingKey) throws -> ValueDecoder {
        guard depth < CompactMessage.depthLimit else { throw RemoteFailure.tooDeep(CompactMessage.depthLimit) }
        return ValueDecoder(input: input, content: try content(key), depth: depth + 1, codingPath: codingPath + [key])
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { try decoder(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(SuperKey()) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct UnkeyedDecoder: UnkeyedDecodingContainer {
    private let input: CompactInput
    private let items: [CompactInput.Content]
    private let depth: Int
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(input: CompactInput, content: Range<Int>, depth: Int, codingPath: [any CodingKey]) throws {
        self.input = input
        self.depth = depth
        self.codingPath = codingPath
        var items: [CompactInput.Content] = []
        var rest = content
        while !rest.isEmpty { items.append(try input.takeValue(&rest, path: codingPath)) }
        self.items = items
    }

    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex >= items.count }

    private func content() throws -> CompactInput.Content {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self, .init(codingPath: codingPath, debugDescription: "There are no more elements."))
        }
        return items[currentIndex]
    }

    mutating func decodeNil() throws -> Bool {
        guard try content() == nil else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try input.decode(type, try content(), depth: depth + 1, path: codingPath)
        currentIndex += 1
        return value
    }

    private mutating func decoder() throws -> ValueDecoder {
        guard depth < CompactMessage.depthLimit else { throw RemoteFailure.tooDeep(CompactMessage.depthLimit) }
        let content = try content()
        currentIndex += 1
        return ValueDecoder(input: input, content: content, depth: depth + 1, codingPath: codingPath)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> { try decoder().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try decoder().unkeyedContainer() }

    mutating func superDecoder() throws -> any Decoder { try decoder() }
}

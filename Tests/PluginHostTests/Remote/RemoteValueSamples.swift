@_spi(PluginHost) import PluginABI
import Testing

/// One value of a type, with its bytes and a function that reads it.
struct RemoteValueSample: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The value's bytes in pieces of a size.
    let written: @Sendable (_ pieces: Int) throws -> [UInt8]
    /// Whether the bytes are the value.
    let isRead: @Sendable (_ bytes: [UInt8], _ pieces: Int) throws -> Bool
    /// Whether the order of the elements is the type's own affair.
    let isUnordered: Bool

    init<Value: RemoteValue & Equatable & Sendable>(_ name: String, _ value: Value, isUnordered: Bool = false) {
        testDescription = "\(name): \(Value.self)"
        written = { try MessageFixture.bytes(of: value, pieces: $0) }
        isRead = { try MessageFixture.value(Value.self, from: $0, pieces: $1) == value }
        self.isUnordered = isUnordered
    }

    static let all: [Self] = [
        .init("smallest", Int8.min), .init("two bytes", Int16(-2)), .init("four bytes", Int32.max),
        .init("eight bytes", Int64.min), .init("sixteen bytes", Int128.max - 5), .init("negative", -7),
        .init("byte", UInt8(200)), .init("largest", UInt16.max), .init("largest", UInt32.max),
        .init("largest", UInt64.max), .init("largest", UInt128.max), .init("largest", UInt.max),
        .init("half", Float16(0.5)), .init("negative zero", -Float.zero), .init("infinite", Double.infinity),
        .init("true", true), .init("false", false), .init("empty", ""), .init("short", "a"),
        .init("many scripts", "Grüße, 世界 👩‍👩‍👧‍👦"), .init("long", String(repeating: "é", count: 400)),
        .init("with NUL", "a\0b"),
        .init("nil", Int?.none), .init("some", Int?.some(3)), .init("two levels", Int??.some(nil)),
        .init("bytes", [UInt8](0...255)), .init("no elements", [Int]()), .init("numbers", [1.5, -2, .pi]),
        .init("texts", ["", "two", "three"]), .init("nested", [[1], [], [2, 3]]),
        .init("set", Set(["a", "b", "c"]), isUnordered: true),
        .init("dictionary", ["one": [1], "none": []], isUnordered: true), .init("empty", [Int: Bool]()),
        .init("range", -3..<9), .init("empty", 1.5..<1.5),
        .init("exact", Duration(secondsComponent: -5, attosecondsComponent: -7)),
        .init("far", Duration.seconds(Int64.max)),
        .init("struct", Order.example, isUnordered: true), .init("enum", OrderState.shipped(number: "x", pieces: [1])),
        .init("empty struct", Nothing()), .init("empty structs", [Nothing(), Nothing()]),
        .init("recursive", Tree(1, [Tree(2), Tree(3, [Tree(4)])])),
        .init("Codable", Settings.example), .init("Codable enum", Choice.several(names: ["a", "b"], limit: nil)),
        .init("Codable with its own functions", Odd(first: 1, second: nil)),
        .init("Codable subclass", Derived(1, "two")),
        .init("Codable text", CodedLabel(rawValue: "label")), .init("Codable, empty", Empty()),
    ]
}

// MARK: Types with functions as the generator writes them

struct Order: RemoteValue, Equatable {
    var name: String
    var pieces: [Int: Double]
    var state: OrderState?

    static let example = Order(
        name: "first", pieces: [1: 0.5, -2: .infinity], state: .shipped(number: "n", pieces: []))

    func write(to writer: inout RemoteWriter) throws {
        try writer.require((String, [Int: Double], OrderState?).self, in: Order.self)
        try writer.write(name)
        try writer.write(pieces)
        try writer.write(state)
    }

    static func read(from reader: inout RemoteReader) throws -> Order {
        Order(name: try reader.next(), pieces: try reader.next(), state: try reader.next())
    }
}

enum OrderState: RemoteValue, Equatable {
    case new
    case shipped(number: String, pieces: [Int])

    func write(to writer: inout RemoteWriter) throws {
        switch self {
        case .new: try writer.write(case: 0)
        case .shipped(let number, let pieces):
            try writer.write(case: 1)
            try writer.write(number)
            try writer.write(pieces)
        }
    }

    static func read(from reader: inout RemoteReader) throws -> OrderState {
        switch try reader.caseNumber() {
        case 0: return .new
        case 1: return .shipped(number: try reader.next(), pieces: try reader.next())
        case let other: throw reader.unknownCase(other, of: Self.self)
        }
    }
}

struct Nothing: RemoteValue, Equatable {
    func write(to writer: inout RemoteWriter) throws { try writer.write(case: 0) }
    static func read(from reader: inout RemoteReader) throws -> Nothing {
        guard try reader.caseNumber() == 0 else { throw RemoteFailure.violation("Something.") }
        return Nothing()
    }
}

struct Tree: RemoteValue, Equatable {
    var number: Int
    var branches: [Tree]

    init(_ number: Int, _ branches: [Tree] = []) {
        self.number = number
        self.branches = branches
    }

    func write(to writer: inout RemoteWriter) throws {
        try writer.write(number)
        try writer.write(branches)
    }

    static func read(from reader: inout RemoteReader) throws -> Tree { Tree(try reader.next(), try reader.next()) }
}

// MARK: Codable types

struct Settings: Codable, RemoteValue, Equatable {
    struct Entry: Codable, Equatable {
        var title: String
        var values: [Double]
        var parent: Int?
    }

    var entries: [Entry]
    var names: [String: Bool]
    var bytes: [UInt8]
    var letter: UInt16
    var ratio: Float
    var note: String?

    static let example = Settings(
        entries: [Entry(title: "a", values: [1, .pi], parent: nil), Entry(title: "", values: [], parent: -1)],
        names: ["on": true, "off": false], bytes: [0, 255], letter: 7, ratio: -0.25, note: "é")
}

enum Choice: Codable, RemoteValue, Equatable {
    case none
    case several(names: [String], limit: Int?)
}

struct CodedLabel: Codable, RawRepresentable, RemoteValue, Equatable {
    var rawValue: String
}

struct Empty: Codable, RemoteValue, Equatable {}

/// Encodes and decodes its keys in different orders, leaves one out, and uses nested containers.
struct Odd: Codable, RemoteValue, Equatable {
    var first: Int
    var second: String?

    enum Keys: String, CodingKey { case first, second, inner, list }

    init(first: Int, second: String?) {
        self.first = first
        self.second = second
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(first)
        try list.encodeNil()
        var inner = container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
        try inner.encode(first, forKey: .first)
        if let second { try container.encode(second, forKey: .second) }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        second = container.contains(.second) ? try container.decode(String.self, forKey: .second) : nil
        first = try container.nestedContainer(keyedBy: Keys.self, forKey: .inner).decode(Int.self, forKey: .first)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        guard try list.decode(Int.self) == first, try list.decodeNil(), list.isAtEnd else {
            throw RemoteFailure.violation("The list is another one.")
        }
    }
}

class Base: Codable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

final class Derived: Base, RemoteValue, Equatable, @unchecked Sendable {
    // @unchecked because the superclass is not final; both have immutable values only.
    let text: String

    enum Keys: String, CodingKey { case text }

    init(_ number: Int, _ text: String) {
        self.text = text
        super.init(number)
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        text = try container.decode(String.self, forKey: .text)
        try super.init(from: try container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(text, forKey: .text)
        try super.encode(to: container.superEncoder())
    }

    static func == (a: Derived, b: Derived) -> Bool { a.number == b.number && a.text == b.text }
}

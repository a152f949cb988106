import FoundationEssentials
import Glibc
import HostBasics
@_spi(Tools) import PluginHost

/// Converts arguments of the command line to the types in the function's signature.
enum CallArgument {
    /// Why a text is not a value of the type, as the end of a sentence.
    struct Fault: Error {
        let reason: String
    }

    /// The argument that means standard input.
    static let standardInput = "-"
    /// The most bytes that are read from a file or from standard input.
    static let mostBytes = 1 << 30

    static func value(_ text: String, as type: ForeignType) throws(Fault) -> ForeignValue {
        switch type {
        case .optional(let type): return text == "null" ? .null : try value(text, as: type)
        case .bool:
            switch text {
            case "true", "1": return .bool(true)
            case "false", "0": return .bool(false)
            default: throw Fault(reason: "is neither true nor false")
            }
        case .int8, .int16, .int32, .int64:
            guard let number = signed(text) else { throw Fault(reason: "is not a whole number of 64 bits") }
            return .int(number)
        case .uint8, .uint16, .uint32, .uint64:
            guard let number = unsigned(text[...]) else {
                throw Fault(reason: "is not a whole number of 64 bits without a sign")
            }
            return .uint(number)
        case .float:
            guard let number = Float(text) else { throw Fault(reason: "is not a number") }
            return .float(number)
        case .double:
            guard let number = Double(text) else { throw Fault(reason: "is not a number") }
            return .double(number)
        case .string: return .string(text)
        case .bytes: return .bytes(try bytes(text))
        case .structure: return try JSONTree(parsing: text).value(as: type)
        case .pointer: throw Fault(reason: "cannot be a pointer: an address means nothing outside of its process")
        case .callback, .kept: throw Fault(reason: "cannot be a callback: the command line has no closures")
        case .void, .owned: throw Fault(reason: "is not of type \(type)")
        }
    }

    private static func signed(_ text: String) -> Int64? {
        guard text.hasPrefix("-") else { return unsigned(text[...]).flatMap { Int64(exactly: $0) } }
        guard let magnitude = unsigned(text.dropFirst()), magnitude <= UInt64(Int64.max) + 1 else { return nil }
        return Int64(truncatingIfNeeded: 0 &- magnitude)
    }

    private static func unsigned(_ text: Substring) -> UInt64? {
        guard text.first?.isNumber ?? false else { return nil }
        return text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }

    private static func bytes(_ text: String) throws(Fault) -> [UInt8] {
        if text == standardInput { return try whole(STDIN_FILENO, "standard input") }
        guard text.hasPrefix("@") else { return Array(text.utf8) }
        let path = String(text.dropFirst())
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Fault(reason: "cannot be read: \(describe(errno: errno))") }
        defer { close(file) }
        return try whole(file, path)
    }

    private static func whole(_ file: Int32, _ name: String) throws(Fault) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Fault(reason: "cannot be read: \(describe(errno: errno))") }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= mostBytes else { throw Fault(reason: "has more than \(mostBytes >> 20) MiB") }
        }
    }
}

/// A JSON text.
///
/// A struct is an array of its fields in order, or an object with the fields' names.
private enum JSONTree: Decodable {
    case null
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    case number(Double)
    case string(String)
    case array([JSONTree])
    case object([String: JSONTree])

    init(parsing text: String) throws(CallArgument.Fault) {
        guard let tree = try? JSONDecoder().decode(JSONTree.self, from: Data(text.utf8)) else {
            throw CallArgument.Fault(reason: "is not JSON, as [1, 2.5] or {\"x\": 1, \"y\": 2.5}")
        }
        self = tree
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .uint(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONTree].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONTree].self))
        }
    }

    func value(as type: ForeignType) throws(CallArgument.Fault) -> ForeignValue {
        switch (type, self) {
        case (.optional, .null): return .null
        case (.optional(let type), _): return try value(as: type)
        case (.bool, .bool(let value)): return .bool(value)
        case (.float, .int(let value)): return .float(Float(value))
        case (.float, .number(let value)): return .float(Float(value))
        case (.double, .int(let value)): return .double(Double(value))
        case (.double, .number(let value)): return .double(value)
        case (.string, .string(let text)): return .string(text)
        case (.bytes, .string(let text)): return .bytes(Array(text.utf8))
        case (.structure(let fields), .array(let values)):
            guard values.count == fields.count else {
                let found = FindingReport.count(values.count, "field") ?? "no field"
                throw CallArgument.Fault(reason: "has \(found) where \(type) has \(fields.count)")
            }
            var converted: [ForeignValue] = []
            for (field, value) in zip(fields, values) { converted.append(try value.value(as: field.type)) }
            return .structure(converted)
        case (.structure(let fields), .object(let values)):
            let unknown = values.keys.sorted().first { key in !fields.contains { $0.name == key } }
            if let unknown { throw CallArgument.Fault(reason: "has a field “\(unknown)” that \(type) has not") }
            var converted: [ForeignValue] = []
            for field in fields {
                guard let name = field.name, let value = values[name] else {
                    throw CallArgument.Fault(reason: "lacks a field of \(type)")
                }
                converted.append(try value.value(as: field.type))
            }
            return .structure(converted)
        case (_, .int(let value)): return .int(value)
        case (_, .uint(let value)): return .uint(value)
        default: throw CallArgument.Fault(reason: "has a value that is not of type \(type)")
        }
    }
}

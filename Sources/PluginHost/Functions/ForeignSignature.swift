internal import CPluginSupport.Shims

/// The signature of a C function, written as in PHFunctions: `(bytes, uint32) -> uint32`.
///
/// Types: `void` (only as the result), `bool`, `int8` to `int64`, `uint8` to `uint64`, `float`, `double`, `pointer`,
/// `string`, and `bytes` (only as an argument; it is two arguments of the C function: `const void *` and `size_t`).
public struct ForeignSignature: Sendable, Hashable, CustomStringConvertible {
    /// The type of an argument or of the result.
    public enum ValueType: String, Sendable, Hashable, CaseIterable {
        case void, bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, double, pointer, string, bytes
    }

    /// The types of the arguments, in order.
    public let arguments: [ValueType]
    /// The type of the result.
    public let result: ValueType

    /// The remedy for a text that is not a signature.
    static let remedy =
        "Write the types of the arguments in parentheses, “->”, and the type of the result, as in “(bytes, uint32) -> "
        + "uint32” or “() -> void”; docs/abi.md lists the types."

    /// Why a text is not a signature.
    public struct Fault: Error, Sendable {
        /// The end of a sentence about the text.
        let reason: String
    }

    /// More arguments indicate a mistake; no useful C function has so many.
    static let maximumArguments = 32

    /// Reads a signature. Spaces are allowed between words.
    public init(_ text: String) throws(Fault) {
        let parts = text.split(separator: "->", omittingEmptySubsequences: false).map { $0.trimmingBlanks }
        guard parts.count == 2 else { throw Fault(reason: "which does not have exactly one “->”") }
        guard parts[0].first == "(", parts[0].last == ")", parts[0].count >= 2 else {
            throw Fault(reason: "which does not begin with arguments in parentheses")
        }
        let inside = parts[0].dropFirst().dropLast().trimmingBlanks
        var arguments: [ValueType] = []
        if !inside.isEmpty {
            for word in inside.split(separator: ",", omittingEmptySubsequences: false) {
                let type = try Self.type(word.trimmingBlanks)
                guard type != .void else { throw Fault(reason: "which has “void” as an argument") }
                arguments.append(type)
            }
        }
        guard arguments.count <= Self.maximumArguments else {
            throw Fault(reason: "which has more than \(Self.maximumArguments) arguments")
        }
        let result = try Self.type(parts[1])
        guard result != .bytes else { throw Fault(reason: "which has “bytes” as its result") }
        self.arguments = arguments
        self.result = result
    }

    private static func type(_ word: Substring) throws(Fault) -> ValueType {
        guard let type = ValueType(rawValue: String(word)) else {
            let known = ValueType.allCases.map(\.rawValue).joined(separator: ", ")
            throw Fault(reason: "where \(quoted(word)) is not one of the types \(known)")
        }
        return type
    }

    /// The signature as text, with a space after each comma.
    public var description: String { "(\(arguments.map(\.rawValue).joined(separator: ", "))) -> \(result.rawValue)" }
}

extension ForeignSignature.ValueType {
    /// The values passed for this type; `bytes` is passed as two.
    var machineTypes: [phs_ffi_type] {
        switch self {
        case .void: [PHS_FFI_VOID]
        case .bool, .uint8: [PHS_FFI_UINT8]
        case .int8: [PHS_FFI_INT8]
        case .int16: [PHS_FFI_INT16]
        case .int32: [PHS_FFI_INT32]
        case .int64: [PHS_FFI_INT64]
        case .uint16: [PHS_FFI_UINT16]
        case .uint32: [PHS_FFI_UINT32]
        case .uint64: [PHS_FFI_UINT64]
        case .float: [PHS_FFI_FLOAT]
        case .double: [PHS_FFI_DOUBLE]
        case .pointer, .string: [PHS_FFI_POINTER]
        case .bytes: [PHS_FFI_POINTER, PHS_FFI_UINT64]
        }
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace ?? false { text.removeLast() }
        return text
    }
}
extension String {
    fileprivate var trimmingBlanks: Substring { self[...].trimmingBlanks }
}

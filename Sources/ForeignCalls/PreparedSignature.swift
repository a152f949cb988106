package import BundleReading
internal import CPluginSupport.Shims

/// A signature with the data that libffi needs to call such a function, or to create one.
package final class PreparedSignature: @unchecked Sendable {
    // @unchecked because of the pointer: the memory that it refers to does not change until deinit.
    package let signature: ForeignSignature
    package let call: OpaquePointer
    /// The size of the arguments in bytes; they are laid out like the fields of a struct.
    package let argumentsSize: Int
    /// The offset of each argument.
    package let offsets: [Int]
    /// How many bytes a call needs for its result.
    package let resultSize: Int
    /// The signatures of the callbacks among the arguments, by the argument's index.
    package let callbacks: [Int: PreparedSignature]

    /// Creates nil if libffi refuses the signature, or if there is not enough memory.
    package init?(_ signature: ForeignSignature) {
        var callbacks: [Int: PreparedSignature] = [:]
        for (index, argument) in signature.arguments.enumerated() {
            guard let inner = argument.callbackSignature else { continue }
            guard let prepared = PreparedSignature(inner) else { return nil }
            callbacks[index] = prepared
        }
        let types = signature.result.machineTypes + signature.arguments.flatMap(\.machineTypesOfArgument)
        guard let call = phs_ffi_prepare(types, types.count, signature.isThrowing) else { return nil }
        self.signature = signature
        self.call = call
        self.callbacks = callbacks
        argumentsSize = phs_ffi_arguments_size(call)
        offsets = signature.arguments.map { ForeignType.Field(nil, $0) }.places.map(\.offset)
        resultSize = max(Int(PHS_FFI_RESULT), signature.result.layout.size)
    }

    deinit { phs_ffi_free(call) }
}

// MARK: The layout of values, by the rules of C

extension ForeignType {
    /// The size and alignment of the C type; `bytes` is a plugin_bytes.
    package var layout: (size: Int, alignment: Int) {
        switch self {
        case .void: return (0, 1)
        case .bool, .int8, .uint8: return (1, 1)
        case .int16, .uint16: return (2, 2)
        case .int32, .uint32, .float: return (4, 4)
        case .bytes: return (16, 8)
        case .optional(let type), .owned(let type): return type.layout
        case .structure(let fields):
            var size = 0
            var alignment = 1
            for field in fields {
                let layout = field.type.layout
                size = size.rounded(upTo: layout.alignment) + layout.size
                alignment = max(alignment, layout.alignment)
            }
            return (size.rounded(upTo: alignment), alignment)
        case .int64, .uint64, .double, .pointer, .string, .callback, .kept: return (8, 8)
        }
    }

    /// Whether the value consists only of numbers, so that nothing is borrowed, copied or checked.
    package var isPlain: Bool {
        switch self {
        case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .void: true
        case .structure(let fields): fields.allSatisfy(\.type.isPlain)
        default: false
        }
    }

    package var callbackSignature: ForeignSignature? {
        switch self {
        case .callback(let signature), .kept(let signature): signature
        default: nil
        }
    }

    /// The C arguments for one argument of the signature; for `bytes`, an address and a number.
    fileprivate var machineTypesOfArgument: [UInt16] {
        plain == .bytes ? [PHS_FFI_POINTER.number, PHS_FFI_UINT64.number] : machineTypes
    }

    fileprivate var machineTypes: [UInt16] {
        switch self {
        case .void: [PHS_FFI_VOID.number]
        case .bool: [PHS_FFI_BOOL.number]
        case .int8: [PHS_FFI_INT8.number]
        case .int16: [PHS_FFI_INT16.number]
        case .int32: [PHS_FFI_INT32.number]
        case .int64: [PHS_FFI_INT64.number]
        case .uint8: [PHS_FFI_UINT8.number]
        case .uint16: [PHS_FFI_UINT16.number]
        case .uint32: [PHS_FFI_UINT32.number]
        case .uint64: [PHS_FFI_UINT64.number]
        case .float: [PHS_FFI_FLOAT.number]
        case .double: [PHS_FFI_DOUBLE.number]
        case .pointer, .string, .callback, .kept: [PHS_FFI_POINTER.number]
        case .bytes: [PHS_FFI_STRUCT.number, 2, PHS_FFI_POINTER.number, PHS_FFI_UINT64.number]
        case .optional(let type), .owned(let type): type.machineTypes
        case .structure(let fields):
            [PHS_FFI_STRUCT.number, UInt16(fields.count)] + fields.flatMap(\.type.machineTypes)
        }
    }
}

extension Int {
    fileprivate func rounded(upTo alignment: Int) -> Int { (self + alignment - 1) / alignment * alignment }
}

extension phs_ffi_type {
    fileprivate var number: UInt16 { UInt16(rawValue) }
}

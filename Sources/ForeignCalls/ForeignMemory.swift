package import BundleReading
internal import CPluginSupport
import Glibc
@_spi(Tools) import HostBasics

/// Why a value cannot be converted to or from C.
package struct ForeignFault: Error, CustomStringConvertible {
    /// The reason as the end of a sentence about the value, such as “is not of type int32”.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Writes values in their C form, and keeps the memory that they borrow until the call has returned.
package struct ForeignLoans: ~Copyable {
    private var memory: [UnsafeMutableRawPointer] = []
    package private(set) var callbacks: [BorrowedCallback] = []

    package init() {}

    deinit { for pointer in memory { free(pointer) } }

    /// Writes a value of a type.
    ///
    /// - Throws: the reason if the value is not of the type.
    package mutating func write(
        _ value: ForeignValue, as type: ForeignType, to place: UnsafeMutableRawPointer
    ) throws(ForeignFault) {
        switch (type, value) {
        case (.optional, .null), (.owned(.optional), .null): Self.writeNull(type.plain, to: place)
        case (.optional(let type), _): try write(value, as: type, to: place)
        case (.owned(let type), _): try write(owned: value, as: type.plain, to: place)
        case (.bool, .bool(let value)): place.storeBytes(of: value, as: Bool.self)
        case (.float, .float(let value)): place.storeBytes(of: value, as: Float.self)
        case (.double, .double(let value)): place.storeBytes(of: value, as: Double.self)
        case (.pointer, .pointer(let address)):
            if address == 0 { throw ForeignFault("is NULL, which \(type) cannot be") }
            place.storeBytes(of: address, as: UInt.self)
        case (.string, .string(let text)):
            let copy = try Self.copy(text)
            memory.append(copy)
            place.storeBytes(of: copy, as: UnsafeMutableRawPointer.self)
        case (.bytes, .bytes(let bytes)):
            let copy = try Self.copy(bytes)
            memory.append(copy)
            place.storeBytes(of: plugin_bytes(ptr: copy, len: bytes.count), as: plugin_bytes.self)
        case (.structure(let fields), .structure(let values)): try write(values, as: fields, to: place)
        case (.void, .void): break
        default: try Self.write(number: value, as: type, to: place)
        }
    }

    private mutating func write(
        _ values: [ForeignValue], as fields: [ForeignType.Field], to place: UnsafeMutableRawPointer
    ) throws(ForeignFault) {
        guard values.count == fields.count else {
            throw ForeignFault(
                "has \(counted(values.count, "field")), and \(ForeignType.structure(fields)) has \(fields.count)")
        }
        for (value, (offset, type)) in zip(values, fields.places) {
            try write(value, as: type, to: place + offset)
        }
    }

    /// Writes the address of a C function that calls a closure.
    ///
    /// The function is valid as long as these loans exist.
    package mutating func write(
        _ callback: ForeignCallback, as signature: PreparedSignature, for plugin: String,
        to place: UnsafeMutableRawPointer
    ) throws(ForeignFault) {
        let borrowed = try BorrowedCallback(callback, signature, plugin)
        callbacks.append(borrowed)
        place.storeBytes(of: borrowed.code, as: UnsafeMutableRawPointer.self)
    }

    // MARK: Parts

    private static func writeNull(_ type: ForeignType, to place: UnsafeMutableRawPointer) {
        if type == .bytes {
            place.storeBytes(of: plugin_bytes(ptr: nil, len: 0), as: plugin_bytes.self)
        } else {
            place.storeBytes(of: 0, as: UInt.self)
        }
    }

    /// Writes a value whose memory the receiver frees.
    ///
    /// The memory comes from malloc(), like that of the host's alloc().
    private mutating func write(
        owned value: ForeignValue, as type: ForeignType, to place: UnsafeMutableRawPointer
    ) throws(ForeignFault) {
        switch (type, value) {
        case (.string, .string(let text)):
            place.storeBytes(of: try Self.copy(text), as: UnsafeMutableRawPointer.self)
        case (.bytes, .bytes(let bytes)):
            place.storeBytes(of: plugin_bytes(ptr: try Self.copy(bytes), len: bytes.count), as: plugin_bytes.self)
        default: throw ForeignFault("is not of type \(type)")
        }
    }

    private static func copy(_ text: String) throws(ForeignFault) -> UnsafeMutableRawPointer {
        // C would take a NUL as the end of the text and ignore the rest.
        if text.utf8.contains(0) { throw ForeignFault("contains a NUL character, which ends a string in C") }
        guard let copy = strdup(text) else { throw ForeignFault("finds no memory for its copy") }
        return UnsafeMutableRawPointer(copy)
    }

    private static func copy(_ bytes: [UInt8]) throws(ForeignFault) -> UnsafeMutableRawPointer {
        guard let copy = malloc(max(bytes.count, 1)) else { throw ForeignFault("finds no memory for its copy") }
        copy.copyMemory(from: bytes, byteCount: bytes.count)
        return copy
    }

    private static func write(
        number: ForeignValue, as type: ForeignType, to place: UnsafeMutableRawPointer
    ) throws(ForeignFault) {
        func store<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type) -> Bool {
            let value =
                switch number {
                case .int(let value): Number(exactly: value)
                case .uint(let value): Number(exactly: value)
                default: nil as Number?
                }
            guard let value else { return false }
            place.storeBytes(of: value, as: Number.self)
            return true
        }
        let fits =
            switch type {
            case .int8: store(Int8.self)
            case .int16: store(Int16.self)
            case .int32: store(Int32.self)
            case .int64: store(Int64.self)
            case .uint8: store(UInt8.self)
            case .uint16: store(UInt16.self)
            case .uint32: store(UInt32.self)
            case .uint64: store(UInt64.self)
            default: false
            }
        if fits { return }
        if case .null = number { throw ForeignFault("is NULL, which \(type) cannot be") }
        let isWhole = number.int64 != nil || number.uint64 != nil
        throw ForeignFault(isWhole && type.isInteger ? "is outside of the range of \(type)" : "is not of type \(type)")
    }
}

extension ForeignType {
    fileprivate var isInteger: Bool {
        [.int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64].contains(self)
    }

    /// Reads a value of this type.
    ///
    /// It copies the memory to which the value refers, and then frees that memory if it is owned.
    ///
    /// - Throws: the reason if the memory does not contain a value of the type.
    package func value(at place: UnsafeRawPointer) throws(ForeignFault) -> ForeignValue {
        switch self {
        case .void: return .void
        case .bool: return .bool(place.load(as: UInt8.self) != 0)
        case .int8: return .int(Int64(place.load(as: Int8.self)))
        case .int16: return .int(Int64(place.load(as: Int16.self)))
        case .int32: return .int(Int64(place.load(as: Int32.self)))
        case .int64: return .int(place.load(as: Int64.self))
        case .uint8: return .uint(UInt64(place.load(as: UInt8.self)))
        case .uint16: return .uint(UInt64(place.load(as: UInt16.self)))
        case .uint32: return .uint(UInt64(place.load(as: UInt32.self)))
        case .uint64: return .uint(place.load(as: UInt64.self))
        case .float: return .float(place.load(as: Float.self))
        case .double: return .double(place.load(as: Double.self))
        case .structure(let fields):
            var values: [ForeignValue] = []
            for (offset, type) in fields.places { values.append(try type.value(at: place + offset)) }
            return .structure(values)
        case .bytes:
            let bytes = place.load(as: plugin_bytes.self)
            return try .bytes(bytes.copied)
        case .pointer, .string: return try reference(place.load(as: UnsafeMutableRawPointer?.self))
        case .optional(let type):
            let isNull =
                place.load(as: UInt.self) == 0 && (type != .bytes || place.load(as: plugin_bytes.self).len == 0)
            return isNull ? .null : try type.value(at: place)
        case .owned(let type):
            let memory = place.load(as: UnsafeMutableRawPointer?.self)
            defer { free(memory) }
            return try type.value(at: place)
        case .callback, .kept: throw ForeignFault("is a callback, which nobody gives back")
        }
    }

    private func reference(_ pointer: UnsafeMutableRawPointer?) throws(ForeignFault) -> ForeignValue {
        guard let pointer else { throw ForeignFault("is NULL, which only the type \(self)? allows") }
        if self == .pointer { return .pointer(UInt(bitPattern: pointer)) }
        let start = pointer.assumingMemoryBound(to: UInt8.self)
        let utf8 = UnsafeBufferPointer(start: start, count: strlen(UnsafePointer<CChar>(OpaquePointer(start))))
        guard let text = String(validating: utf8, as: UTF8.self) else {
            throw ForeignFault("is not UTF-8: “\(UnsafeRawBufferPointer(utf8).shownBytes.escapedForDisplay)”")
        }
        return .string(text)
    }
}

extension plugin_bytes {
    fileprivate var copied: [UInt8] {
        get throws(ForeignFault) {
            // Swift imports size_t as Int.
            guard len >= 0, ptr != nil || len == 0 else {
                throw ForeignFault("has \(UInt(bitPattern: len)) bytes at \(ptr == nil ? "NULL" : "an address")")
            }
            return Array(UnsafeRawBufferPointer(start: ptr, count: len))
        }
    }
}

extension [ForeignType.Field] {
    /// The offset of each field in the struct.
    package var places: [(offset: Int, type: ForeignType)] {
        var end = 0
        return map { field in
            let (size, alignment) = field.type.layout
            let offset = (end + alignment - 1) / alignment * alignment
            end = offset + size
            return (offset, field.type)
        }
    }
}

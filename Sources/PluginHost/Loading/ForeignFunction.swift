internal import CPluginSupport
internal import CPluginSupport.Shims
import Glibc

/// A plain C function of a plug-in. It is called through libffi with a signature that is known only at run time.
///
/// ```swift
/// let crc32 = try bundle.function("crc32", "(bytes) -> uint32")
/// let sum = try crc32(.bytes(data)).uint64
/// ```
/// The signature must be correct: a shared object does not contain it, and a wrong one is undefined behaviour, like a
/// wrong declaration in C. Prefer the signatures that the plug-in itself states.
///
/// **Threads.** As the C function allows; the object itself may be shared. **Lifetime.** May be kept; it works after
/// the bundle was unloaded too. **Cost.** About ten times a call through a pointer.
public final class ForeignFunction: @unchecked Sendable {
    // @unchecked because of the pointers: the prepared call and the code are constant until deinit.

    /// The name under which the plug-in registered it.
    public let name: String
    /// The types of its arguments and its result.
    public let signature: ForeignSignature
    private let bundle: PluginBundle
    private let code: plugin_code
    private let call: OpaquePointer

    init(name: String, signature: ForeignSignature, code: @escaping plugin_code, bundle: PluginBundle)
        throws(PluginError)
    {
        let arguments = signature.arguments.flatMap(\.machineTypes)
        guard let call = phs_ffi_prepare(signature.result.machineTypes[0], arguments, arguments.count) else {
            throw bundle.functionUnavailable(name, "cannot be called as \(signature): libffi refused the signature")
        }
        self.name = name
        self.signature = signature
        self.bundle = bundle
        self.code = code
        self.call = call
    }

    deinit { phs_ffi_free(call) }

    /// Calls the function.
    ///
    /// - Parameter arguments: as many as the signature has, each of the right type.
    /// - Returns: the result, with the type that the signature states.
    /// - Throws: ``PluginError`` of code `functionUnavailable` if an argument does not match; the function is then not
    ///   called.
    public func callAsFunction(_ arguments: ForeignValue...) throws -> ForeignValue {
        try call(with: arguments)
    }

    /// Calls the function with the arguments in an array.
    public func call(with arguments: [ForeignValue]) throws -> ForeignValue {
        guard arguments.count == signature.arguments.count else {
            throw bundle.functionUnavailable(
                name, "was called with \(arguments.count) arguments; its signature is \(signature)")
        }
        HeldLocks.preconditionNone(before: "a C function of a plug-in")
        // Everything that the call borrows lives until the call has returned.
        var borrowed = Borrowed()
        defer { borrowed.free() }
        var values: [phs_ffi_value] = []
        values.reserveCapacity(arguments.count + 1)
        for (index, argument) in arguments.enumerated() {
            guard borrowed.append(argument, as: signature.arguments[index], to: &values) else {
                throw bundle.functionUnavailable(
                    name,
                    "was called with \(argument) as argument \(index + 1), not a \(signature.arguments[index].rawValue)"
                )
            }
        }
        var result = phs_ffi_value()
        phs_ffi_invoke(call, code, values, &result)
        return value(of: result)
    }

    private func value(of result: phs_ffi_value) -> ForeignValue {
        switch signature.result {
        case .void, .bytes: .void
        case .bool: .bool(result.u != 0)
        case .int8, .int16, .int32, .int64: .int(result.i)
        case .uint8, .uint16, .uint32, .uint64: .uint(result.u)
        case .float: .float(result.f)
        case .double: .double(result.d)
        case .pointer: .pointer(result.p.map { UInt(bitPattern: $0) })
        case .string:
            result.p.map { .string(String(cString: $0.assumingMemoryBound(to: CChar.self))) } ?? .pointer(nil)
        }
    }

    /// The C copies of strings and bytes that the function borrows during a call.
    private struct Borrowed {
        private var memory: [UnsafeMutableRawPointer] = []

        /// - Returns: whether the value matches the type.
        mutating func append(
            _ value: ForeignValue, as type: ForeignSignature.ValueType, to values: inout [phs_ffi_value]
        ) -> Bool {
            switch (type, value) {
            case (.bool, .bool(let value)): values.append(phs_ffi_value(u: value ? 1 : 0))
            case (.float, .float(let value)): values.append(phs_ffi_value(f: value))
            case (.double, .double(let value)): values.append(phs_ffi_value(d: value))
            case (.pointer, .pointer(let value)):
                values.append(phs_ffi_value(p: value.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }))
            case (.string, .string(let text)):
                // A NUL inside would silently cut off the text.
                guard !text.utf8.contains(0), let copy = strdup(text) else { return false }
                memory.append(copy)
                values.append(phs_ffi_value(p: UnsafeMutableRawPointer(copy)))
            case (.bytes, .bytes(let bytes)):
                guard let copy = malloc(max(bytes.count, 1)) else { return false }
                copy.copyMemory(from: bytes, byteCount: bytes.count)
                memory.append(copy)
                values += [phs_ffi_value(p: copy), phs_ffi_value(u: UInt64(bytes.count))]
            default: return append(number: value, as: type, to: &values)
            }
            return true
        }

        private func append(
            number: ForeignValue, as type: ForeignSignature.ValueType, to values: inout [phs_ffi_value]
        ) -> Bool {
            let signed: Int64? =
                switch type {
                case .int8: number.int64.flatMap { Int8(exactly: $0) }.map(Int64.init)
                case .int16: number.int64.flatMap { Int16(exactly: $0) }.map(Int64.init)
                case .int32: number.int64.flatMap { Int32(exactly: $0) }.map(Int64.init)
                case .int64: number.int64
                default: nil
                }
            let unsigned: UInt64? =
                switch type {
                case .uint8: number.uint64.flatMap { UInt8(exactly: $0) }.map(UInt64.init)
                case .uint16: number.uint64.flatMap { UInt16(exactly: $0) }.map(UInt64.init)
                case .uint32: number.uint64.flatMap { UInt32(exactly: $0) }.map(UInt64.init)
                case .uint64: number.uint64
                default: nil
                }
            if let signed {
                values.append(phs_ffi_value(i: signed))
            } else if let unsigned {
                values.append(phs_ffi_value(u: unsigned))
            } else {
                return false
            }
            return true
        }

        func free() { for pointer in memory { Glibc.free(pointer) } }
    }
}

extension PluginBundle {
    /// A C function of this bundle. Loads the bundle if necessary.
    ///
    /// It is a function that the entry registered, or one that `PHFunctions` in Info.plist names and the executable
    /// exports under that name.
    ///
    /// - Parameters:
    ///   - name: the function's name.
    ///   - signature: the signature that the caller expects; nil for the one that the plug-in states.
    /// - Returns: the function, to be called with values that match its signature.
    /// - Throws: ``PluginError``: the errors of a load; `functionUnavailable` if there is no such function, or its
    ///   signature differs from the expected one.
    public func function(_ name: String, _ signature: String? = nil) throws -> ForeignFunction {
        let code = try loadedCode()
        let registered = code.registrations.functions[name]
        guard let own = registered?.signature ?? manifest.functions[name] else {
            let known = (Array(code.registrations.functions.keys) + manifest.functions.keys).sorted()
            throw functionUnavailable(
                name, "is not offered; the bundle offers \(known.isEmpty ? "none" : known.joined(separator: ", "))")
        }
        let parsed: ForeignSignature
        do throws(ForeignSignature.Fault) { parsed = try ForeignSignature(own) } catch {
            throw functionUnavailable(
                name, "has the signature \(quoted(own)) in PHFunctions, \(error.reason)",
                remedy: ForeignSignature.remedy)
        }
        do throws(ForeignSignature.Fault) {
            if let signature, try ForeignSignature(signature) != parsed {
                throw ForeignSignature.Fault(reason: "but the plug-in states \(quoted(parsed.description))")
            }
        } catch {
            throw functionUnavailable(
                name, "was requested as \(quoted(signature ?? "")), \(error.reason)",
                remedy: "Request it as \(quoted(parsed.description)), or without a signature.")
        }
        if let registered {
            return try ForeignFunction(name: name, signature: parsed, code: registered.code, bundle: self)
        }
        guard let image = code.image else {
            throw functionUnavailable(
                name, "is declared in PHFunctions but not registered by the linked plug-in")
        }
        guard let exported = image.code(of: name) else {
            throw functionUnavailable(name, "is declared in PHFunctions but not exported by the executable")
        }
        return try ForeignFunction(name: name, signature: parsed, code: exported, bundle: self)
    }

    func functionUnavailable(
        _ name: String, _ complaint: String,
        remedy: String = "“pluginhost info” lists the bundle's functions and their signatures."
    ) -> PluginError {
        PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .functionUnavailable, filePath: executablePath, subject: name,
                message: "The function \(quoted(name)) \(complaint).", remedy: remedy))
    }
}

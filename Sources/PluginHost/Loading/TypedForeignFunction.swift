import BundleReading
public import ForeignCalls
import HostBasics

/// A plain C function of a plug-in whose types are known when the application is compiled.
///
/// ```swift
/// let crc32 = try bundle.function("crc32", as: (([UInt8]) -> UInt32).self)
/// let sum = try crc32(data)
/// ```
/// Its types are compared with the plug-in's signature once, when the function is looked up.
///
/// **Threads.** As the C function allows; the value itself may be shared. **Lifetime.** The same as
/// ``ForeignFunction``. **Cost.** If all types are numbers or structs of numbers: a call through libffi, which
/// allocates no memory. Otherwise the same as ``ForeignFunction``.
public struct TypedForeignFunction<Result, each Argument: ForeignConvertible>: Sendable {
    /// The same function, called with an array of values.
    public let untyped: ForeignFunction
    @usableFromInline let isPlain: Bool

    fileprivate init(_ function: ForeignFunction, resultIsPlain: Bool) {
        untyped = function
        var isPlain = resultIsPlain && function.isPlain
        for type in repeat (each Argument).self { isPlain = isPlain && type.isPlain }
        self.isPlain = isPlain
    }

    /// Calls the function.
    ///
    /// - Parameter argument: the arguments.
    /// - Returns: the result.
    /// - Throws: the same errors as ``ForeignFunction/callAsFunction(_:)``.
    @inlinable
    public func callAsFunction(_ argument: repeat each Argument) throws -> Result
    where Result: ForeignConvertible {
        if isPlain { return try callPlainly(repeat each argument) { $0.load(as: Result.self) } }
        return try callWithValues(repeat each argument)
    }

    /// Calls the function without a result.
    ///
    /// - Parameter argument: the arguments.
    /// - Throws: the same errors as ``ForeignFunction/callAsFunction(_:)``.
    @inlinable
    public func callAsFunction(_ argument: repeat each Argument) throws where Result == Void {
        if isPlain { return try callPlainly(repeat each argument) { _ in } }
        _ = try untyped.call(with: values(repeat each argument))
    }

    /// Calls the function with numbers.
    ///
    /// Why a tuple: its elements are laid out like the fields of a C struct, which is what the call needs, and the
    /// compiler builds it on the stack. A loop over the pack would copy each value with the indirect functions of its
    /// type.
    @inlinable @inline(__always)
    func callPlainly(
        _ argument: repeat each Argument, result: (UnsafeMutableRawPointer) -> Result
    ) throws -> Result {
        try withUnsafeTemporaryAllocation(byteCount: ForeignFunction.plainResult, alignment: 16) { room in
            let place = room.baseAddress!  // the size is never 0
            try withUnsafeBytes(of: (repeat each argument)) { arguments in
                try untyped.invoke(arguments.baseAddress ?? UnsafeRawPointer(place), place)
            }
            return result(place)
        }
    }

    @usableFromInline
    func callWithValues(_ argument: repeat each Argument) throws -> Result where Result: ForeignConvertible {
        let value = try untyped.call(with: values(repeat each argument))
        // The types were compared before, so a value of another type is a bug in this library.
        guard let result = Result(foreignValue: value) else { throw untyped.unexpected(value, Result.self) }
        return result
    }

    @usableFromInline
    func values(_ argument: repeat each Argument) -> [ForeignValue] {
        var values: [ForeignValue] = []
        for value in repeat each argument { values.append(value.foreignValue) }
        return values
    }
}

extension ForeignFunction {
    func unexpected(_ value: ForeignValue, _ type: any Any.Type) -> PluginError {
        bundle.functionError(
            .resultInvalid, name, "gave \(value.shown), which is not of type \(type)",
            remedy: "Its signature is \(quoted(signature.description)).")
    }
}

extension PluginBundle {
    /// Finds a C function of this bundle by the Swift types of its arguments and result.
    ///
    /// The bundle is loaded if necessary.
    ///
    /// - Parameters:
    ///   - name: the function's name.
    ///   - type: a function type such as `((Int32, String) -> Double).self`. It must match the plug-in's own signature.
    /// - Returns: the function, to be called with values of these types.
    /// - Throws: ``PluginError``: the same errors as ``function(_:_:)``; `signatureMismatch` if the types do not match.
    public func function<each Argument: ForeignConvertible, Result: ForeignConvertible>(
        _ name: String, as type: ((repeat each Argument) -> Result).Type
    ) throws -> TypedForeignFunction<Result, repeat each Argument> {
        let function = try function(name)
        var fits = Result.isForeign(function.signature.result)
        var types = function.signature.arguments[...]
        for type in repeat (each Argument).self { fits = Self.take(type, from: &types) && fits }
        guard fits, types.isEmpty else { throw typeMismatch(function, type) }
        return TypedForeignFunction(function, resultIsPlain: Result.isPlain)
    }

    /// Finds a C function without a result by the Swift types of its arguments.
    ///
    /// The bundle is loaded if necessary.
    ///
    /// - Parameters:
    ///   - name: the function's name.
    ///   - type: a function type such as `((Int32, String) -> Void).self`. It must match the plug-in's own signature.
    /// - Returns: the function, to be called with values of these types.
    /// - Throws: the same errors as for a function with a result.
    public func function<each Argument: ForeignConvertible>(
        _ name: String, as type: ((repeat each Argument) -> Void).Type
    ) throws -> TypedForeignFunction<Void, repeat each Argument> {
        let function = try function(name)
        var fits = function.signature.result == .void
        var types = function.signature.arguments[...]
        for type in repeat (each Argument).self { fits = Self.take(type, from: &types) && fits }
        guard fits, types.isEmpty else { throw typeMismatch(function, type) }
        return TypedForeignFunction(function, resultIsPlain: true)
    }

    private static func take(_ type: (some ForeignConvertible).Type, from types: inout ArraySlice<ForeignType>) -> Bool
    {
        types.popFirst().map(type.isForeign) ?? false
    }

    private func typeMismatch(_ function: ForeignFunction, _ type: any Any.Type) -> PluginError {
        functionError(
            .signatureMismatch, function.name,
            "was requested as \(quoted("\(type)")), and its signature is \(quoted(function.signature.description))",
            remedy: "Request it with the Swift types that the page abi.md lists for this signature.")
    }
}

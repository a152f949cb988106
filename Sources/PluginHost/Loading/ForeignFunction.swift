public import BundleReading
internal import CPluginSupport
internal import CPluginSupport.Shims
public import ForeignCalls
import Glibc
import HostBasics
import Synchronization

/// A plain C function of a plug-in, called through libffi with a signature that is known only at run time.
///
/// ```swift
/// let crc32 = try bundle.function("crc32", "(bytes) -> uint32")
/// let sum = try crc32(.bytes(data)).uint64
/// ```
/// The signature must be correct: a shared object does not contain it, and a wrong one is undefined behaviour, like a
/// wrong declaration in C. Prefer the signatures that the plug-in itself states. If the signature is known when the
/// application is compiled, ``TypedForeignFunction`` is shorter to write and faster.
///
/// **Threads.** As the C function allows; the object itself may be shared. **Lifetime.** May be kept. Calls throw while
/// the bundle is unloaded, and work again after the next load. **Cost.** A call through libffi and an array of values.
public final class ForeignFunction: @unchecked Sendable {
    // @unchecked because of the code's address, which is constant.

    /// The name under which the plug-in registered it.
    public let name: String
    /// The types of its arguments and its result.
    public let signature: ForeignSignature
    /// The bundle that offers it.
    public let bundle: PluginBundle
    private let code: plugin_code
    private let prepared: PreparedSignature
    private let call: OpaquePointer
    private let isThrowing: Bool
    private let loaded: LoadedCode
    /// The number of arguments of a call in this process; -1 if the function is in another process, so that one
    /// comparison detects that case too.
    private let argumentCount: Int
    /// Whether it may be called while the bundle is unloaded, because it belongs to an existing object.
    private let outlivesUnload: Bool

    init(
        name: String, signature: ForeignSignature, code: @escaping plugin_code, bundle: PluginBundle,
        loaded: LoadedCode, isElsewhere: Bool = false, outlivesUnload: Bool = false
    ) throws(PluginError) {
        guard let prepared = PreparedSignature(signature) else {
            throw bundle.functionError(
                .functionUnavailable, name, "cannot be called as \(quoted(signature.description)): libffi refuses it",
                remedy: "Use another signature, or try again when the system has memory to spare.")
        }
        self.name = name
        self.signature = signature
        self.bundle = bundle
        self.code = code
        self.prepared = prepared
        self.loaded = loaded
        self.outlivesUnload = outlivesUnload
        call = prepared.call
        isThrowing = signature.isThrowing
        argumentCount = isElsewhere ? -1 : signature.arguments.count
    }

    /// Calls the function.
    ///
    /// - Parameter arguments: as many as the signature has, each of the right type.
    /// - Returns: the result, with the type that the signature states.
    /// - Throws: ``PluginError``. If the function was not called: `argumentInvalid` for an argument that does not
    ///   match, or `functionUnavailable` if the bundle was unloaded. If it was called: `functionFailed` if a function
    ///   that `throws` failed, or if a C++ exception left it; `resultInvalid` if the result is NULL or not UTF-8; for a
    ///   plug-in in a worker process, `workerEnded` and `callTimedOut` if the process ended. An error that a callback
    ///   threw is thrown unchanged.
    @discardableResult
    public func callAsFunction(_ arguments: ForeignValue...) throws -> ForeignValue {
        try call(with: arguments)
    }

    /// Calls the function with arguments in an array.
    ///
    /// - Parameter arguments: as many as the signature has, each of the right type.
    /// - Returns: the result, with the type that the signature states.
    /// - Throws: the same errors as ``callAsFunction(_:)``.
    @discardableResult
    public func call(with arguments: [ForeignValue]) throws -> ForeignValue {
        guard arguments.count == argumentCount else {
            guard argumentCount < 0, arguments.count == signature.arguments.count else {
                throw wrongCount(arguments.count)
            }
            return try callElsewhere(arguments)
        }
        var loans = ForeignLoans()
        let resultRoom = (prepared.resultSize + 15) & ~15
        let size = resultRoom + prepared.argumentsSize
        return try withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { room in
            let result = room.baseAddress!  // there is always space for a result
            let place = result + resultRoom
            do {
                let value = try write(arguments, from: 0, to: place, &loans) {
                    try invoke(place, result)
                    // Read the result while the arguments are valid, because it may point into them.
                    return try read(result)
                }
                if let failure = loans.failure { throw failure }
                return value
            } catch {
                throw loans.failure ?? error
            }
        }
    }

    private func read(_ result: UnsafeMutableRawPointer) throws(PluginError) -> ForeignValue {
        do throws(ForeignFault) { return try signature.result.value(at: result) } catch { throw invalidResult(error) }
    }

    func invalidResult(_ fault: ForeignFault) -> PluginError {
        bundle.functionError(
            .resultInvalid, name, "gave a result that \(fault)",
            remedy: "The plug-in's author must return what the signature \(quoted(signature.description)) says.")
    }

    func invalidArgument(_ argument: ForeignValue, _ index: Int, _ fault: ForeignFault) -> PluginError {
        bundle.functionError(
            .argumentInvalid, name, "was called with \(argument.shown) as argument \(index + 1), which \(fault)",
            remedy: "Its signature is \(quoted(signature.description)).")
    }

    /// Writes the arguments, beginning with an index, and calls a body while the function borrows them.
    ///
    /// Bytes are not copied.
    private func write(
        _ arguments: [ForeignValue], from first: Int, to start: UnsafeMutableRawPointer, _ loans: inout ForeignLoans,
        _ body: () throws -> ForeignValue
    ) throws -> ForeignValue {
        for index in first..<arguments.count {
            let type = signature.arguments[index]
            let place = start + prepared.offsets[index]
            if case .bytes(let bytes) = arguments[index], type.plain == .bytes {
                return try bytes.withUnsafeBytes { borrowed -> ForeignValue in
                    // Empty bytes need an address too, because NULL means that there are no bytes.
                    let address = borrowed.baseAddress ?? UnsafeRawPointer(place)
                    place.storeBytes(of: plugin_bytes(ptr: address, len: borrowed.count), as: plugin_bytes.self)
                    return try write(arguments, from: index + 1, to: start, &loans, body)
                }
            }
            do throws(ForeignFault) {
                try write(arguments[index], index, type, to: place, &loans)
            } catch {
                throw invalidArgument(arguments[index], index, error)
            }
        }
        return try body()
    }

    private func write(
        _ argument: ForeignValue, _ index: Int, _ type: ForeignType, to place: UnsafeMutableRawPointer,
        _ loans: inout ForeignLoans
    ) throws(ForeignFault) {
        guard case .callback(let callback) = argument, let signature = prepared.callbacks[index] else {
            return try loans.write(argument, as: type, to: place)
        }
        let plugin = bundle.displayIdentifier
        if case .kept = type {
            place.storeBytes(of: try callback.keptCode(signature, for: plugin), as: UnsafeMutableRawPointer.self)
        } else {
            try loans.write(callback, as: signature, for: plugin, to: place)
        }
    }

    // MARK: The call itself

    /// Whether the arguments and the result are numbers, and the result fits in ``plainResult`` bytes.
    var isPlain: Bool {
        argumentCount >= 0 && prepared.resultSize <= Self.plainResult && signature.result.isPlain
            && signature.arguments.allSatisfy(\.isPlain)
    }

    /// A constant, so that a typed call keeps its result on the stack.
    @inlinable static var plainResult: Int { 64 }

    /// Calls the function with arguments that are laid out like the fields of a struct, and writes its result to an
    /// address with space for at least 16 bytes.
    @usableFromInline
    func invoke(_ arguments: UnsafeRawPointer, _ result: UnsafeMutableRawPointer) throws(PluginError) {
        guard loaded.isOffered.load(ordering: .acquiring) || outlivesUnload else { throw unloaded }
        HeldLocks.preconditionNone(before: "a C function of a plug-in")
        // Discards an error that was set before this call.
        if isThrowing { _ = loaded.table.takeReason() }
        let outcome = phs_call_foreign(call, code, arguments, result)
        if outcome.thrown != nil || outcome.status != PLUGIN_OK { throw failure(outcome) }
    }

    @inline(never)
    private func failure(_ outcome: phs_outcome) -> PluginError {
        if let exception = outcome.thrown {
            let exception = CPlusPlusException(taking: exception)
            return bundle.functionError(
                .functionFailed, name, "failed: \(exception.complaint)", remedy: exception.remedy(in: name),
                systemMessage: exception.text)
        }
        let reason = loaded.table.takeReason()
        let words = reason?.words
        return bundle.functionError(
            .functionFailed, name,
            "failed\(reason?.origin ?? ""): \(words ?? "it returned \(outcome.status) and gave no reason")",
            remedy: words == nil
                ? "The plug-in's author should call set_error() before returning a failure." : reason?.hint ?? "",
            systemMessage: words)
    }

    var unloaded: PluginError {
        bundle.functionError(
            .functionUnavailable, name, "cannot be called, because its bundle was unloaded or replaced",
            remedy: "Load the bundle again, or get the function from the bundle that replaced it.")
    }

    private func wrongCount(_ count: Int) -> PluginError {
        bundle.functionError(
            .argumentInvalid, name,
            "was called with \(counted(count, "argument")), and takes \(signature.arguments.count)",
            remedy: "Its signature is \(quoted(signature.description)).")
    }
}

extension ForeignLoans {
    /// The first error that a callback of the call threw.
    fileprivate var failure: (any Error)? { callbacks.firstNonNil(\.failure) }
}

package import BundleReading
internal import CPluginSupport
internal import CPluginSupport.Shims
import Glibc
import HostBasics
import HostLogging
internal import PluginABI

/// A closure of the application that a plug-in calls as a C function.
///
/// If a signature has `(int32) -> bool`, the plug-in may call the closure until the function returns. If it has `kept
/// (int32) -> bool`, the plug-in may keep the closure and call it until ``release()``.
///
/// ```swift
/// let progress = ForeignCallback { (done: Int32) -> Bool in done < 90 }
/// try subscribe(.callback(progress))      // "(kept (int32) -> bool) -> void"
/// …
/// try unsubscribe(.callback(progress))    // the same address as before
/// progress.release()
/// ```
/// If a kept closure throws, the error is logged. The plug-in then gets a zero, or a failure if the callback `throws`.
///
/// **Threads.** The plug-in may call it on any thread, also concurrently. **Lifetime.** A kept callback lives until
/// ``release()``, even if the application has no reference to it. A call after that does nothing and is logged; for
/// this purpose, a few hundred bytes stay in memory for the life of the process. **Cost.** About a microsecond for each
/// call that borrows it.
public final class ForeignCallback: Sendable, Hashable {
    package typealias Body = @Sendable ([ForeignValue]) throws -> ForeignValue

    private struct State {
        /// Nil after the release.
        var body: Body?
        /// The C functions for plug-ins that keep the closure, by signature.
        ///
        /// A plug-in gets the same address each time.
        var kept: [ForeignSignature: ForeignTrampoline] = [:]
    }

    private let state: Lock<State>
    /// Whether the closure's types match a signature.
    private let accepts: @Sendable (ForeignSignature) -> Bool

    /// Creates a callback from a closure that takes and returns values.
    ///
    /// - Parameter body: takes values of the types in the callback's signature, and returns a value of its result type.
    public init(_ body: @escaping @Sendable ([ForeignValue]) throws -> ForeignValue) {
        state = Lock(State(body: body))
        accepts = { _ in true }
    }

    /// Creates a callback from a closure of Swift types.
    ///
    /// Its types must match the callback's signature.
    ///
    /// - Parameter body: the closure.
    public init<each Argument: ForeignConvertible, Result: ForeignConvertible>(
        _ body: @escaping @Sendable (repeat each Argument) throws -> Result
    ) {
        state = Lock(
            State { values in
                var next = values.makeIterator()
                func take<Value: ForeignConvertible>(_: Value.Type) throws(ForeignFault) -> Value {
                    guard let value = next.next().flatMap({ Value(foreignValue: $0) }) else {
                        throw ForeignFault("is not of type \(Value.self)")
                    }
                    return value
                }
                return try body(repeat take((each Argument).self)).foreignValue
            })
        accepts = { signature in
            var types = signature.arguments[...]
            var fits = Result.isForeign(signature.result)
            for type in repeat (each Argument).self {
                guard let next = types.popFirst() else { return false }
                fits = fits && type.isForeign(next)
            }
            return fits && types.isEmpty
        }
    }

    /// Creates a callback from a closure of Swift types that returns nothing.
    ///
    /// - Parameter body: the closure.
    public convenience init<each Argument: ForeignConvertible>(
        _ body: @escaping @Sendable (repeat each Argument) throws -> Void
    ) {
        self.init { (argument: repeat each Argument) -> ForeignVoid in
            try body(repeat each argument)
            return ForeignVoid()
        }
    }

    /// Ends the use of a kept callback: releases the closure, after which calls of the plug-in do nothing.
    ///
    /// Make the plug-in forget the callback first. A call that is running on another thread completes.
    public func release() {
        // Released outside of the lock, because releasing a closure may run any code.
        let old = state.withLock { $0.body.take() }
        withExtendedLifetime(old) {}
    }

    /// The closure; nil after the release.
    package var body: Body? { state.withLock(\.body) }

    package func requireFit(_ signature: ForeignSignature) throws(ForeignFault) {
        if !accepts(signature) { throw ForeignFault("is a closure of other types than \(signature)") }
    }

    /// The address of the C function for a plug-in that keeps the callback.
    package func keptCode(
        _ signature: PreparedSignature, for plugin: String
    ) throws(ForeignFault) -> UnsafeMutableRawPointer {
        try requireFit(signature.signature)
        if body == nil { throw ForeignFault("was released") }
        if let known = state.withLock({ $0.kept[signature.signature] }) { return known.code }
        // The trampoline and this object keep each other alive for ever, because it is unknown which call of the
        // plug-in is the last one.
        let new = try ForeignTrampoline(signature) { [self] arguments, result, type in
            guard let body else {
                HostLog.write(
                    .error, bundleIdentifier: plugin,
                    "The plug-in called a callback that was released; nothing was done.")
                return false
            }
            do {
                try ForeignTrampoline.run(body, arguments, result, type)
                return true
            } catch {
                HostLog.write(
                    .error, bundleIdentifier: plugin, "A callback that the plug-in keeps failed: \(error)")
                return false
            }
        }
        return state.withLock { state in
            if let first = state.kept[signature.signature] { return first.code }
            state.kept[signature.signature] = new
            return new.code
        }
    }

    /// Whether both are the same object.
    public static func == (a: ForeignCallback, b: ForeignCallback) -> Bool { a === b }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A callback for one call of a function.
///
/// The first error that it throws becomes the error of that call.
package final class BorrowedCallback: Sendable {
    /// The first error.
    ///
    /// A class, because the trampoline's closure shares it.
    private final class Failure: Sendable {
        let first = Lock<(any Error)?>(nil)
    }

    private let failed = Failure()
    private let trampoline: ForeignTrampoline

    init(_ callback: ForeignCallback, _ signature: PreparedSignature, _ plugin: String) throws(ForeignFault) {
        try callback.requireFit(signature.signature)
        guard let body = callback.body else { throw ForeignFault("was released") }
        trampoline = try ForeignTrampoline(signature) { [failed] arguments, result, type in
            if failed.first.withLock({ $0 != nil }) { return false }
            do {
                try ForeignTrampoline.run(body, arguments, result, type)
                return true
            } catch {
                failed.first.withLock { first in if first == nil { first = error } }
                return false
            }
        }
    }

    var code: UnsafeMutableRawPointer { trampoline.code }

    package var failure: (any Error)? { failed.first.withLock { $0 } }
}

/// A C function that libffi makes at run time, and that calls a handler.
package final class ForeignTrampoline: @unchecked Sendable {
    // @unchecked because of the pointer, which is written once, in init.

    /// Handles a call of the C function.
    ///
    /// It receives the arguments, or the reason why they do not match the signature. It writes the result and returns
    /// true, or returns false for a failure.
    package typealias Handler =
        @Sendable (Result<[ForeignValue], ForeignFault>, UnsafeMutableRawPointer?, ForeignType) -> Bool

    private let signature: PreparedSignature
    private let handler: Handler
    private var closure: OpaquePointer?

    package init(_ signature: PreparedSignature, _ handler: @escaping Handler) throws(ForeignFault) {
        self.signature = signature
        self.handler = handler
        closure = phs_ffi_closure_make(
            signature.call,
            { context, result, arguments in
                guard let context, let arguments else { return plugin_status(PLUGIN_FAILED) }
                let trampoline = Unmanaged<ForeignTrampoline>.fromOpaque(context).takeUnretainedValue()
                return trampoline.run(arguments, result)
            }, Unmanaged.passUnretained(self).toOpaque())
        if closure == nil { throw ForeignFault("cannot be made a C function: the system gives no memory for code") }
    }

    deinit { if let closure { phs_ffi_closure_free(closure) } }

    package var code: UnsafeMutableRawPointer { phs_ffi_closure_code(closure) }

    private func run(
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer?
    ) -> plugin_status {
        let type = signature.signature.result
        if handler(values(arguments), result, type) { return plugin_status(PLUGIN_OK) }
        if let result { memset(result, 0, type.layout.size) }
        return plugin_status(PLUGIN_FAILED)
    }

    private func values(
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>
    ) -> Result<[ForeignValue], ForeignFault> {
        Result { () throws(ForeignFault) in
            var values: [ForeignValue] = []
            var next = arguments
            for (index, type) in signature.signature.arguments.enumerated() {
                guard let place = next.pointee else { throw ForeignFault("is missing") }
                do throws(ForeignFault) {
                    if type.plain == .bytes {
                        next += 1
                        var bytes = plugin_bytes(
                            ptr: place.load(as: UnsafeRawPointer?.self), len: next.pointee?.load(as: Int.self) ?? 0)
                        values.append(try type.value(at: &bytes))
                    } else {
                        values.append(try type.value(at: place))
                    }
                } catch {
                    throw ForeignFault("argument \(index + 1) that the plug-in gave \(error.description)")
                }
                next += 1
            }
            return values
        }
    }

    /// Calls a closure and writes its result.
    static func run(
        _ body: ForeignCallback.Body, _ arguments: Result<[ForeignValue], ForeignFault>,
        _ result: UnsafeMutableRawPointer?, _ type: ForeignType
    ) throws {
        let value = try body(arguments.get())
        var loans = ForeignLoans()
        guard let result else {
            if value != .void { throw ForeignFault("the result of the callback, \(value.shown), is not of type void") }
            return
        }
        do throws(ForeignFault) {
            try loans.write(value, as: type, to: result)
        } catch {
            throw ForeignFault("the result of the callback, \(value.shown), \(error.description)")
        }
    }
}

/// A function of the caller that the called object may use until its own method returns.
///
/// ```swift
/// func convert(_ text: String, progress: RemoteCallback<Bool, Double>) throws -> String
/// …
/// try converter.convert(text, progress: RemoteCallback { fraction in show(fraction); return !isStopped })
/// ```
///
/// The parameters of the type are the result and then the arguments. A callback that returns nothing useful returns a
/// `Bool`, because `Void` cannot cross.
///
/// The function runs in the caller's process, while the caller waits for the end of the
/// method; errors that it throws reach the object. The callbacks of one call run one at a time, on whatever thread the
/// object calls them. A callback works until the method returns; afterwards it throws ``RemoteFailure`` with code
/// `callRefused`.
///
/// **Threads.** Any, one at a time.
public struct RemoteCallback<Result: RemoteValue, each Argument: RemoteValue>: RemoteValue, Sendable {
    @usableFromInline let body: @Sendable (repeat each Argument) throws -> Result

    /// A callback that runs a function.
    ///
    /// - Parameter body: the function.
    public init(_ body: @escaping @Sendable (repeat each Argument) throws -> Result) {
        self.body = body
    }

    /// Runs the function.
    ///
    /// - Parameter argument: its arguments.
    /// - Returns: its result.
    /// - Throws: the error of the function; ``RemoteFailure`` if the call that passed the callback has ended, or if
    ///   another callback of the same call is running.
    public func callAsFunction(_ argument: repeat each Argument) throws -> Result {
        try body(repeat each argument)
    }

    /// Writes the callback's number among the callbacks of the call.
    @inlinable
    public func write(to writer: inout RemoteWriter) throws {
        let body = body
        let number = try writer.output.attach { reader in
            let arguments = (repeat try reader.next((each Argument).self))
            let call = try reader.perform()
            let result = try body(repeat each arguments)
            try call.reply { try $0.write(result) }
        }
        try writer.write(integer: number)
    }

    /// Reads the number of a callback of the call.
    @inlinable
    public static func read(from reader: inout RemoteReader) throws -> Self {
        let number: UInt32 = try reader.integer()
        let call = try reader.callOfCallback()
        return Self { (argument: repeat each Argument) in
            var result: Result?
            try call.callBack(number) { writer in
                repeat try writer.write(each argument)
            } read: { reader in
                result = try reader.next(Result.self)
            }
            // callBack() has read the answer, or has thrown.
            return result!
        }
    }
}

/// Reads the arguments of a callback, calls it and sends its result.
@usableFromInline
typealias RemoteCallbackBody = (inout RemoteReader) throws -> Void

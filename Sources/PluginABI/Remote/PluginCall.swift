import Glibc
import Synchronization

/// What a plug-in can learn about the call that it performs, and the limits that a caller can set for its calls.
///
/// Both are the same within the application's process and across processes.
public enum PluginCall {
    /// Whether the caller no longer wants the result.
    ///
    /// A plug-in checks this in its loops and returns early, or throws. It is true when the time limit of
    /// ``within(_:_:)`` has passed, when the caller cancelled the call, and in a cancelled task.
    ///
    /// **Threads.** The thread that performs the call. **Cost.** A few nanoseconds; under a time limit, also reading a
    /// clock.
    public static var isCancelled: Bool {
        var scope = CallScope.current
        while let current = scope {
            if current.pointee.isOver { return true }
            scope = current.pointee.outer
        }
        return withUnsafeCurrentTask { $0?.isCancelled ?? false }
    }

    /// Sets one time limit for all calls that a function makes on this thread.
    ///
    /// ```swift
    /// let text = try PluginCall.within(.seconds(5)) { try filter.filter(passage) }
    /// ```
    /// When the time limit passes, a call to a plug-in in a worker fails as the application's policy states. A plug-in
    /// in this process cannot be interrupted: it only sees in ``isCancelled`` that the time has passed.
    ///
    /// - Parameters:
    ///   - time: how long all calls together may take. If an enclosing limit ends earlier, the earlier one applies.
    ///   - body: makes the calls.
    /// - Returns: the result of the body.
    public static func within<Result>(_ time: Duration, _ body: () throws -> Result) rethrows -> Result {
        let limit = ContinuousClock.now + time
        return try CallScope.run(CallScope(deadline: deadline.map { min($0, limit) } ?? limit), body)
    }

    /// Whether ``isCancelled`` can become true on this thread for a reason other than a time limit.
    ///
    /// For a transport, which must then poll, because nothing notifies it.
    @_spi(PluginHost)
    public static var isCancellable: Bool {
        var scope = CallScope.current
        while let current = scope {
            if current.pointee.cancellation != nil || current.pointee.call != nil { return true }
            scope = current.pointee.outer
        }
        return withUnsafeCurrentTask { $0 != nil }
    }

    /// When the time limit for calls of this thread ends, for a transport; nil for no limit.
    @_spi(PluginHost)
    public static var deadline: ContinuousClock.Instant? {
        var scope = CallScope.current
        while let current = scope {
            // Each scope already has the earliest limit of all the scopes around it.
            if let deadline = current.pointee.deadline { return deadline }
            scope = current.pointee.outer
        }
        return nil
    }
}

/// The state of the calls in progress on one thread: a stack whose top is stored in the thread.
///
/// Why not a task-local value: tasks that run at the same time as the call would inherit it. Only ``taskCall`` is one.
struct CallScope {
    var deadline: ContinuousClock.Instant?
    /// The request of another process that this thread is performing.
    var call: ServedCall?
    var cancellation: CallCancellation?
    private(set) var outer: UnsafePointer<CallScope>?

    init(
        deadline: ContinuousClock.Instant? = nil, call: ServedCall? = nil, cancellation: CallCancellation? = nil
    ) {
        self.deadline = deadline
        self.call = call
        self.cancellation = cancellation
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Needs no destructor: the function that pushes a scope also removes it.
        guard pthread_key_create(&key, nil) == 0 else { fatalError("The process has no free thread-local keys.") }
        return key
    }()

    /// The innermost scope of this thread.
    ///
    /// It exists until the function that runs inside it returns.
    static var current: UnsafePointer<CallScope>? {
        pthread_getspecific(key).map { UnsafePointer($0.assumingMemoryBound(to: CallScope.self)) }
    }

    /// Runs a function inside a scope, which stays on the stack until the function returns.
    static func run<Result>(_ scope: consuming CallScope, _ body: () throws -> Result) rethrows -> Result {
        let outer = current
        scope.outer = outer
        return try withUnsafePointer(to: scope) { place in
            pthread_setspecific(key, place)
            defer { pthread_setspecific(key, outer) }
            return try body()
        }
    }

    /// Whether the calls of this scope are no longer wanted.
    var isOver: Bool {
        if let cancellation, cancellation.isCancelled { return true }
        if let call, call.channel.isCancelled { return true }
        if let deadline { return ContinuousClock.now >= deadline }
        return false
    }

    /// The innermost request from the other side of a connection that this thread or its task is performing.
    static func call(over connection: any RemoteConnection) -> ServedCall? {
        var scope = current
        while let current = scope {
            if let call = current.pointee.call, call.connection === connection { return call }
            scope = current.pointee.outer
        }
        guard let call = taskCall, call.connection === connection else { return nil }
        return call
    }

    /// The request of another process that this task is performing.
    ///
    /// Its child tasks inherit it. That is harmless: a call gives the turn for a request to one of them at a time, and
    /// to none after the call has ended.
    @TaskLocal static var taskCall: ServedCall?
}

/// Whether a call that a task is waiting for was cancelled.
final class CallCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var channel: (any RemoteChannel)?
    }

    private let state = ObservedMutex(State())

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Cancels the call, now or when it begins.
    ///
    /// Why under the lock: after this call ends, the channel serves another call. The transport's `cancel` only records
    /// the cancellation.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.channel?.cancel()
        }
    }

    /// Sets the channel that the call uses; nil once the call has ended.
    func use(_ channel: (any RemoteChannel)?) {
        let previous = state.withLock { state in
            let previous = state.channel
            state.channel = channel
            if state.isCancelled { channel?.cancel() }
            return previous
        }
        withExtendedLifetime(previous) {}
    }
}

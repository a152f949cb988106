import Glibc
import Synchronization

/// What a plug-in can know about the call that it performs, and what a caller can demand for its calls; the same in the
/// application's process and in another one.
public enum PluginCall {
    /// Whether the caller no longer wants the result.
    ///
    /// A plug-in asks this in its loops and returns early, or throws. It is true when the time of ``within(_:_:)`` is
    /// over, when the caller cancelled the call, and in a task that was cancelled.
    ///
    /// **Threads.** The one that performs the call. **Cost.** A few nanoseconds; while a time runs, reading a clock.
    public static var isCancelled: Bool {
        var scope = CallScope.current
        while let current = scope {
            if current.pointee.isOver { return true }
            scope = current.pointee.outer
        }
        return withUnsafeCurrentTask { $0?.isCancelled ?? false }
    }

    /// Gives all calls that a function makes on this thread a time limit together.
    ///
    /// ```swift
    /// let text = try PluginCall.within(.seconds(5)) { try filter.filter(passage) }
    /// ```
    /// A call to a plug-in in another process fails when the time is over, as the application's policy says. A plug-in in
    /// this process cannot be interrupted: it only learns from ``isCancelled`` that the time is over.
    ///
    /// - Parameters:
    ///   - time: how long all calls may take together; a limit that is already running and ends earlier stays.
    ///   - body: makes the calls.
    /// - Returns: the result of the body.
    public static func within<Result>(_ time: Duration, _ body: () throws -> Result) rethrows -> Result {
        let limit = ContinuousClock.now + time
        return try CallScope.run(CallScope(deadline: deadline.map { min($0, limit) } ?? limit), body)
    }

    /// Whether ``isCancelled`` can become true on this thread without a time that is over, for a transport: it then looks
    /// from time to time, because nobody reports it.
    @_spi(PluginHost)
    public static var isCancellable: Bool {
        var scope = CallScope.current
        while let current = scope {
            if current.pointee.cancellation != nil || current.pointee.call != nil { return true }
            scope = current.pointee.outer
        }
        return withUnsafeCurrentTask { $0 != nil }
    }

    /// When the time for calls of this thread is over, for a transport; nil for no limit.
    @_spi(PluginHost)
    public static var deadline: ContinuousClock.Instant? {
        var scope = CallScope.current
        while let current = scope {
            // Each has the earliest of all around it.
            if let deadline = current.pointee.deadline { return deadline }
            scope = current.pointee.outer
        }
        return nil
    }
}

/// What is known about the calls under way on one thread: a stack, whose top the thread has.
///
/// Why not a task-local value: it would be inherited by tasks that run at the same time as the call. Only ``taskCall`` is one.
struct CallScope {
    var deadline: ContinuousClock.Instant?
    /// A request of another process that this thread performs.
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
        // Without a destructor: each scope is removed by the function that pushed it.
        guard pthread_key_create(&key, nil) == 0 else { fatalError("The process has no free thread-local keys.") }
        return key
    }()

    /// The innermost scope of this thread; it exists until the function returns that runs inside of it.
    static var current: UnsafePointer<CallScope>? {
        pthread_getspecific(key).map { UnsafePointer($0.assumingMemoryBound(to: CallScope.self)) }
    }

    /// Runs a function inside a scope, which is on the stack meanwhile.
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

    /// The innermost request of a connection's other side that this thread or its task performs.
    static func call(over connection: any RemoteConnection) -> ServedCall? {
        var scope = current
        while let current = scope {
            if let call = current.pointee.call, call.connection === connection { return call }
            scope = current.pointee.outer
        }
        guard let call = taskCall, call.connection === connection else { return nil }
        return call
    }

    /// The request of another process that this task performs.
    ///
    /// Its child tasks have it too. That does no harm: a call gives the turn for a request to one of them at a time, and to
    /// none after its end.
    @TaskLocal static var taskCall: ServedCall?
}

/// Whether a call that a task waits for was cancelled.
final class CallCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var channel: (any RemoteChannel)?
    }

    private let state = ObservedMutex(State())

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Cancels the call, now or when it begins.
    ///
    /// Under the lock, because another call has the channel after the end of this one. The function of a transport only
    /// notes the cancellation.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.channel?.cancel()
        }
    }

    /// The call uses a channel from now on; nil after it has ended.
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

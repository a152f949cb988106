import Dispatch

/// What one thread waits for, and another one gives, once.
///
/// **Threads.** Any.
final class Reply<Value: Sendable>: Sendable {
    private let value = Lock<Value?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    /// The first value counts.
    func give(_ new: Value) {
        let isFirst = value.withLock { value in
            if value != nil { return false }
            value = new
            return true
        }
        if isFirst { semaphore.signal() }
    }

    /// Waits for the value, but not longer than a time.
    func wait(within time: Duration) -> Value? {
        guard semaphore.wait(timeout: .now() + time / .seconds(1)) == .success else { return nil }
        semaphore.signal()
        return value.withLock(\.self)
    }

    /// Waits for the value.
    func wait() -> Value {
        semaphore.wait()
        // For other threads that wait, too.
        semaphore.signal()
        return value.withLock(\.self)!
    }
}

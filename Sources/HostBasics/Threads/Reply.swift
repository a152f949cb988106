import Dispatch

/// What one thread waits for, and another one gives, once.
///
/// **Threads.** Any.
package final class Reply<Value: Sendable>: Sendable {
    private let value = Lock<Value?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    /// The first value counts.
    package func give(_ new: Value) {
        let isFirst = value.withLock { value in
            if value != nil { return false }
            value = new
            return true
        }
        if isFirst { semaphore.signal() }
    }

    /// Waits for the value, but not longer than a time.
    package func wait(within time: Duration) -> Value? {
        guard semaphore.wait(timeout: .now() + time / .seconds(1)) == .success else { return nil }
        semaphore.signal()
        return value.withLock(\.self)
    }

    /// Waits for the value.
    package func wait() -> Value {
        semaphore.wait()
        // For other threads that wait, too.
        semaphore.signal()
        return value.withLock(\.self)!
    }
}

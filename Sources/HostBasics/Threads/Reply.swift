import Dispatch

/// A value that one thread waits for and another thread supplies, once.
///
/// **Threads.** Any.
package final class Reply<Value: Sendable>: Sendable {
    private let value = Lock<Value?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    /// Supplies the value.
    ///
    /// Only the first call has an effect.
    package func give(_ new: Value) {
        let isFirst = value.withLock { value in
            if value != nil { return false }
            value = new
            return true
        }
        if isFirst { semaphore.signal() }
    }

    /// Waits for the value; nil if it does not arrive in time.
    package func wait(within time: Duration) -> Value? {
        guard semaphore.wait(timeout: .now() + time / .seconds(1)) == .success else { return nil }
        semaphore.signal()
        return value.withLock(\.self)
    }

    /// Waits for the value.
    package func wait() -> Value {
        semaphore.wait()
        // Wakes the next waiting thread, if any.
        semaphore.signal()
        return value.withLock(\.self)!
    }
}

import Foundation

/// A value behind a POSIX mutex, which the thread sanitiser knows, unlike the inside of the standard library's Mutex.
public final class Locked<Value>: @unchecked Sendable {
    // @unchecked because of the value, which is reached under the lock only.
    private let lock = NSLock()
    private var value: Value

    /// A value that threads share.
    public init(_ value: Value) { self.value = value }

    /// Calls the body with the value, one thread at a time.
    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

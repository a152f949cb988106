import Foundation

/// A value behind a POSIX mutex.
///
/// The thread sanitiser knows that mutex, but not the inside of the standard library's.
public final class Locked<Value>: @unchecked Sendable {
    // @unchecked because of the value, which is used only under the lock.
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

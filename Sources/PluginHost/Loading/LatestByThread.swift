import Glibc

/// The latest value that each thread has set and not yet taken.
struct LatestByThread<Value: Sendable>: Sendable {
    private var values: [pthread_t: Value] = Dictionary()  // [:] would be a call at each load

    /// Threads may set values and end without taking them.
    ///
    /// They must not accumulate.
    private static var most: Int { 64 }

    /// Sets the value of the calling thread.
    mutating func set(_ value: Value) {
        if values.count >= Self.most { values.removeAll() }
        values[pthread_self()] = value
    }

    /// Removes and returns the value of the calling thread.
    mutating func take() -> Value? { values.removeValue(forKey: pthread_self()) }
}

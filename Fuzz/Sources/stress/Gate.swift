import Foundation

/// Stops threads together.
final class Gate: @unchecked Sendable {
    // @unchecked because of the variables, which are used only under the condition's lock.
    private let condition = NSCondition()
    private var isClosed = false
    private var waiting = 0
    private var isOver = false

    /// Called by a thread between two operations.
    ///
    /// - Parameter drop: called before it stops.
    /// - Returns: whether to continue.
    func pass(_ drop: () -> Void) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while isClosed, !isOver {
            condition.unlock()
            drop()
            condition.lock()
            waiting += 1
            condition.broadcast()
            while isClosed, !isOver { condition.wait() }
            waiting -= 1
        }
        return !isOver
    }

    /// Closes the gate, and calls body when that many threads wait at it.
    ///
    /// - Returns: nil if they did not arrive in time.
    func whileClosed<Result>(_ threads: Int, patience: TimeInterval, _ body: () -> Result) -> Result? {
        condition.lock()
        isClosed = true
        let limit = Date(timeIntervalSinceNow: patience)
        var isInTime = true
        while waiting < threads, isInTime { isInTime = condition.wait(until: limit) }
        let isComplete = waiting == threads
        condition.unlock()
        let result = isComplete ? body() : nil
        condition.lock()
        isClosed = false
        condition.broadcast()
        condition.unlock()
        return result
    }

    func end() {
        condition.lock()
        isOver = true
        condition.broadcast()
        condition.unlock()
    }
}

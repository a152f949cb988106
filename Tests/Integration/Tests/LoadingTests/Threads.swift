import Dispatch
import Foundation
import Testing

/// Runs a body on many threads that start together.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let start = DispatchSemaphore(value: 0)
    let done = DispatchGroup()
    for index in 0..<count {
        done.enter()
        let thread = Thread {
            start.wait()
            body(index)
            done.leave()
        }
        thread.stackSize = 256 << 10
        thread.start()
    }
    for _ in 0..<count { start.signal() }
    done.wait()
}

/// Waits until a condition holds, and a minute at most: a test that fails must end.
///
/// - Returns: whether it holds.
@discardableResult
func waitUntil(_ what: String, _ holds: () -> Bool) -> Bool {
    let limit = ContinuousClock.now.advanced(by: .seconds(60))
    while !holds() {
        guard ContinuousClock.now < limit else {
            Issue.record("It took longer than a minute until \(what).")
            return false
        }
        usleep(100)
    }
    return true
}

import Dispatch
import Foundation
import Testing

/// Runs a body on many threads that start together, and waits until all have ended, for at most five minutes.
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
    // Under the thread sanitiser a thousand threads take about twenty seconds.
    if done.wait(timeout: .now() + 300) != .success { Issue.record("The threads did not end within five minutes.") }
}

/// Waits for a signal, for at most a minute.
///
/// - Returns: whether it came.
@discardableResult
func waitUntil(_ what: String, _ signal: DispatchSemaphore) -> Bool {
    if signal.wait(timeout: .now() + 60) == .success { return true }
    Issue.record("It took longer than a minute until \(what).")
    return false
}

/// Waits until a condition is true, for at most a minute, because a failing test must end.
///
/// - Returns: whether it is true.
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

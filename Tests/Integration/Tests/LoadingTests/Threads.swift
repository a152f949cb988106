import Dispatch
import Foundation

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

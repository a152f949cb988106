import Foundation
import Testing

/// Longer than any wait of a test needs, because a failing test must end.
private let patience: TimeInterval = 120

/// Runs a body on several threads and waits for all.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let done = DispatchGroup()
    for number in 0..<count {
        done.enter()
        Thread {
            body(number)
            done.leave()
        }.start()
    }
    done.wait(until: "all threads have ended")
}

extension DispatchGroup {
    func wait(until what: String) {
        if wait(timeout: .now() + patience) != .success {
            Issue.record("It took longer than two minutes until \(what).")
        }
    }
}

extension DispatchSemaphore {
    func wait(until what: String) {
        if wait(timeout: .now() + patience) != .success {
            Issue.record("It took longer than two minutes until \(what).")
        }
    }
}

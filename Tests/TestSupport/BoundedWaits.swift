package import Dispatch
import Foundation
package import HostBasics
import Testing

/// Longer than any wait of a test needs, because a failing test must end.
///
/// All tests begin at once and share a thread for each core, under the thread sanitiser for minutes: what one of them waits
/// for may stand behind all others.
private let patience: TimeInterval = 900

extension Wait {
    /// For what comes soon on a quiet machine.
    package static var ofATest: Wait { Wait(atMost: .seconds(patience)) }

    /// Lets other tasks of the pool run for a moment.
    ///
    /// - Returns: false when the time is over.
    package func pause() async throws -> Bool {
        try await Task.sleep(for: .milliseconds(1))
        return !isOver
    }
}

/// Runs a body on several threads and waits for all.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
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
    package func wait(until what: String) {
        if wait(timeout: .now() + patience) != .success {
            Issue.record("It took longer than a quarter of an hour until \(what).")
        }
    }
}

extension DispatchSemaphore {
    package func wait(until what: String) {
        if wait(timeout: .now() + patience) != .success {
            Issue.record("It took longer than a quarter of an hour until \(what).")
        }
    }
}

import Dispatch
import HostBasics

/// Threads that may block, to wait for the answers of asynchronous calls.
///
/// There are at most as many threads as lanes, because more could only wait for a lane. An idle thread ends after a
/// while.
///
/// **Threads.** Any.
final class LaneThreads: Sendable {
    private struct State {
        var queue: [@Sendable () -> Void] = []
        var count = 0
        var idle = 0
    }

    private let state = Lock(State())
    private let most: Int
    private let signal = DispatchSemaphore(value: 0)
    private static let idleTime = DispatchTimeInterval.seconds(5)

    init(atMost count: Int) { most = count }

    /// Runs a function soon.
    func run(_ work: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            state.queue.append(work)
            if state.idle > 0 {
                state.idle -= 1
                signal.signal()
                return false
            }
            guard state.count < most else { return false }
            state.count += 1
            return true
        }
        guard starts, DetachedThread.start({ self.work() }) != 0 else { return }
        // The system cannot start a thread. If no other thread of this pool can do the work, do it here.
        let isAlone = state.withLock { state in
            state.count -= 1
            return state.count == 0
        }
        if isAlone { while let work = next() { work() } }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { $0.queue.isEmpty ? nil : $0.queue.removeFirst() }
    }

    private func work() {
        while true {
            while let work = next() { work() }
            // Work may have arrived since. From here on, run() counts this thread as idle.
            let waits = state.withLock { state in
                guard state.queue.isEmpty else { return false }
                state.idle += 1
                return true
            }
            guard waits, !isWoken() else { continue }
            let ends = state.withLock { state in
                // If no thread counts as idle, run() is already signalling this one.
                guard state.idle > 0 else { return false }
                state.idle -= 1
                state.count -= 1
                return true
            }
            if ends { return }
            _ = isWoken()
        }
    }

    private func isWoken() -> Bool { signal.wait(timeout: .now() + Self.idleTime) == .success }
}

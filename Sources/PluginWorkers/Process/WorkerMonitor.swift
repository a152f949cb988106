internal import CPluginSupport.Shims
import Glibc
import HostBasics

/// Starts worker processes and watches all of them, on one thread that never ends.
///
/// Why one thread: the kernel kills a worker when the thread that started it ends. So when the application ends, in
/// whatever way, its workers end with it.
///
/// The thread runs no code of the application or of plug-ins, and nothing that waits for a worker.
final class WorkerMonitor: Sendable {
    typealias Work = @Sendable (MonitorLoop) -> Void

    private static let current = Lock<WorkerMonitor?>(nil)
    private let signal: CInt
    private let works = Lock<[Work]>([])
    private let forkGeneration = phs_fork_generation()

    /// The monitor of this process; its thread starts at the first call.
    ///
    /// A forked child process gets its own monitor, because the parent's thread does not exist in it.
    static func shared() throws(WorkerFailure) -> WorkerMonitor {
        try current.withLock { (current) throws(WorkerFailure) in
            if let current, current.forkGeneration == phs_fork_generation() { return current }
            let monitor = try WorkerMonitor()
            current = monitor
            return monitor
        }
    }

    private init() throws(WorkerFailure) {
        signal = phs_open_signal()
        guard signal >= 0 else { throw WorkerFailure(step: "eventfd", errno: errno) }
        let status = DetachedThread.start { [self] in MonitorLoop(self).run() }
        guard status == 0 else {
            close(signal)
            throw WorkerFailure(step: "pthread_create", errno: status)
        }
    }

    /// Runs a function on the monitor's thread soon; it must not wait.
    func perform(_ work: @escaping Work) {
        works.withLock { $0.append(work) }
        wake()
    }

    /// Makes the thread look at all workers again, because a deadline or a message was added.
    func wake() { phs_signal(signal) }

    fileprivate var descriptor: CInt { signal }

    fileprivate func takeWorks() -> [Work] {
        works.withLock { works in
            defer { works = [] }
            return works
        }
    }
}

/// The loop of the monitor's thread.
final class MonitorLoop {
    private let monitor: WorkerMonitor
    private var watched: [WatchedWorker] = []

    fileprivate init(_ monitor: WorkerMonitor) { self.monitor = monitor }

    func watch(_ worker: WatchedWorker) { watched.append(worker) }

    fileprivate func run() -> Never {
        while true {
            for work in monitor.takeWorks() { work(self) }
            var polls = [pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)]
            let now = MonotonicTime.now
            var due = UInt64.max
            for worker in watched {
                worker.addPolls(to: &polls, at: now)
                due = min(due, worker.nextTime(at: now))
            }
            // Rounded up, so that the work is due when poll() returns.
            let time = due == .max ? -1 : CInt(clamping: (max(due, now) - now + 999_999) / 1_000_000)
            if poll(&polls, nfds_t(polls.count), time) < 0 { continue }
            if polls[0].revents != 0 {
                var count: UInt64 = 0
                _ = read(monitor.descriptor, &count, MemoryLayout.size(ofValue: count))
            }
            handle(polls[1...])
        }
    }

    private func handle(_ polls: ArraySlice<pollfd>) {
        let now = MonotonicTime.now
        var living: [WatchedWorker] = []
        for (index, worker) in watched.enumerated() {
            let first = polls.startIndex + index * WatchedWorker.pollCount
            if worker.handle(polls[first..<first + WatchedWorker.pollCount], at: now) { living.append(worker) }
        }
        watched = living
    }
}

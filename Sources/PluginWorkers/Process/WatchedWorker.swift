import BundleReading
internal import CSandbox
import Dispatch
import Glibc
import HostBasics
@_spi(PluginHost) internal import PluginABI

/// A worker process as the monitor sees it: its end, its messages, its output, its deadlines and its use of memory.
///
/// **Threads.** The monitor's.
final class WatchedWorker {
    /// The descriptors that are polled for a worker.
    static let pollCount = 3
    /// The time between two looks at a worker's calls.
    static let lookInterval: UInt64 = 1_000_000_000
    /// The directory of the plug-in is measured at every second look.
    private static let looksForState = 2
    /// The time between two sums over the processes of a worker that may start some.
    private static let treeInterval: UInt64 = 500_000_000
    /// The time between the end of the control socket and the end of the process.
    private static let closingTime: UInt64 = 1_000_000_000
    /// How many messages of one worker are read before the next worker's turn.
    private static let mostMessages = 64

    let worker: PluginWorker
    private let process: phs_worker
    private let receiver: ControlReceiver
    private let socket: RemoteDescriptor
    private let output: WorkerOutput
    private let group: ControlGroup?
    private var isReceiving = true
    /// The semaphores of the lanes that wait for announced descriptors, until the socket has been read.
    private var descriptorWaits: [DispatchSemaphore] = []
    /// By when the process must have ended, after it closed its control socket or reported its crash.
    private var endsBy: UInt64?
    /// Whether the worker counts as ended, so that nothing it sends is read any more.
    private var hasEnded = false
    private var nextLook: UInt64
    private var lookCount = 0
    private var nextMemoryLook: UInt64
    private var pace = MemoryPace()
    private var nextTreeLook: UInt64
    /// When each call under way was first seen.
    private var calls: [LaneCall: ContinuousClock.Instant] = [:]

    init(
        _ worker: PluginWorker, _ process: phs_worker, socket: RemoteDescriptor, output: WorkerOutput,
        group: ControlGroup?
    ) {
        self.worker = worker
        self.process = process
        self.socket = socket
        self.output = output
        self.group = group
        receiver = ControlReceiver(socket, from: .worker)
        let now = MonotonicTime.now
        nextLook = now + Self.lookInterval
        nextMemoryLook = now + pace.interval
        nextTreeLook = worker.mayHaveProcesses ? now + Self.treeInterval : .max
    }

    // MARK: What the monitor waits for

    func addPolls(to polls: inout [pollfd], at now: UInt64) {
        polls.append(pollfd(fd: process.descriptor, events: Int16(POLLIN), revents: 0))
        let sends = worker.sender.isWaiting ? POLLOUT : 0
        polls.append(
            pollfd(fd: isReceiving ? socket.descriptor : -1, events: Int16(POLLIN | sends), revents: 0))
        let reads = output.isOpen && output.pause(at: now) == nil
        polls.append(pollfd(fd: reads ? output.pipe.descriptor : -1, events: Int16(POLLIN), revents: 0))
    }

    /// When this worker must be handled next, even if nothing arrives.
    func nextTime(at now: UInt64) -> UInt64 {
        [worker.nextDeadline, endsBy, output.isOpen ? output.pause(at: now) : nil].compactMap(\.self)
            .reduce(min(nextLook, nextMemoryLook, nextTreeLook), min)
    }

    /// - Returns: whether the process still runs.
    func handle(_ polls: ArraySlice<pollfd>, at now: UInt64) -> Bool {
        let ready = polls.map(\.revents)
        if ready[0] != 0 {
            end(phs_worker_look(process.descriptor))
            clean()
            return false
        }
        if ready[1] & Int16(POLLOUT) != 0, worker.sender.flush() { worker.sendSettings() }
        if worker.link.takeAwaits() { descriptorWaits = worker.lanes.descriptorWaits }
        if ready[1] & ~Int16(POLLOUT) != 0 || !descriptorWaits.isEmpty, receive() {
            // The descriptors of a lane were sent before the lane began to wait: they have arrived by now, or will not
            // come.
            for wait in descriptorWaits { wait.signal() }
            descriptorWaits = []
        }
        if ready[1] != 0, let signal = worker.deadlySignal {
            end(phs_worker_end(state: PHS_WORKER_KILLED, number: signal))
        } else if ready[2] != 0 {
            output.read(at: now)
        }
        checkTimes(now)
        return true
    }

    // MARK: Messages

    /// - Returns: whether nothing is left to receive now.
    private func receive() -> Bool {
        for _ in 0..<Self.mostMessages where isReceiving {
            do throws(ControlFault) {
                switch try receiver.next(until: ControlPacket.atOnce) {
                case .message(let message, let descriptors): try worker.take(message, descriptors)
                case .nothing: return true
                case .end:
                    // Usually the process ends at this moment.
                    isReceiving = false
                    endsBy = MonotonicTime.now + Self.closingTime
                }
            } catch {
                isReceiving = false
                worker.kill(error.cause)
            }
        }
        return !isReceiving
    }

    // MARK: Times

    private func checkTimes(_ now: UInt64) {
        if worker.overdue(at: now) != nil {
            // A debugger may have been attached since the last look.
            worker.lookForDebugger()
            if let cause = worker.overdue(at: now) { worker.kill(cause) }
        }
        worker.dismissIfIdle()
        if let endsBy, now >= endsBy {
            self.endsBy = nil
            endProcess(at: now)
        }
        if now >= nextMemoryLook { lookAtMemory(at: now) }
        if now >= nextTreeLook {
            nextTreeLook = now + Self.treeInterval
            worker.measure(.processes)
        }
        if now >= nextLook {
            nextLook = now + Self.lookInterval
            look()
        }
    }

    private func lookAtMemory(at now: UInt64) {
        if !hasEnded, let look = ProcessLook(process: process.process) {
            if let limit = worker.limitExceeded(by: look) { worker.kill(.limit(limit)) }
            pace.note(look.memory, limit: worker.mostMemory)
        }
        nextMemoryLook = now + pace.interval
    }

    private func endProcess(at now: UInt64) {
        if !hasEnded {
            worker.kill(.violation("it closed its control socket"))
        } else if ProcessLook(process: process.process)?.isTraced == true {
            // A debugger is attached, to look at the crash.
            endsBy = now + Self.closingTime
        } else {
            phs_worker_signal(process.descriptor, SIGKILL, true)
        }
    }

    private func look() {
        lookCount += 1
        let look = ProcessLook(process: process.process)
        worker.lookForDebugger(isTraced: look?.isTraced == true)
        if lookCount % Self.looksForState == 0 { worker.measure(.state) }
        // While a callback of the host runs, nobody waits for the plug-in.
        let current = worker.lanes.calls.filter(\.isInPlugin)
        let before = calls
        calls = Dictionary(uniqueKeysWithValues: current.map { ($0, before[$0] ?? .now) })
        worker.noteOldestCall(calls.values.min())
        worker.endIfUnused(at: nextLook - Self.lookInterval)
    }

    // MARK: The end

    private func end(_ status: phs_worker_end) {
        if hasEnded { return }
        hasEnded = true
        // The process is not reaped yet, so no other process can have its number.
        let time = worker.limitsProcessorTime ? ProcessLook.processorTime(process: process.process) : nil
        _ = receive()
        isReceiving = false
        output.finish()
        worker.end(
            status, hasRunOutOfMemory: group?.hasRunOutOfMemory == true, processorTime: time, output: output.text)
        endsBy = MonotonicTime.now + Self.closingTime
    }

    /// Cleans up after the process.
    ///
    /// It has ended, and the callers have their errors.
    ///
    /// On another thread, because it takes longer: it reads the state of each process on the machine.
    private func clean() {
        WorkerReports.clean { [worker, process, group] in
            if worker.mayHaveChildren { withUnsafePointer(to: process) { _ = phs_worker_end_session($0) } }
            _ = phs_worker_reap(process.descriptor)
            group?.remove()
            worker.isCleaned()
        }
    }
}

extension ControlFault {
    /// The fault as the cause of a worker's end.
    fileprivate var cause: WorkerEnd.Cause {
        switch self {
        case .violation(let text): .violation(text)
        // Not the worker's fault.
        case .descriptorsExhausted, .system: .host
        }
    }
}

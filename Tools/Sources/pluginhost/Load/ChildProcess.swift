import CChildProcess
import Glibc
import HostBasics
@_spi(Tools) import PluginHost
import PluginWorkers

/// A process that runs this program to load one bundle.
struct ChildProcess: ~Copyable {
    /// There is no process.
    struct Failure: Error {
        let number: Int32

        /// A finding that does not blame the bundle.
        func finding(_ bundle: PluginBundle) -> PluginFinding {
            let message = "The tool cannot start a process to load the bundle in"
            let absence = SystemCallAbsence(step: "posix_spawn", errno: number)
            return PluginFinding(
                .notStarted, filePath: bundle.bundlePath, subject: absence?.name,
                message: absence.map { "\(message): \($0.message)" } ?? "\(message).",
                remedy: absence?.remedy ?? ErrorNumber.remedy(number, to: .start),
                systemMessage: describe(errno: number))
        }
    }

    private let child: child_process

    /// Starts this program with arguments.
    ///
    /// - Parameters:
    ///   - arguments: its arguments, without the program.
    ///   - libraries: where it finds the libraries of the application.
    ///   - input: a descriptor for its standard input; -1 if it gets none.
    /// - Throws: ``Failure`` if there is no process.
    init(_ arguments: [String], _ libraries: ApplicationLibraries, input: Int32 = -1) throws(Failure) {
        var child = child_process()
        let texts = ([ProgramArguments.all.first ?? "pluginhost"] + arguments).map { strdup($0) } + [nil]
        let environment = libraries.makeEnvironment()
        defer { for text in texts + environment { free(text) } }
        let error = child_start(Path.ownExecutable, texts, environment, input, &child)
        guard error == 0 else { throw Failure(number: error) }
        self.child = child
    }

    deinit {
        for descriptor in [child.report, child.output, child.ended] where descriptor >= 0 { close(descriptor) }
    }

    /// Waits for the end of the process, within a time, and reads what it writes.
    ///
    /// Afterwards nothing that the process started is still running.
    ///
    /// - Parameters:
    ///   - mark: begins each message of its report.
    ///   - limit: how long it may run before it is killed.
    ///   - interrupts: a descriptor that becomes readable when the tool must end; -1 for none.
    ///   - showsOutput: whether its output is written to standard error.
    ///   - debugs: whether to start a debugger for the worker process that it reports; while it runs, the time does not
    ///     count.
    /// - Returns: how it ended and what it wrote.
    func run(
        mark: String, limit: Duration, interrupts: Int32, showsOutput: Bool = true, debugs: Bool = false
    ) -> ChildRun {
        let clock = ContinuousClock()
        var deadline = clock.now + limit
        var debugger: Debugger?
        var run = ChildRun(reader: ReportReader(mark: mark))
        var streams = Streams(child, interrupts, showsOutput: showsOutput)
        while true {
            let now = clock.now
            let state = child_look(child.pid)
            if debugs, debugger == nil, let worker = run.reader.waitingWorker, !state.hasEnded {
                debugger = Debugger(attachingTo: worker)
            }
            if let debugger, debugger.isRunning {
                // The user may also want to examine a process that has ended.
                debugger.look(waits: state.hasEnded)
                deadline = clock.now + limit
            }
            if state.hasEnded {
                run.end = state.kind == CHILD_EXITED ? .exited(state.number) : .killed(state.number)
                run.leftProcesses = Int(child_end(child.pid))
                break
            }
            if now >= deadline {
                run.end = .hung(stoppedBy: state.kind == CHILD_IS_STOPPED ? state.number : nil)
                kill()
                break
            }
            let wait = debugger?.isRunning == true ? Self.debuggerLook : deadline - now
            if streams.wait(atMost: wait, &run) == .interrupted {
                kill()
                interrupts_end_process(interrupts_number())
            }
        }
        streams.drain(&run)
        run.reader.end()
        return run
    }

    /// How often to check whether the user has left the debugger.
    private static let debuggerLook = Duration.milliseconds(100)

    /// How long to wait for the end of a killed process.
    ///
    /// A process that waits for a device may take longer.
    private static let longestEnd = Duration.seconds(5)

    private func kill() {
        Glibc.kill(-child.pid, SIGKILL)
        let clock = ContinuousClock()
        let deadline = clock.now + Self.longestEnd
        while !child_look(child.pid).hasEnded, clock.now < deadline { usleep(1000) }
        _ = child_end(child.pid)
    }
}

extension child_state {
    fileprivate var hasEnded: Bool { kind == CHILD_EXITED || kind == CHILD_WAS_KILLED }
}

/// What a child did.
struct ChildRun {
    enum End {
        case exited(Int32)
        case killed(Int32)
        /// The tool killed it when the time limit was reached.
        case hung(stoppedBy: Int32?)
    }

    var end = End.exited(0)
    var reader: ReportReader
    /// How many bytes it wrote to standard output and error.
    var outputCount = 0
    /// How many processes it left running, at least.
    var leftProcesses = 0

    /// More output than this is not shown.
    static let shownOutput = 1 << 20
}

/// What the tool waits for while a child runs.
private struct Streams {
    enum Event { case something, interrupted }

    private var report: pollfd
    private var output: pollfd
    private let ended: pollfd
    private let interrupts: pollfd
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var isStandardErrorOpen: Bool
    private var failedReads = 0

    init(_ child: child_process, _ interrupts: Int32, showsOutput: Bool) {
        isStandardErrorOpen = showsOutput
        func reading(_ descriptor: Int32) -> pollfd { pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }
        report = reading(child.report)
        output = reading(child.output)
        ended = reading(child.ended)
        self.interrupts = reading(interrupts)
    }

    /// The longest wait without a descriptor for the child's end.
    ///
    /// It also covers a signal that arrives before poll() begins.
    private static let longestWait = Duration.milliseconds(20)

    mutating func wait(atMost longest: Duration, _ run: inout ChildRun) -> Event {
        // Closed descriptors have the number -1, which poll() ignores.
        var entries = [report, output, ended, interrupts]
        let wait = ended.fd < 0 ? min(longest, Self.longestWait) : longest
        let (seconds, attoseconds) = wait.components
        let milliseconds = min(seconds, 3600) * 1000 + attoseconds / 1_000_000_000_000_000 + 1
        let count = poll(&entries, nfds_t(entries.count), Int32(milliseconds))
        if interrupts_number() != 0 { return .interrupted }
        guard count > 0 else { return .something }
        if entries[0].revents != 0, !readReport(&run) { report.fd = -1 }
        if entries[1].revents != 0, !readOutput(&run) { output.fd = -1 }
        return .something
    }

    /// Reads the rest in an ended child's pipes: no more than a pipe holds, because another process may still
    /// write.
    mutating func drain(_ run: inout ChildRun) {
        let most = (2 << 20) / buffer.count
        for _ in 0..<most where report.fd >= 0 { if !readReport(&run) { report.fd = -1 } }
        for _ in 0..<most where output.fd >= 0 { if !readOutput(&run) { output.fd = -1 } }
    }

    /// Whether to repeat a failed read.
    ///
    /// A failure of the tool must not look like a fault of the bundle.
    private mutating func mayPass(_ error: Int32) -> Bool {
        if error == EAGAIN || error == EINTR { return true }
        failedReads += 1
        return failedReads < Self.mostFailedReads
    }

    private static let mostFailedReads = 10

    /// - Returns: whether more may come.
    private mutating func readReport(_ run: inout ChildRun) -> Bool {
        let count = read(report.fd, &buffer, buffer.count)
        guard count > 0 else { return count < 0 && mayPass(errno) }
        run.reader.add(buffer[..<count])
        return true
    }

    private mutating func readOutput(_ run: inout ChildRun) -> Bool {
        let count = read(output.fd, &buffer, buffer.count)
        guard count > 0 else { return count < 0 && mayPass(errno) }
        show(min(count, ChildRun.shownOutput - run.outputCount))
        run.outputCount += count
        return true
    }

    /// Writes the beginning of the buffer to standard error, as far as possible.
    private mutating func show(_ count: Int) {
        guard count > 0, isStandardErrorOpen else { return }
        var written = 0
        while written < count {
            let step = buffer.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress! + written, count - written) }
            if step > 0 {
                written += step
            } else if errno == EAGAIN {
                var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, 100)
            } else if errno != EINTR {
                isStandardErrorOpen = false
                return
            }
        }
    }
}

import CFuzz
import Glibc

/// One run: inputs from a seed, spread over processes, and the findings.
struct Run {
    let options: Options
    private let mutator: Mutator
    private var findings = 0
    private let mostFindings = 20

    init(options: Options, given: [Sample]) {
        self.options = options
        let made = Corpus.samples(of: options.target, count: 512, seed: options.seed)
        mutator = Mutator(samples: made + given, target: options.target)
    }

    /// A child process and the inputs that it still has to run.
    private struct Job {
        let number: Int
        let progress: Progress
        var process: pid_t = 0
        var start: Int
        /// The input at the last check, and the time since when it runs.
        var seen = -1
        var since = 0
    }

    /// Runs all inputs.
    ///
    /// - Returns: The number of findings.
    mutating func run() -> Int {
        print(
            "\(options.target.rawValue): \(options.inputs) inputs from seed \(options.seed), \(options.jobs) at a time")
        fflush(nil)
        options.target.prepare()
        // An interrupted run leaves nothing behind either.
        fuzz_stop_at_signals(1)
        defer { fuzz_stop_at_signals(0) }
        let start = Self.seconds
        var jobs = (0..<options.jobs).map { Job(number: $0, progress: Progress(), start: $0) }
        for index in jobs.indices { begin(&jobs[index]) }
        while jobs.contains(where: { $0.process > 0 }), findings < mostFindings {
            usleep(50_000)
            // A worker that the same signal ended is not a finding.
            if fuzz_stopped() != 0 { break }
            for index in jobs.indices where jobs[index].process > 0 { look(after: &jobs[index]) }
        }
        for job in jobs where job.process > 0 {
            kill(job.process, SIGKILL)
            waitpid(job.process, nil, 0)
        }
        let time = max(Self.seconds - start, 1)
        let slowest = jobs.map(\.progress.slowest).max { $0.time < $1.time } ?? (0, 0)
        let largest = jobs.map(\.progress.largest).max { $0.bytes < $1.bytes } ?? (0, 0)
        let done = jobs.map(inputsDone).reduce(0, +)
        print(
            """
            \(options.target.rawValue): \(done) inputs\(done < options.inputs ? " of \(options.inputs)" : ""), \
            seed \(options.seed), \(findings) findings, \(time) s, \
            \(done / time) inputs/s; slowest \(slowest.time / 1000) µs (input \(slowest.input)), \
            most memory \(largest.bytes) bytes (input \(largest.input))
            """)
        return fuzz_stopped() == 0 ? findings : max(findings, 1)
    }

    /// How many of its inputs a job has finished; a run stops early at a signal and after many findings.
    private func inputsDone(_ job: Job) -> Int {
        let next = job.process > 0 ? job.progress.input : options.inputs
        return (max(next - job.number, 0) + options.jobs - 1) / options.jobs
    }

    private func begin(_ job: inout Job) {
        guard job.start < options.inputs else {
            job.process = 0
            return
        }
        fflush(nil)
        let worker = Worker(target: options.target, seed: options.seed, mutator: mutator, progress: job.progress)
        job.progress.message = ""
        job.progress.input = job.start
        let process = fuzz_fork()
        if process == 0 {
            fuzz_stop_at_signals(0)
            // A trap's report with its backtrace takes seconds; the parent prints how to run the input again.
            let null = open("/dev/null", O_WRONLY)
            dup2(null, STDERR_FILENO)
            worker.run(job.start..<options.inputs, step: options.jobs)
            _exit(0)
        }
        guard process > 0 else { fatalError("fork: \(String(cString: strerror(errno)))") }
        job.process = process
        job.seen = -1
    }

    private mutating func look(after job: inout Job) {
        var status: Int32 = 0
        if waitpid(job.process, &status, WNOHANG) == job.process {
            var code: Int32 = 0
            let hasExited = fuzz_exited(status, &code) != 0
            if hasExited, code == 0 {
                job.process = 0
                return
            }
            let reason =
                hasExited && code == Worker.foundSomething
                ? job.progress.message : hasExited ? "it ends the process with \(code)" : "signal \(code)"
            return report(&job, reason)
        }
        let input = job.progress.input
        if input != job.seen {
            job.seen = input
            job.since = Self.seconds
        } else if Self.seconds - job.since > options.patience {
            kill(job.process, SIGKILL)
            waitpid(job.process, nil, 0)
            report(&job, "it does not end within \(options.patience) s")
        }
    }

    /// Saves the input that ended a job, and continues the job after it.
    private mutating func report(_ job: inout Job, _ reason: String) {
        findings += 1
        let input = job.progress.input
        var random = SeededGenerator(seed: options.seed, input: input)
        let bytes = mutator.input(&random).bytes
        let path = "\(options.findings)/\(options.target.rawValue)-\(options.seed)-\(input)"
        Files.write(bytes, to: path)
        print(
            """
            FOUND by input \(input) of seed \(options.seed): \(reason)
              again: fuzz \(options.target.rawValue) --replay \(path)
            """)
        fflush(nil)
        job.start = input + options.jobs
        begin(&job)
    }

    private static var seconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }
}

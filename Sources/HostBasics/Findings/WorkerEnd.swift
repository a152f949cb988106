/// How a worker process ended, and what ran at that time.
public struct WorkerEnd: Sendable, Hashable, CustomStringConvertible {
    /// Why a worker ended.
    public enum Cause: Sendable, Hashable {
        /// A signal of this number ended it, for example 11 for an access to memory that does not exist.
        case signal(Int32)
        /// The plug-in ended the process with this status.
        case exit(Int32)
        /// It did not answer in this time; the host ended it.
        case timeOut(Duration)
        /// It exceeded a limit; the host or the kernel ended it.
        case limit(Limit)
        /// It broke the protocol between worker and host; the host ended it. The text states how.
        case violation(String)
        /// The host ended it, because it was no longer needed.
        case host
        /// It ended, but another part of the application collected its status, and the kernel kept none.
        case unknown
    }

    /// A limit, by its name in `PHLimits`.
    ///
    /// More limits may be added in later versions.
    public struct Limit: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The name.
        public let rawValue: String
        /// A limit with the given name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name.
        public var description: String { rawValue }

        /// The memory that belongs to the worker alone.
        public static let memory = Self(rawValue: "memory")
        /// The processor time of all its threads.
        public static let processorSeconds = Self(rawValue: "processorSeconds")
        /// How many threads it has.
        public static let threads = Self(rawValue: "threads")
        /// The data that it keeps in its own directory.
        public static let state = Self(rawValue: "state")
    }

    /// What ran in a worker.
    public enum Phase: Sendable, Hashable {
        /// The worker program itself, before it was ready.
        case start
        /// The dynamic linker, and constructors of the plug-in and its libraries.
        case open
        /// The plug-in's entry.
        case enter
        /// The activation hooks, which run before the plug-in is offered.
        case activate
        /// A provider of this name created an object.
        case make(String)
        /// A method of an object that a provider created; for a C function, the provider is empty.
        case call(provider: String, method: String)
        /// No call from the host; only threads of the plug-in may have run.
        case idle
        /// The deactivation hooks, which run before the plug-in is unloaded.
        case deactivate
    }

    /// A place in the code of a file.
    public struct Frame: Sendable, Hashable, CustomStringConvertible {
        /// The absolute path of the file.
        public let path: String
        /// The address in the file: an instruction, or the return address of a call.
        public let offset: UInt64

        /// A place in a file.
        public init(path: String, offset: UInt64) {
            self.path = path
            self.offset = offset
        }

        /// The path and the offset, for example “/usr/lib/libexample.so+0x1a2b”.
        public var description: String { "\(path)+0x\(String(offset, radix: 16))" }
    }

    /// Why it ended.
    public var cause: Cause
    /// What ran at that time.
    public var phase: Phase
    /// The last 64 KiB that it wrote to standard output and standard error.
    ///
    /// Bytes that are not UTF-8 are replaced.
    public var output: String

    /// The functions that the thread was calling when a signal ended the worker, innermost first; at most 64.
    ///
    /// ``backtraceLines()`` has their names. It is empty if the cause is not a signal, if the signal cannot be handled
    /// (`SIGKILL`) or came from a stack overflow, or if the plug-in handles the signal. The worker writes it, so a
    /// plug-in can forge it.
    public var backtrace: [Frame]

    /// An end with the given parts.
    public init(cause: Cause, phase: Phase, output: String = "", backtrace: [Frame] = []) {
        self.cause = cause
        self.phase = phase
        self.output = output
        self.backtrace = backtrace
    }

    /// What happened, as the part of a sentence that follows “the worker”.
    public var description: String { "\(cause.predicate) \(phase.clause)" }
}

extension WorkerEnd.Cause {
    /// For example “was ended by the signal SIGSEGV”.
    fileprivate var predicate: String {
        switch self {
        case .signal(let number): "was ended by the signal \(SignalName(number).text)"
        case .exit(let status): "exited with status \(status)"
        case .timeOut(let time): "did not answer within \(time) and was ended"
        case .limit(let limit): "exceeded the limit “\(limit)” and was ended"
        case .violation(let text): "violated the protocol and was ended: \(text)"
        case .host: "was ended by the application"
        case .unknown: "ended for an unknown reason"
        }
    }
}

extension WorkerEnd.Phase {
    /// For example “while the plug-in's entry ran”.
    fileprivate var clause: String {
        switch self {
        case .start: "before it was ready"
        case .open: "while the plug-in's code was opened"
        case .enter: "while the plug-in's entry ran"
        case .activate: "while the plug-in's activation hooks ran"
        case .make(let provider): "while the provider \(quoted(provider)) created an object"
        case .call("", let function): "while the function \(quoted(function)) ran"
        case .call(let provider, let method):
            "while the method \(quoted(method)) of the provider \(quoted(provider)) ran"
        case .idle: "while no call was under way"
        case .deactivate: "while the plug-in's deactivation hooks ran"
        }
    }
}

import Glibc

/// What the system lacks for a worker: a system call that the kernel does not have or a filter refuses, or `/proc`.
@_spi(Tools) public struct SystemCallAbsence: Sendable {
    /// The system call as its manual page has it, or `/proc`.
    public let name: String
    private let errno: CInt

    /// The steps that are no name of a system call.
    private static let calls = [
        "RLIMIT_RTPRIO": "prlimit", "F_DUPFD": "fcntl", "F_ADD_SEALS": "fcntl", "dup3": "dup3",
        "PR_SET_PDEATHSIG": "prctl(PR_SET_PDEATHSIG)", "PR_SET_NO_NEW_PRIVS": "prctl(PR_SET_NO_NEW_PRIVS)",
        // glibc does without clone3() only if it gets ENOSYS.
        "pthread_create": "clone3", "posix_spawn": "clone3",
    ]
    /// Those to which another reason than a filter may apply: what they do is not permitted, and not the call.
    private static let others = [
        "execve", "open", "open /dev/null", "uid_map", "setgroups", "gid_map", "getpwnam", "user", "procfs",
        WorkerFailure.enterStep, WorkerFailure.deviceStep, WorkerFailure.stateStep, WorkerFailure.childrenStep,
    ]

    /// Nil if something else failed.
    init?(_ failure: WorkerFailure) {
        let isProcesses = failure.step == WorkerFailure.processesStep
        let isRefused =
            failure.errno == ENOSYS || failure.errno == EPERM && !Self.others.contains(failure.step)
        guard isProcesses || isRefused && failure.path == nil else { return nil }
        name = Self.calls[failure.step] ?? failure.step
        errno = failure.errno
    }

    /// Nil if the error number of a call of this process has another reason.
    public init?(step: String, errno: CInt) {
        self.init(WorkerFailure(step: step, errno: errno))
    }

    /// A sentence without its beginning.
    public var message: String {
        if name == WorkerFailure.processesStep {
            return "the file system “/proc” is missing, in which the host reads what a worker uses."
        }
        return errno == ENOSYS
            ? "this system has no “\(name)”: the kernel is too old, or a filter of system calls hides it."
            : "a filter of system calls, such as that of a container, refuses “\(name)”."
    }

    /// What to do, as sentences.
    public var remedy: String {
        if name == WorkerFailure.processesStep {
            return "Mount it (“mount -t proc proc /proc”), or start the container with it."
        }
        let container = """
            In a container, use a newer version of its software, such as Docker 20.10.10 or later, or allow “\(name)” in its \
            profile of system calls (with Docker, “--security-opt seccomp=FILE”).
            """
        return errno == ENOSYS
            ? "Use Linux 5.9 or later. \(container)"
            // The kernel has the call: a newer one would change nothing.
            : "\(container) In a service of systemd, allow it in SystemCallFilter=."
    }
}

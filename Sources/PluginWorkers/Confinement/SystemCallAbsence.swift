import Glibc

/// What the system lacks for a worker: a system call that the kernel does not have or a filter refuses, or `/proc`.
public struct SystemCallAbsence: Sendable {
    /// The system call as its manual page spells it, or `/proc`.
    public let name: String
    private let errno: CInt

    /// The system calls of those steps that are not named like their system call.
    private static let calls = [
        "RLIMIT_RTPRIO": "prlimit", "F_DUPFD": "fcntl", "F_ADD_SEALS": "fcntl", "dup3": "dup3",
        "PR_SET_PDEATHSIG": "prctl(PR_SET_PDEATHSIG)", "PR_SET_NO_NEW_PRIVS": "prctl(PR_SET_NO_NEW_PRIVS)",
        // glibc works without clone3() only if the call fails with ENOSYS.
        "pthread_create": "clone3", "posix_spawn": "clone3",
    ]
    /// The steps that can fail for another reason than a filter: the system call is permitted, but not what it does.
    private static let others = [
        "execve", "open", "uid_map", "setgroups", "gid_map", "user", "procfs", WorkerFailure.inputStep,
        WorkerFailure.userStep, WorkerFailure.enterStep, WorkerFailure.deviceStep, WorkerFailure.stateStep,
        WorkerFailure.childrenStep,
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

    /// The end of a sentence, after a colon.
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
            // The kernel has the call, so a newer kernel would not help.
            : "\(container) In a service of systemd, allow it in SystemCallFilter=."
    }
}

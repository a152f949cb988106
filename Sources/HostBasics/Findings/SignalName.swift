import Glibc

/// The name of a signal, and its usual cause.
public struct SignalName {
    /// For example `SIGSEGV`; for an unknown signal, its number.
    public let text: String
    /// A sentence, or nil.
    public let usualCause: String?

    /// The name of the signal with the given number.
    public init(_ number: Int32) {
        let known = Self.known[number]
        text = known?.0 ?? "\(number)"
        usualCause = known?.1
    }

    private static let known: [Int32: (String, String?)] = [
        SIGILL: ("SIGILL", "A Swift trap causes it: a failed precondition, an overflow, a nil that is unwrapped."),
        SIGTRAP: ("SIGTRAP", "A Swift trap causes it: a failed precondition, an overflow, a nil that is unwrapped."),
        SIGABRT: ("SIGABRT", "abort() causes it: a failed assertion, or a C++ exception that nobody catches."),
        SIGSEGV: ("SIGSEGV", "The code used an address that is not its own, or its stack overflowed."),
        SIGBUS: ("SIGBUS", "A file was shorter than its mapping, or an address was wrong."),
        SIGFPE: ("SIGFPE", "A whole number was divided by zero."),
        SIGKILL: ("SIGKILL", "The system sends it when memory runs out."),
        SIGPIPE: ("SIGPIPE", "The code wrote to a pipe that nobody reads."),
        SIGSYS: ("SIGSYS", "The code made a system call that is not allowed."),
        SIGTERM: ("SIGTERM", nil), SIGINT: ("SIGINT", nil), SIGHUP: ("SIGHUP", nil), SIGQUIT: ("SIGQUIT", nil),
        SIGALRM: ("SIGALRM", nil), SIGUSR1: ("SIGUSR1", nil), SIGUSR2: ("SIGUSR2", nil),
        SIGXCPU: ("SIGXCPU", "A limit of processor time was reached."),
        SIGXFSZ: ("SIGXFSZ", "A limit of file size was reached."), SIGSTOP: ("SIGSTOP", nil),
        SIGTSTP: ("SIGTSTP", nil), SIGTTIN: ("SIGTTIN", nil), SIGTTOU: ("SIGTTOU", nil),
    ]
}

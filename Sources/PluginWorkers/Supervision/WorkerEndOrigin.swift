import Glibc
import HostBasics

extension WorkerEnd {
    /// Who caused the end of a worker.
    enum Origin: Sendable, Hashable {
        /// The code of a plug-in: a signal that it caused, or `exit`.
        case crash
        /// The plug-in, although its code did not end the process: it exceeded a limit, broke the protocol, or did not
        /// answer.
        case misuse
        /// Not the plug-in, so the end does not count against it.
        case elsewhere
    }
}

extension WorkerEnd.Origin {
    /// Signals that usually come from outside: from a user, the system's service manager, or the kernel when memory
    /// runs out.
    private static let ofOthers = [SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2]

    /// - Parameters:
    ///   - cause: why the worker ended.
    ///   - crash: what its signal handler reported.
    ///   - isCallersDecision: whether a caller no longer waited for its call.
    init(_ cause: WorkerEnd.Cause, _ crash: WorkerCrash?, isCallersDecision: Bool) {
        switch cause {
        case .host: self = .elsewhere
        case .timeOut: self = isCallersDecision ? .elsewhere : .misuse
        case .limit, .violation: self = .misuse
        case .exit: self = .crash
        case .signal(let number):
            let isOfOthers = crash?.signal == number ? crash!.isFromOutside : Self.ofOthers.contains(number)
            self = isOfOthers ? .elsewhere : .crash
        case .unknown: self = crash.map { $0.isFromOutside ? .elsewhere : .crash } ?? .misuse
        }
    }
}

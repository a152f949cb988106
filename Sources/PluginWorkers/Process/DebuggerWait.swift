internal import CSandbox
import Glibc
import HostBasics

/// Makes a worker wait for a debugger, with `PLUGINHOST_WORKER_DEBUG=wait`.
public enum DebuggerWait {
    /// What the worker prints.
    private static func message(_ process: Int32) -> String { "The worker process \(process) waits for a debugger." }

    /// The number of the process that waits.
    ///
    /// - Parameter message: a line of the log.
    /// - Returns: the number; nil for another line.
    public static func process(in message: String) -> Int32? {
        guard let number = message.split(separator: " ").lazy.compactMap({ Int32($0) }).first else { return nil }
        return message == Self.message(number) ? number : nil
    }

    /// Prints the number of this process, and waits until a debugger is attached to it.
    package static func wait() {
        phs_allow_debugger()
        // Not getpid(): in a PID namespace it does not return the number that a debugger uses.
        let process = Path.resolved("/proc/self").flatMap { Int32(Path.lastComponent($0)) } ?? getpid()
        let line = message(process) + "\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
        while ProcessLook(process: process)?.isTraced != true { usleep(100_000) }
    }
}

import CChildProcess
import Glibc
import HostBasics
@_spi(Tools) import PluginHost

/// gdb in the user's terminal, attached to the worker process of a load.
final class Debugger {
    private var process: pid_t = 0
    /// Whether gdb is running: the user has not left it.
    private(set) var isRunning = true

    static let program = "gdb"

    /// Whether gdb is installed.
    static var isInstalled: Bool {
        let directories = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return directories.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    /// Starts gdb, which then receives the user's input.
    ///
    /// If gdb cannot be started, the reason is printed on standard error, and ``isRunning`` is false.
    init(attachingTo worker: Int32) {
        Terminal.write(
            """
            gdb attaches to the worker process \(worker), which has not opened the plug-in's code yet. Set breakpoints, and \
            “continue”.

            """, to: STDERR_FILENO)
        let arguments = [Self.program, "--quiet", "-iex", "set breakpoint pending on", "--pid", "\(worker)"]
        var texts = arguments.map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        interrupts_ignore(true)
        let error = child_start_in_terminal(&texts, &process)
        guard error != 0 else { return }
        Terminal.write("gdb was not started: \(ErrorNumber.advice(error, to: .start))\n", to: STDERR_FILENO)
        end()
    }

    private func end() {
        isRunning = false
        interrupts_ignore(false)
    }

    /// Checks whether the user has left gdb, or waits until then.
    func look(waits: Bool = false) {
        guard isRunning else { return }
        var result: pid_t
        repeat { result = waitpid(process, nil, waits ? 0 : WNOHANG) } while result < 0 && errno == EINTR
        if result != 0 { end() }
    }
}

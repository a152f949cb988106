import Glibc
import Synchronization

/// Tells the user what goes wrong, as it happens, and keeps it for the report.
final class Journal {
    private(set) var problems: [String] = []
    private static let lostOutput = Atomic(false)

    /// Whether everything that was announced could be written.
    static var isComplete: Bool { !lostOutput.load(ordering: .relaxed) }

    /// Notes that something was left out, and why. The same sentence is told once.
    func report(_ problem: String) {
        guard !problems.contains(problem) else { return }
        problems.append(problem)
        write(problem)
    }

    /// Writes a line to standard output, at once: in a pipe, print() would come after what is written to the error.
    static func announce(_ line: String) {
        do throws(SystemFailure) {
            try SystemFailure.write("\(line)\n".utf8, to: STDOUT_FILENO)
        } catch {
            // The work goes on: the report does not need standard output. The status says it in the end.
            if !lostOutput.exchange(true, ordering: .relaxed) {
                Journal().write(localized("The output cannot be written: {0}.", error.reason))
            }
        }
    }

    /// Writes a line to standard error. Where that cannot be written there is nobody to say so to.
    func write(_ line: String) { try? SystemFailure.write("demo-host: \(line)\n".utf8, to: STDERR_FILENO) }
}

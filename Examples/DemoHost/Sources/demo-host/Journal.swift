import Glibc
import Synchronization

/// Shows the user each problem when it happens, and keeps it for the report.
final class Journal {
    private(set) var problems: [String] = []
    private static let lostOutput = Atomic(false)

    /// Whether everything that was announced could be written.
    static var isComplete: Bool { !lostOutput.load(ordering: .relaxed) }

    /// Reports that something was left out, and why.
    ///
    /// The same sentence is shown only once.
    func report(_ problem: String) {
        guard !problems.contains(problem) else { return }
        problems.append(problem)
        write(problem)
    }

    /// Writes a line to standard output at once.
    ///
    /// Why not print(): in a pipe, its lines would appear after those of standard error.
    static func announce(_ line: String) {
        do throws(SystemFailure) {
            try SystemFailure.write("\(line)\n".utf8, to: STDOUT_FILENO)
        } catch {
            // The work continues: the report does not need standard output. The exit status shows the failure.
            if !lostOutput.exchange(true, ordering: .relaxed) {
                Journal().write(localized("The output cannot be written: {0}.", error.reason))
            }
        }
    }

    /// Writes a line to standard error.
    ///
    /// A failure cannot be reported anywhere.
    func write(_ line: String) { try? SystemFailure.write("demo-host: \(line)\n".utf8, to: STDERR_FILENO) }
}

import Foundation

/// Tells the user what goes wrong, as it happens, and keeps it for the report.
final class Journal {
    private(set) var problems: [String] = []

    /// Notes that something was left out, and why. The same sentence is told once.
    func report(_ problem: String) {
        guard !problems.contains(problem) else { return }
        problems.append(problem)
        write(problem)
    }

    /// Writes a line to standard output, at once: in a pipe, print() would come after what is written to the error.
    static func announce(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    /// Writes a line to standard error.
    func write(_ line: String) {
        FileHandle.standardError.write(Data("demo-host: \(line)\n".utf8))
    }
}

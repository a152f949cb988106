import Foundation

/// Shows the progress in a long document: on a terminal in one line that changes, else with a line for each quarter.
struct ProgressLine {
    /// Shorter documents are done before anybody could read the line.
    private static let minimumLength = 4_000_000

    private let name: String
    private let total: Int
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var shown = 0

    init(name: String, total: Int) {
        self.name = name
        self.total = total
    }

    /// - Parameter offset: how many bytes are done.
    mutating func show(_ offset: Int) {
        guard total >= Self.minimumLength else { return }
        let percentage = min(offset * 100 / total, 100)
        guard percentage - shown >= (isTerminal ? 1 : 25) else { return }
        shown = percentage
        let line = localized("{0}: {1} % done", name, "\(percentage)")
        write(isTerminal ? "\r\u{1B}[K\(line)" : "\(line)\n")
    }

    /// Removes the line from the terminal.
    func finish() {
        if isTerminal, shown > 0 { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

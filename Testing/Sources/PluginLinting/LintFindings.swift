internal import PropertyLists

/// The findings about one file: the first ones, and the number of the remaining ones.
///
/// Why: a file of one megabyte can have a hundred thousand faults, and a finding takes a hundred times as much memory
/// as the faulty text.
struct LintFindings {
    private var listed: [LintFinding] = []
    private var further = 0

    /// Adds a finding.
    ///
    /// If the list is full, the finding is not created, because locating its place takes time.
    mutating func add(_ finding: @autoclosure () -> LintFinding) {
        if listed.count < ReadingBudget.mostFindings { listed.append(finding()) } else { further += 1 }
    }

    /// The listed findings, and one more that states how many are not listed.
    var all: [LintFinding] {
        guard further > 0, let last = listed.last else { return listed }
        return listed + [
            LintFinding(
                listed.allSatisfy { $0.severity == .note } ? .note : .warning, .furtherFindings,
                filePath: last.filePath, place: last.place,
                message: further == 1
                    ? "One more finding of this kind is not listed."
                    : "\(further) more findings of this kind are not listed.",
                remedy: "Correct those that are listed, and look again.")
        ]
    }
}

extension LintFinding.Code {
    /// There are more findings about a file than are listed.
    public static let furtherFindings = Self(rawValue: "furtherFindings")
}

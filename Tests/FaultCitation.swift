import Testing

/// Cites the rows of docs/faults.md that a test or a suite provokes.
///
/// `Scripts/faults.py` checks that each row has a test. Each test target has this file as a link, so that no package needs a
/// product for it.
struct FaultCitation: TestTrait, SuiteTrait {
    /// The numbers of the rows.
    let numbers: [Int]
}

extension Trait where Self == FaultCitation {
    /// Cites rows of docs/faults.md.
    static func fault(_ numbers: Int...) -> Self { FaultCitation(numbers: numbers) }
}

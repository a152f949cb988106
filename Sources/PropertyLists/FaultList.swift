/// The faults of one file: the first ones, and the number of the others.
///
/// A file can have a fault every few bytes, and each listed fault takes a hundred times as much memory as those bytes.
struct FaultList {
    private(set) var faults: [TextFault] = []
    /// How many there are in addition to those in `faults`.
    private(set) var further = 0

    /// The steps of a ``ReadingBudget`` for continuing after a fault: creating its message takes as long as reading
    /// some hundred bytes.
    static let steps = 240

    /// Adds a fault.
    ///
    /// If the list is full, the fault's message is not created.
    mutating func add(_ fault: @autoclosure () -> TextFault) {
        if faults.count < ReadingBudget.mostFindings { faults.append(fault()) } else { further += 1 }
    }

    /// Adds all faults of another list.
    mutating func add(_ other: FaultList) {
        for fault in other.faults { add(fault) }
        further += other.further
    }

    /// Counts faults that were not created.
    mutating func add(further count: Int) { further += count }

    /// Keeps only the fault because of which the whole file is left out.
    mutating func replaceAll(with fault: TextFault) {
        faults = [fault]
        further = 0
    }
}

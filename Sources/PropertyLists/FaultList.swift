/// The faults of one file: the first ones, and how many others there are. A file can have a fault every few bytes, and
/// each listed one takes a hundred times as much memory.
struct FaultList {
    private(set) var faults: [TextFault] = []
    /// How many there are beside those in `faults`.
    private(set) var further = 0

    /// The steps of a ``ReadingBudget`` for going on after a fault: making its message takes as long as reading some
    /// hundred bytes.
    static let steps = 240

    /// Adds a fault. Where the list is full, its message is not made.
    mutating func add(_ fault: @autoclosure () -> TextFault) {
        if faults.count < ReadingBudget.mostFindings { faults.append(fault()) } else { further += 1 }
    }

    /// Adds all of another list.
    mutating func add(_ other: FaultList) {
        for fault in other.faults { add(fault) }
        further += other.further
    }

    /// Counts faults that nobody made.
    mutating func add(further count: Int) { further += count }

    /// Keeps nothing but the fault for which the whole file is left out.
    mutating func replaceAll(with fault: TextFault) {
        faults = [fault]
        further = 0
    }
}

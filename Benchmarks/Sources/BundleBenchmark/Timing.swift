import Measuring

/// The nanoseconds that each element takes alone, as the minimum of several passes over the list.
///
/// The passes are close together in one process, and a disturbance can only make one longer.
func nanoseconds<Element>(_ elements: [Element], passes: Int = 5, _ body: (Element) throws -> Void) rethrows -> Double {
    var best = UInt64.max
    for _ in 0..<passes {
        let start = now()
        for element in elements { try body(element) }
        best = min(best, now() - start)
    }
    return Double(best) / Double(elements.count)
}

/// The nanoseconds of something that can be done only once with each element, as the median.
///
/// The first ones are left out, because they do the work that a process needs once.
func medianNanoseconds<Element>(_ elements: [Element], _ body: (Element) throws -> Void) rethrows -> Double {
    var times: [UInt64] = []
    for element in elements {
        let start = now()
        try body(element)
        times.append(now() - start)
    }
    let later = times.dropFirst(min(5, times.count - 1)).sorted()
    return Double(later[later.count / 2])
}

/// Keeps the optimiser from removing a look-up.
@inline(never)
func use<Value>(_ value: Value) {}

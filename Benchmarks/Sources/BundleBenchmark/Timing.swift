import Measuring

/// Nanoseconds that each of some things takes alone, as the least of several passes over a list: the passes are in one
/// process and close together, and what disturbs one only ever makes it longer.
func nanoseconds<Element>(_ elements: [Element], passes: Int = 5, _ body: (Element) throws -> Void) rethrows -> Double {
    var best = UInt64.max
    for _ in 0..<passes {
        let start = now()
        for element in elements { try body(element) }
        best = min(best, now() - start)
    }
    return Double(best) / Double(elements.count)
}

/// Nanoseconds of something that can be done but once with each element, as the median, without the first ones, which
/// bring in what a process needs once.
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

/// Keeps the optimiser from leaving a question out.
@inline(never)
func use<Value>(_ value: Value) {}

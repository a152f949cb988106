/// What was answered to each question.
///
/// A hash table of its own, because the first dictionary with a key of this module's makes the Swift runtime look for the
/// key's conformance among all conformances of the process. With Foundation in it that took 65 of the 290 microseconds
/// of the first look-up.
///
/// **Threads.** A value, guarded by its owner.
struct QueryTable<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let query: ResourceQuery
        var value: Value
    }

    private var entries: [Entry] = []
    /// The number of the entry plus one, zero for a free place; a power of two of them, at most half taken.
    private var places: [UInt32] = []

    var count: Int { entries.count }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        for place in places.indices { places[place] = 0 }
    }

    subscript(query: ResourceQuery) -> Value? {
        guard !places.isEmpty, case let number = places[place(of: query)], number > 0 else { return nil }
        return entries[Int(number) - 1].value
    }

    mutating func set(_ value: Value, for query: ResourceQuery) {
        if (entries.count + 1) * 2 > places.count { grow() }
        let place = place(of: query)
        if places[place] > 0 {
            entries[Int(places[place]) - 1].value = value
        } else {
            entries.append(Entry(query: query, value: value))
            places[place] = UInt32(entries.count)
        }
    }

    /// Where a query stands, or would.
    private func place(of query: ResourceQuery) -> Int {
        var hasher = Hasher()
        query.hash(into: &hasher)
        let mask = places.count - 1
        var place = hasher.finalize() & mask
        while places[place] > 0, entries[Int(places[place]) - 1].query != query { place = (place + 1) & mask }
        return place
    }

    private mutating func grow() {
        places = Array(repeating: 0, count: max(16, places.count * 2))
        for (number, entry) in entries.enumerated() { places[place(of: entry.query)] = UInt32(number + 1) }
    }
}

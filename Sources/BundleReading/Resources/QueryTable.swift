/// The answer to each query.
///
/// A special hash table. Why: the first dictionary with a key type of this module makes the Swift runtime search all
/// conformances of the process for the key's. With Foundation loaded, that took 65 of the 290 microseconds of the first
/// look-up. For the same reason there is no type that combines a query with its value: each would be generic, and the
/// runtime builds a generic type at its first use.
///
/// **Threads.** A value, guarded by its owner.
struct QueryTable<Value: Sendable>: Sendable {
    private var queries: [ResourceQuery] = []
    /// The answer to each query, in the same order.
    private var values: [Value] = []
    /// A hash table: each place has the number of a query plus one, or zero if it is free.
    ///
    /// The count is a power of two, and at most half of the places are used.
    private var places: [UInt32] = []

    package var count: Int { queries.count }

    package mutating func removeAll() {
        queries.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        for place in places.indices { places[place] = 0 }
    }

    subscript(query: ResourceQuery) -> Value? {
        guard !places.isEmpty, case let number = places[place(of: query)], number > 0 else { return nil }
        return values[Int(number) - 1]
    }

    package mutating func set(_ value: Value, for query: ResourceQuery) {
        if (queries.count + 1) * 2 > places.count { grow() }
        let place = place(of: query)
        if places[place] > 0 {
            values[Int(places[place]) - 1] = value
        } else {
            queries.append(query)
            values.append(value)
            places[place] = UInt32(queries.count)
        }
    }

    /// The place of a query, or the free place for it.
    private func place(of query: ResourceQuery) -> Int {
        var hasher = Hasher()
        query.hash(into: &hasher)
        let mask = places.count - 1
        var place = hasher.finalize() & mask
        while places[place] > 0, queries[Int(places[place]) - 1] != query { place = (place + 1) & mask }
        return place
    }

    private mutating func grow() {
        places = Array(repeating: 0, count: max(16, places.count * 2))
        for (number, query) in queries.enumerated() { places[place(of: query)] = UInt32(number + 1) }
    }
}

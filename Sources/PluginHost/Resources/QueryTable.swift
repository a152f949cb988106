/// What was answered to a query.
protocol QueryAnswer: AnyObject, Sendable {
    var query: ResourceQuery { get }
}

/// What was answered to each query.
///
/// A hash table of its own, because the first dictionary with a key of this module's makes the Swift runtime look for the
/// key's conformance among all conformances of the process. With Foundation in it that took 65 of the 290 microseconds
/// of the first look-up. For the same reason the answers are objects: the runtime has the type of an array of objects,
/// but builds that of an array of structures when it is first met.
///
/// **Threads.** A value, guarded by its owner.
struct QueryTable<Answer: QueryAnswer>: Sendable {
    private var answers: [Answer] = []
    /// The number of the answer plus one, zero for a free place; a power of two of them, at most half taken.
    private var places: [UInt32] = []

    var count: Int { answers.count }

    mutating func removeAll() {
        answers.removeAll(keepingCapacity: true)
        for place in places.indices { places[place] = 0 }
    }

    subscript(query: ResourceQuery) -> Answer? {
        guard !places.isEmpty, case let number = places[place(of: query)], number > 0 else { return nil }
        return answers[Int(number) - 1]
    }

    /// Keeps an answer in the place of another one to the same query.
    mutating func set(_ answer: Answer) {
        if (answers.count + 1) * 2 > places.count { grow() }
        let place = place(of: answer.query)
        if places[place] > 0 {
            answers[Int(places[place]) - 1] = answer
        } else {
            answers.append(answer)
            places[place] = UInt32(answers.count)
        }
    }

    /// Where a query stands, or would.
    private func place(of query: ResourceQuery) -> Int {
        var hasher = Hasher()
        query.hash(into: &hasher)
        let mask = places.count - 1
        var place = hasher.finalize() & mask
        while places[place] > 0, answers[Int(places[place]) - 1].query != query { place = (place + 1) & mask }
        return place
    }

    private mutating func grow() {
        places = Array(repeating: 0, count: max(16, places.count * 2))
        for (number, answer) in answers.enumerated() { places[place(of: answer.query)] = UInt32(number + 1) }
    }
}

/// Decides who gives way in conflicts.
///
/// The one that declares a conflict gives way. If both declare it, the one with the higher number does. One that gives
/// way to another is no reason for a third to give way. In a circle of conflicts, the highest number gives way first.
///
/// - Parameter conflicts: for each number, those with which it must not be used, best known first.
/// - Returns: the numbers that give way, each with one that is used.
///
/// **Cost.** Linear in numbers and conflicts, times the length of the longest chain of conflicts.
package func losersOfConflicts(_ conflicts: [Int: [Int]]) -> [Int: Int] {
    if conflicts.isEmpty { return [:] }
    // The lower of two that declare the same conflict ignores it.
    var targets: [Int: [Int]] = [:]
    for (number, others) in conflicts {
        targets[number] = others.filter { !(conflicts[$0] ?? []).contains(number) || number > $0 }
        for other in others where targets[other] == nil { targets[other] = [] }
    }
    var losers: [Int: Int] = [:]
    var winners: Set<Int> = []
    var open = targets.keys.sorted()
    while !open.isEmpty {
        let count = open.count
        open.removeAll { number in
            let others = targets[number, default: []]
            if let winner = others.first(where: winners.contains) {
                losers[number] = winner
                return true
            }
            guard others.allSatisfy({ losers[$0] != nil }) else { return false }
            winners.insert(number)
            return true
        }
        if open.count == count, let last = open.popLast() {
            losers[last] = targets[last, default: []].first { losers[$0] == nil }
        }
    }
    // In a circle, the one to which another gave way may have given way itself. If none that is used conflicts with the
    // other, it is used too.
    for number in losers.keys.sorted() where !winners.contains(losers[number]!) {
        losers[number] = winners.filter { winner in
            targets[winner, default: []].contains(number) || targets[number, default: []].contains(winner)
        }.min()
        if losers[number] == nil { winners.insert(number) }
    }
    return losers
}

/// An order in which each member comes after those that it requires, and after those that it requires optionally.
///
/// An optional requirement that is part of a circle has no effect. Otherwise the order of the members is kept.
///
/// - Parameters:
///   - required: for each member, those that it requires; without circles.
///   - optional: for each member, those that it requires optionally.
/// - Returns: the members.
///
/// **Cost.** Linear in members and requirements.
package func loadingOrder(required: [[Int]], optional: [[Int]]) -> [Int] {
    let all = zip(required, optional).map(+)
    var component = [Int](repeating: 0, count: required.count)
    for (number, members) in stronglyConnectedComponents(all).enumerated() {
        for member in members { component[member] = number }
    }
    let edges = required.indices.map { member in
        required[member] + optional[member].filter { component[$0] != component[member] }
    }
    return stronglyConnectedComponents(edges).flatMap(\.self)
}

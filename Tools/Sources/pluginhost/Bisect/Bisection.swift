import PluginHost

/// The search for the plug-ins at fault: which sets to try, and what follows from the answers.
///
/// 1. All plug-ins: if this is good, nothing is wrong.
/// 2. Halves, until one plug-in is left. A half that is good clears its plug-ins, so the other half is taken without
///    being tried.
/// 3. All but this one. If that is bad, or this one alone is good, several plug-ins fail only together: then the
///    shortest bad beginning of the list is searched for, whose last plug-in is one of them, and so on for the others
///    with this one (“delta debugging”: Zeller and Hildebrandt, 2002).
/// 4. All but those found. As long as this is bad, the search goes on among the rest.
///
/// No set is tried twice. Every set is closed: see ``BisectedPlugins``.
struct Bisection {
    /// How a set of plug-ins behaves.
    enum Answer: String {
        case good, bad
        /// The set could not be judged.
        case skipped
    }

    /// Plug-ins that are bad together.
    struct Culprit {
        /// The groups, in the order in which they were found.
        let groups: [Int]
        /// Whether they are bad without the others too; nil if this was not tried.
        let isBadAlone: Bool?
    }

    /// Why the search ends without a result.
    enum Stop: Error {
        /// More plug-ins made a bad set good.
        case contradiction(bad: Set<Int>, good: Set<Int>)
        /// All sets that would narrow the groups down were skipped.
        case undecided([Int])
    }

    enum Outcome {
        /// All plug-ins together are good.
        case nothing
        /// The application is bad without the plug-ins too, apart from those that every run has.
        case application
        /// `isComplete`: whether all but these are good.
        case found([Culprit], isComplete: Bool)
    }

    private let plugins: BisectedPlugins
    /// Tries a closed set.
    private let attempt: (Set<Int>) throws -> Answer
    /// The sets that were tried, in order.
    private(set) var answers: [(set: Set<Int>, answer: Answer)] = []

    /// With so few tries, one of 200 plug-ins is found: all, 8 halves, and all but this one.
    private static let triesForOne = 10
    /// The most culprits that one search looks for.
    private static let mostCulprits = 8
    /// The most places at which a list is cut if sets are skipped.
    private static let mostCuts = 8

    init(_ plugins: BisectedPlugins, attempt: @escaping (Set<Int>) throws -> Answer) {
        self.plugins = plugins
        self.attempt = attempt
    }

    /// - Throws: ``Stop``, and the errors of a try.
    mutating func run() throws -> Outcome {
        var rest = Array(plugins.groups.indices)
        switch try ask(rest) {
        case .good: return .nothing
        case .skipped: throw Stop.undecided(rest)
        case .bad: break
        }
        var culprits: [Culprit] = []
        while culprits.count < Self.mostCulprits {
            guard !rest.isEmpty else { return .application }
            let culprit = try culprit(among: rest)
            culprits.append(culprit)
            rest = remaining(without: culprits.flatMap(\.groups))
            let answer = try ask(rest)
            if answer != .bad { return .found(culprits, isComplete: answer == .good) }
            if culprits.count == 1, try ask([]) == .bad { return .application }
        }
        return .found(culprits, isComplete: false)
    }

    // MARK: Sets

    /// Tries a set of groups, unless its answer is known.
    private mutating func ask(_ groups: some Sequence<Int>) throws -> Answer {
        let set = plugins.closedSet(groups)
        if let known = answers.first(where: { $0.set == set }) { return known.answer }
        let answer = try attempt(set)
        answers.append((set, answer))
        for (other, earlier) in answers {
            if answer == .bad, earlier == .good, set.isSubset(of: other) {
                throw Stop.contradiction(bad: set, good: other)
            }
            if answer == .good, earlier == .bad, other.isSubset(of: set) {
                throw Stop.contradiction(bad: other, good: set)
            }
        }
        return answer
    }

    /// The groups that need none of some groups.
    private func remaining(without groups: [Int]) -> [Int] {
        plugins.groups(without: Set(groups.flatMap { plugins.groups[$0] }))
    }

    /// Cuts a range in two so that the first part, with what it needs and some more groups, is judged.
    ///
    /// The cut is in the middle, or near it if the parts there are skipped.
    ///
    /// - Returns: where it was cut, and the answer for the first part; nil if every first part is skipped.
    private mutating func cut(
        _ groups: ArraySlice<Int>, with more: [Int] = []
    ) throws -> (place: Int, answer: Answer)? {
        let middle = groups.startIndex + groups.count / 2
        let step = max(groups.count / (Self.mostCuts + 1), 1)
        let places = [middle] + (1...Self.mostCuts / 2).flatMap { [middle - $0 * step, middle + $0 * step] }
        for place in places where place > groups.startIndex && place < groups.endIndex {
            let answer = try ask(more + groups[..<place])
            if answer != .skipped { return (place, answer) }
        }
        return nil
    }

    // MARK: Halves

    /// Plug-ins at fault among groups that are bad together.
    private mutating func culprit(among groups: [Int]) throws -> Culprit {
        var rest = groups[...]
        // Whether the rest is known to be bad without the others.
        var isBadAlone = true
        while rest.count > 1 {
            guard let (place, answer) = try cut(rest) else {
                let half = rest.startIndex + rest.count / 2
                switch try ask(rest[half...]) {
                case .bad: (rest, isBadAlone) = (rest[half...], true)
                case .good: (rest, isBadAlone) = (rest[..<half], false)
                case .skipped: throw Stop.undecided(Array(rest))
                }
                continue
            }
            isBadAlone = answer == .bad
            rest = isBadAlone ? rest[..<place] : rest[place...]
        }
        guard let last = rest.first, !isBadAlone else { return Culprit(groups: Array(rest), isBadAlone: true) }
        let others = remaining(without: [last]).filter(Set(groups).contains)
        // Without it, the others are still bad: it was the wrong half.
        if try ask(others) == .bad { return try together([], among: others) }
        if answers.count >= Self.triesForOne { return Culprit(groups: [last], isBadAlone: nil) }
        switch try ask([last]) {
        case .bad: return Culprit(groups: [last], isBadAlone: true)
        case .skipped: return Culprit(groups: [last], isBadAlone: nil)
        case .good: return try together([last], among: groups.filter { $0 != last })
        }
    }

    // MARK: Several that are bad together

    /// The groups that are bad together with those that are known: fewest from the beginning of a list.
    ///
    /// The known ones and the list are bad together, and the known ones alone are not.
    private mutating func together(_ known: [Int], among groups: [Int]) throws -> Culprit {
        var found = known
        var list = groups[...]
        while !list.isEmpty {
            // Without the rest it is good, and with it, it is bad.
            var rest = list
            while rest.count > 1 {
                guard let (place, answer) = try cutBeginning(of: list, rest, with: found) else {
                    throw Stop.undecided(found + rest)
                }
                rest = answer == .bad ? rest[..<place] : rest[place...]
            }
            guard let last = rest.first else { break }
            found.append(last)
            list = list[..<rest.startIndex]
            if try ask(found) == .bad { return Culprit(groups: found, isBadAlone: true) }
        }
        return Culprit(groups: found, isBadAlone: nil)
    }

    /// Cuts the rest of a list, and tries what comes before the cut.
    private mutating func cutBeginning(
        of list: ArraySlice<Int>, _ rest: ArraySlice<Int>, with found: [Int]
    ) throws -> (place: Int, answer: Answer)? {
        try cut(rest, with: found + list[..<rest.startIndex])
    }
}

/// Chooses at most one version of each identifier, so that what is chosen has what it requires and nothing requires
/// itself in a circle.
///
/// It is PubGrub (N. Weizenbaum, “PubGrub: Next-Generation Version Solving”, 2018, and the document “solver.md” of Dart's
/// package manager): facts are kept as incompatibilities, sets of terms that are never all true; unit propagation draws
/// conclusions from them; a conflict is resolved into a new incompatibility, its cause, which is kept and leads back to
/// the last decision that matters; and how each was derived explains every conclusion. Three things differ, because all
/// versions are known and there is no root that requires the others:
/// - a term is a set of an identifier's choices, the last of which is to be absent; so the negation of a term is the
///   complement, and satisfaction is set inclusion;
/// - decisions are made in a fixed order: first for each identifier that it is present, then for each its best choice.
///   As conclusions follow from facts and earlier decisions alone, the result is the best one by that order: no identifier
///   is absent unless it contradicts those before it;
/// - circles are found when the last of their members is decided, and are facts from then on.
///
/// **Cost.** Exponential in the worst case, as for every known algorithm for this task. ``steps`` counts the work.
struct PubGrubSolver {
    /// That some choices of an identifier require some of another.
    struct Requirement {
        let dependent: Int
        let dependents: ChoiceSet
        let target: Int
        let fitting: ChoiceSet
    }

    struct Term {
        let identifier: Int
        let set: ChoiceSet
    }

    /// Terms that are never all true, in the order of their identifiers.
    struct Incompatibility {
        let terms: [Term]
        let cause: Cause
    }

    enum Cause {
        /// The requirement of this number.
        case requirement(Int)
        /// Each identifier requires the next one, and the last the first.
        case circle([Int])
        /// Follows from two others, of which one is true whatever the choice of an identifier.
        case derived(Int, Int, pivot: Int)
    }

    /// Something that is known of an identifier.
    struct Assignment {
        let identifier: Int
        /// What was decided or concluded.
        let own: ChoiceSet
        /// What is possible with all that was known before.
        let result: ChoiceSet
        /// How many decisions it may depend on.
        let level: Int
        /// nil for a decision.
        let cause: Int?
    }

    let requirements: [Requirement]
    /// For each identifier, how many choices there are, with that of being absent, which what is loaded has not.
    let counts: [Int]
    /// For each identifier, the requirements of which it is the dependent, where these may lead back to it.
    let circular: [[Int]]
    let limit: Int

    private(set) var incompatibilities: [Incompatibility] = []
    private var incompatibilitiesOf: [[Int]]
    private(set) var possible: [ChoiceSet]
    private(set) var trail: [Assignment] = []
    private(set) var trailOf: [[Int]]
    /// For each decision, its place in the order.
    private var decisions: [Int] = []
    private var changed: [Int] = []
    private var isChanged: [Bool]
    /// The work done, in terms looked at.
    var steps = 0

    /// The search took more steps than allowed.
    struct LimitReached: Error {}

    init(counts: [Int], requirements: [Requirement], circular: [[Int]], limit: Int) {
        self.requirements = requirements
        self.counts = counts
        self.circular = circular
        self.limit = limit
        possible = counts.map { ChoiceSet(0..<$0) }
        incompatibilitiesOf = counts.map { _ in [] }
        trailOf = incompatibilitiesOf
        isChanged = counts.map { _ in false }
        for (number, requirement) in requirements.enumerated() {
            let terms = [
                Term(identifier: requirement.dependent, set: requirement.dependents),
                Term(
                    identifier: requirement.target,
                    set: requirement.fitting.complement(of: counts[requirement.target])),
            ]
            .filter { !$0.set.isEmpty }.sorted { $0.identifier < $1.identifier }
            // Whatever version is there will do, and it is always there.
            guard terms.count == 2 else { continue }
            index(add(Incompatibility(terms: terms, cause: .requirement(number))))
        }
    }

    /// Finds the best selection, in ``possible``, where each set then has one member.
    ///
    /// - Parameters:
    ///   - present: the identifiers, the one first that must rather be present.
    ///   - best: the identifiers, the one first that must rather have its best choice.
    mutating func solve(present: [Int], best: [Int]) throws(LimitReached) {
        backtrack(to: 0)
        for identifier in counts.indices { mark(identifier) }
        var place = 0
        while true {
            try propagate(&place)
            guard place < present.count + best.count else { return }
            if place < present.count {
                let identifier = present[place]
                let isAbsent = ChoiceSet(counts[identifier] - 1..<counts[identifier])
                if possible[identifier].relation(to: isAbsent) == .overlapping {
                    decide(
                        identifier, possible[identifier].intersection(isAbsent.complement(of: counts[identifier])),
                        place)
                }
                place += 1
            } else {
                let identifier = best[place - present.count]
                if possible[identifier].only == nil {
                    decide(identifier, ChoiceSet(ascending: [possible[identifier].first!]), place)
                }
                place += 1
                if let circle = try circle(through: identifier) { try resolve(circle, &place) }
            }
        }
    }

    // MARK: Unit propagation

    private mutating func mark(_ identifier: Int) {
        guard !isChanged[identifier] else { return }
        isChanged[identifier] = true
        changed.append(identifier)
    }

    private mutating func propagate(_ place: inout Int) throws(LimitReached) {
        next: while let identifier = changed.popLast() {
            isChanged[identifier] = false
            // The newest first: they are the most general ones.
            for number in incompatibilitiesOf[identifier].reversed() {
                switch try state(of: number) {
                case .open: continue
                case .almostTrue(let term): conclude(term, from: number)
                case .allTrue:
                    try resolve(number, &place)
                    continue next
                }
            }
        }
    }

    private enum State {
        /// Some term is false, or several are undecided.
        case open
        /// All terms are true but this one.
        case almostTrue(Term)
        case allTrue
    }

    private mutating func state(of number: Int) throws(LimitReached) -> State {
        var undecided: Term?
        for term in incompatibilities[number].terms {
            try step()
            switch possible[term.identifier].relation(to: term.set) {
            case .subset: continue
            case .disjoint: return .open
            case .overlapping:
                if undecided != nil { return .open }
                undecided = term
            }
        }
        return undecided.map(State.almostTrue) ?? .allTrue
    }

    private mutating func step() throws(LimitReached) {
        steps += 1
        if steps > limit { throw LimitReached() }
    }

    private mutating func conclude(_ term: Term, from number: Int) {
        assign(term.identifier, term.set.complement(of: counts[term.identifier]), cause: number)
    }

    private mutating func decide(_ identifier: Int, _ set: ChoiceSet, _ place: Int) {
        decisions.append(place)
        assign(identifier, set, cause: nil)
    }

    private mutating func assign(_ identifier: Int, _ own: ChoiceSet, cause: Int?) {
        possible[identifier] = possible[identifier].intersection(own)
        trailOf[identifier].append(trail.count)
        trail.append(
            Assignment(
                identifier: identifier, own: own, result: possible[identifier], level: decisions.count, cause: cause))
        mark(identifier)
    }

    private mutating func backtrack(to level: Int) {
        while let last = trail.last, last.level > level {
            trail.removeLast()
            trailOf[last.identifier].removeLast()
            possible[last.identifier] =
                trailOf[last.identifier].last.map { trail[$0].result } ?? ChoiceSet(0..<counts[last.identifier])
        }
        decisions.removeLast(decisions.count - level)
    }

    private mutating func add(_ incompatibility: Incompatibility) -> Int {
        incompatibilities.append(incompatibility)
        return incompatibilities.count - 1
    }

    private mutating func index(_ number: Int) {
        for term in incompatibilities[number].terms { incompatibilitiesOf[term.identifier].append(number) }
    }

    // MARK: Conflicts

    /// Goes back to where an incompatibility, or one that it follows from, is not all true, and draws the conclusion.
    private mutating func resolve(_ conflict: Int, _ place: inout Int) throws(LimitReached) {
        var number = conflict
        while true {
            let terms = incompatibilities[number].terms
            var satisfiers: [Int] = []
            for term in terms { satisfiers.append(try satisfier(of: term)) }
            let latest = satisfiers.indices.max { satisfiers[$0] < satisfiers[$1] }
            // Everything absent is a selection, so no conflict is without decisions.
            guard let latest, satisfiers[latest] >= 0 else { preconditionFailure("nothing can be absent") }
            let assignment = trail[satisfiers[latest]]
            // What was known before, without which the assignment alone would not make its term true.
            var previous = try satisfier(of: terms[latest], with: assignment.own)
            for other in satisfiers.indices where other != latest { previous = max(previous, satisfiers[other]) }
            let level = previous < 0 ? 0 : trail[previous].level
            guard let cause = assignment.cause, level == assignment.level else {
                if number != conflict { index(number) }
                if level < decisions.count { place = decisions[level] }
                backtrack(to: level)
                for identifier in changed { isChanged[identifier] = false }
                changed = []
                conclude(terms[latest], from: number)
                return
            }
            number = try derive(number, cause, pivot: assignment.identifier)
        }
    }

    /// The earliest assignment with which a term is true; -1 if it always is.
    ///
    /// - Parameter own: something that is known besides.
    private mutating func satisfier(of term: Term, with own: ChoiceSet? = nil) throws(LimitReached) -> Int {
        func isTrue(_ set: ChoiceSet) -> Bool {
            (own.map(set.intersection) ?? set).relation(to: term.set) == .subset
        }
        try step()
        if isTrue(ChoiceSet(0..<counts[term.identifier])) { return -1 }
        for assignment in trailOf[term.identifier] {
            try step()
            if isTrue(trail[assignment].result) { return assignment }
        }
        preconditionFailure("the term is not true")
    }

    /// What follows from two incompatibilities, of which one or the other must be true of the pivot.
    private mutating func derive(_ one: Int, _ other: Int, pivot: Int) throws(LimitReached) -> Int {
        let (a, b) = (incompatibilities[one].terms, incompatibilities[other].terms)
        var terms: [Term] = []
        var (i, j) = (0, 0)
        while i < a.count || j < b.count {
            try step()
            if j == b.count || i < a.count && a[i].identifier < b[j].identifier {
                if a[i].identifier != pivot { terms.append(a[i]) }
                i += 1
            } else if i == a.count || b[j].identifier < a[i].identifier {
                if b[j].identifier != pivot { terms.append(b[j]) }
                j += 1
            } else {
                let identifier = a[i].identifier
                let set = identifier == pivot ? a[i].set.union(b[j].set) : a[i].set.intersection(b[j].set)
                if set.count < counts[identifier] { terms.append(Term(identifier: identifier, set: set)) }
                i += 1
                j += 1
            }
        }
        return add(Incompatibility(terms: terms, cause: .derived(one, other, pivot: pivot)))
    }

    // MARK: Circles

    /// A circle of what is chosen, through an identifier, as a new incompatibility.
    private mutating func circle(through start: Int) throws(LimitReached) -> Int? {
        guard !circular[start].isEmpty else { return nil }
        var origin: [Int: Int] = [:]
        var stack = [start]
        while let identifier = stack.popLast() {
            guard let choice = possible[identifier].only else { continue }
            for number in circular[identifier] where requirements[number].dependents.contains(choice) {
                try step()
                let target = requirements[number].target
                guard origin[target] == nil else { continue }
                origin[target] = identifier
                if target == start {
                    var circle = [identifier]
                    while let last = circle.last, last != start { circle.append(origin[last]!) }
                    return addCircle(circle.reversed())
                }
                stack.append(target)
            }
        }
        return nil
    }

    private mutating func addCircle(_ circle: [Int]) -> Int {
        let terms = circle.indices.map { place in
            let next = circle[(place + 1) % circle.count]
            let set = circular[circle[place]].reduce(ChoiceSet(0..<0)) { set, number in
                requirements[number].target == next ? set.union(requirements[number].dependents) : set
            }
            return Term(identifier: circle[place], set: set)
        }
        let number = add(
            Incompatibility(terms: terms.sorted { $0.identifier < $1.identifier }, cause: .circle(circle)))
        index(number)
        return number
    }

    // MARK: Explanations

    /// The incompatibility by which a choice is not possible, as it follows from facts and what was decided of other
    /// identifiers; nil if a decision was made against it.
    mutating func reason(against choice: Int, of identifier: Int) throws(LimitReached) -> Int? {
        guard let loss = trailOf[identifier].first(where: { !trail[$0].result.contains(choice) }),
            var number = trail[loss].cause
        else { return nil }
        while true {
            var latest: Assignment?
            var place = -1
            for term in incompatibilities[number].terms where term.identifier != identifier {
                let satisfier = try satisfier(of: term)
                guard satisfier > place, trail[satisfier].cause != nil else { continue }
                (latest, place) = (trail[satisfier], satisfier)
            }
            guard let latest, let cause = latest.cause else { return number }
            number = try derive(number, cause, pivot: latest.identifier)
        }
    }
}

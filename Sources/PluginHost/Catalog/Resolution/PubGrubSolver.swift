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
    private(set) var decisions: [Int] = []
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

    /// Finds the best selection, in ``possible``, where each set then has one member. `present`: the identifiers, the
    /// one first that must rather be present. `best`: the identifiers, the one first that must rather have its best
    /// choice.
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

    mutating func step() throws(LimitReached) {
        steps += 1
        if steps > limit { throw LimitReached() }
    }

    mutating func conclude(_ term: Term, from number: Int) {
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

    mutating func backtrack(to level: Int) {
        while let last = trail.last, last.level > level {
            trail.removeLast()
            trailOf[last.identifier].removeLast()
            possible[last.identifier] =
                trailOf[last.identifier].last.map { trail[$0].result } ?? ChoiceSet(0..<counts[last.identifier])
        }
        decisions.removeLast(decisions.count - level)
        for identifier in changed { isChanged[identifier] = false }
        changed = []
    }

    mutating func add(_ incompatibility: Incompatibility) -> Int {
        incompatibilities.append(incompatibility)
        return incompatibilities.count - 1
    }

    mutating func index(_ number: Int) {
        for term in incompatibilities[number].terms { incompatibilitiesOf[term.identifier].append(number) }
    }
}

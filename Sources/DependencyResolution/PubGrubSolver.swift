/// Chooses at most one version of each identifier, so that all requirements of the chosen versions are met and no
/// identifier requires itself in a circle.
///
/// It is PubGrub (N. Weizenbaum, “PubGrub: Next-Generation Version Solving”, 2018, and the document “solver.md” of
/// Dart's package manager). Facts are kept as incompatibilities: sets of terms that are never all true. Unit
/// propagation draws conclusions from them. Each conflict yields a new incompatibility, its cause. The solver keeps
/// that cause and backtracks to the last decision that matters. The derivations explain every conclusion. Three things
/// differ, because all versions are known and no root requires the others:
/// - a term is a set of an identifier's choices, the last of which means that the identifier is absent. The negation of
///   a term is therefore the complement, and satisfaction is set inclusion;
/// - decisions are made in a fixed order: first that each identifier is present, then the best choice for each.
///   Conclusions follow only from facts and earlier decisions, so the result is the best one in that order: an
///   identifier is absent only if it contradicts those before it;
/// - circles are found when the last of their members is decided. Afterwards they are facts.
///
/// **Cost.** Exponential in the worst case, as for every known algorithm for this task. ``steps`` counts the work.
struct PubGrubSolver {
    /// States that some choices of an identifier require some choices of another.
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

    /// Terms that are never all true, sorted by identifier.
    struct Incompatibility {
        let terms: [Term]
        let cause: Cause
    }

    enum Cause {
        /// The requirement with this number.
        case requirement(Int)
        /// Each identifier requires the next one, and the last the first.
        case circle([Int])
        /// It follows from two others. Whatever is chosen for the identifier `pivot`, one of the two applies.
        case derived(Int, Int, pivot: Int)
    }

    /// A fact, a decision or a conclusion about an identifier.
    struct Assignment {
        let identifier: Int
        /// The choices that it allows.
        let own: ChoiceSet
        /// The choices that are still possible together with all earlier assignments.
        let result: ChoiceSet
        /// The number of decisions on which it may depend.
        let level: Int
        /// nil for a decision.
        let cause: Int?
    }

    let requirements: [Requirement]
    /// The number of choices of each identifier, including its absence; loaded identifiers cannot be absent.
    let counts: [Int]
    /// For each identifier, the requirements of its choices that may lead back to it.
    let circular: [[Int]]
    let limit: Int

    private(set) var incompatibilities: [Incompatibility] = []
    private var incompatibilitiesOf: [[Int]]
    private(set) var possible: [ChoiceSet]
    private(set) var trail: [Assignment] = []
    private(set) var trailOf: [[Int]]
    /// For each decision, its position in the order.
    private(set) var decisions: [Int] = []
    private var changed: [Int] = []
    private var isChanged: [Bool]
    /// The work done, as the number of terms examined.
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
            // Otherwise every available version meets the requirement, and one is always present.
            guard terms.count == 2 else { continue }
            index(add(Incompatibility(terms: terms, cause: .requirement(number))))
        }
    }

    /// Finds the best selection and stores it in ``possible``, where each set then has one member.
    ///
    /// `present`: the identifiers, in the order in which their presence is preferred. `best`: the identifiers, in the
    /// order in which their best choice is preferred.
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
            // The newest first, because they are the most general.
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
        /// All terms are true except this one.
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

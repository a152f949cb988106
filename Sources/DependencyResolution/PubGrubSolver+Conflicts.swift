/// Resolves conflicts and explains conclusions. Both derive new incompatibilities from existing ones.
extension PubGrubSolver {
    /// Backtracks until an incompatibility, or one from which it follows, is no longer completely true, and draws the
    /// conclusion.
    mutating func resolve(_ conflict: Int, _ place: inout Int) throws(LimitReached) {
        var number = conflict
        while true {
            let terms = incompatibilities[number].terms
            var satisfiers: [Int] = []
            for term in terms { satisfiers.append(try satisfier(of: term)) }
            let latest = satisfiers.indices.max { satisfiers[$0] < satisfiers[$1] }
            // A selection without any identifier is always possible, so every conflict depends on decisions.
            guard let latest, satisfiers[latest] >= 0 else { preconditionFailure("nothing can be absent") }
            let assignment = trail[satisfiers[latest]]
            // The assignments before it. Without them, this assignment alone would not make its term true.
            var previous = try satisfier(of: terms[latest], with: assignment.own)
            for other in satisfiers.indices where other != latest { previous = max(previous, satisfiers[other]) }
            let level = previous < 0 ? 0 : trail[previous].level
            guard let cause = assignment.cause, level == assignment.level else {
                if number != conflict { index(number) }
                if level < decisions.count { place = decisions[level] }
                backtrack(to: level)
                conclude(terms[latest], from: number)
                return
            }
            number = try derive(number, cause, pivot: assignment.identifier)
        }
    }

    /// The earliest assignment that makes a term true; -1 if the term is always true.
    ///
    /// `own`: choices that are known in addition to the assignments.
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

    /// The conclusion from two incompatibilities.
    ///
    /// Whatever is chosen for the pivot, one of the two applies.
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

    /// A circle of chosen identifiers that contains an identifier, as a new incompatibility.
    mutating func circle(through start: Int) throws(LimitReached) -> Int? {
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

    /// The incompatibility that excludes a choice, derived from facts and the decisions about other identifiers; nil if
    /// a decision excluded the choice.
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

/// A group of identifiers that depend on each other but on no identifier outside.
///
/// It is solved separately.
struct ResolutionPart {
    /// In the numbers of the graph, in alphabetical order.
    let identifiers: [Int]
    /// The usable choices of each identifier, in the numbers of the graph.
    let slots: [[Int]]
    /// For each requirement of the solver, the graph's requirement.
    private(set) var origins: [Int] = []
    /// The identifiers, each before those that it may require, except in circles.
    private let dependentsFirst: [Int]
    private(set) var solver: PubGrubSolver

    /// The choice for each identifier, if any, and the reason why each better choice was not possible.
    struct Selection {
        var choices: [Int?] = []
        /// The incompatibilities, by identifier and choice; nil if a decision preferred another choice.
        var reasons: [[Int?]] = []

        var count: Int { choices.count { $0 != nil } }
    }

    /// Prepares the resolution of identifiers that depend on each other.
    ///
    /// `components`: the part's identifiers; those that depend on each other are in one component. `places`: space for
    /// the position of each identifier of the graph.
    init(_ components: [[Int]], _ graph: RequirementGraph, _ usability: Usability, places: inout [Int], limit: Int) {
        let identifiers = components.flatMap(\.self).sorted()
        let slots = identifiers.map { graph.choices(of: $0).filter { usability.obstacles[$0] == nil } }
        for (place, identifier) in identifiers.enumerated() { places[identifier] = place }
        var circleOf = [Int](repeating: 0, count: identifiers.count)
        for (number, component) in components.enumerated() where component.count > 1 {
            for identifier in component { circleOf[places[identifier]] = number + 1 }
        }
        var requirements: [PubGrubSolver.Requirement] = []
        var dependentsOf: [[Int]] = identifiers.map { _ in [] }
        var circular: [[Int]] = identifiers.map { _ in [] }
        for dependent in identifiers.indices {
            var dependents: [Int: [Int]] = [:]
            for (choice, slot) in slots[dependent].enumerated() {
                for requirement in graph.choices[slot].requirements {
                    dependents[requirement, default: []].append(choice)
                }
            }
            for (requirement, choices) in dependents.sorted(by: { $0.key < $1.key }) {
                let target = places[graph.requirements[requirement].target]
                if circleOf[dependent] != 0, circleOf[dependent] == circleOf[target] {
                    circular[dependent].append(requirements.count)
                }
                let fitting = slots[target].indices.filter { graph.fits(slots[target][$0], requirement) }
                requirements.append(
                    PubGrubSolver.Requirement(
                        dependent: dependent, dependents: ChoiceSet(ascending: choices), target: target,
                        fitting: ChoiceSet(ascending: fitting)))
                origins.append(requirement)
                dependentsOf[target].append(dependent)
            }
        }
        dependentsFirst = stronglyConnectedComponents(dependentsOf).flatMap(\.self)
        let counts = identifiers.indices.map { slots[$0].count + (graph.loaded[identifiers[$0]] == nil ? 1 : 0) }
        self.identifiers = identifiers
        self.slots = slots
        solver = PubGrubSolver(counts: counts, requirements: requirements, circular: circular, limit: limit)
    }

    /// Returns the best selection.
    ///
    /// If requirements contradict each other, an identifier is left out if it does not fit with those before it in
    /// alphabetical order. The search is then repeated with the omitted identifiers first, as long as this omits fewer.
    /// One outdated plug-in therefore does not exclude many that are up to date.
    mutating func solve() throws(PubGrubSolver.LimitReached) -> Selection {
        var order = Array(identifiers.indices)
        var best = try selection(order)
        while true {
            let left = order.filter { best.choices[$0] == nil }
            guard !left.isEmpty else { return best }
            order = left + order.filter { best.choices[$0] != nil }
            // The result so far is valid even if the search for a better one cannot finish.
            guard let next = try? selection(order), next.count > best.count else { return best }
            best = next
        }
    }

    private mutating func selection(_ order: [Int]) throws(PubGrubSolver.LimitReached) -> Selection {
        // A plug-in comes before the plug-ins that it requires: it matters more to the user than a library that it
        // needs.
        try solver.solve(present: order, best: dependentsFirst)
        var result = Selection()
        for identifier in identifiers.indices {
            let choice = solver.possible[identifier].first!
            let isPresent = choice < slots[identifier].count
            result.choices.append(isPresent ? choice : nil)
            var reasons: [Int?] = []
            for better in 0..<choice { reasons.append(try solver.reason(against: better, of: identifier)) }
            result.reasons.append(reasons)
        }
        return result
    }
}

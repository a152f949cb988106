import HostBasics

/// Which choices can be used at all, each considered separately, and why the other choices cannot be used.
///
/// A choice is **usable** if each of its requirements has a usable choice in its range, starting with the choices that
/// require nothing. The other choices are **blocked**, or depend on themselves in a **circle**. Only usable choices
/// ever become part of a selection, because in its load order each choice comes after those that it requires.
///
/// **Cost.** Linear in candidates and requirements, except that each version of an identifier is compared with each
/// required range.
struct Usability {
    /// Why a choice cannot be used.
    enum Obstacle {
        /// No version is in the range of the requirement.
        case nothingFits(requirement: Int)
        /// The matching choices are not usable; the most preferred one is named.
        case blocked(requirement: Int, by: Int)
        /// It requires itself.
        case itself
        /// It is in a circle, in which the requirement leads to the next choice.
        case circle(requirement: Int, next: Int)
    }

    /// The end of a chain of obstacles.
    struct End {
        /// A choice whose obstacle has no further cause, or the first one of a circle.
        let choice: Int
        /// The number of choices before it, and the last of them.
        let distance: Int
        let previous: Int?
    }

    /// For each choice, nil if it is usable.
    private(set) var obstacles: [Obstacle?]
    /// For each choice that is not usable, the end of its chain of obstacles.
    private(set) var ends: [End?]
    /// The circles at the end of obstacles, each choice requiring the next; and for each member, its circle and its
    /// position there.
    private(set) var circles: [[Int]] = []
    private(set) var placesInCircles: [Int: (circle: Int, place: Int)] = [:]
    private let graph: RequirementGraph

    init(_ graph: RequirementGraph) {
        self.graph = graph
        obstacles = Array(repeating: nil, count: graph.choices.count)
        ends = Array(repeating: nil, count: graph.choices.count)
        findBlocked()
        findCircles(among: unfounded())
        findEnds()
    }

    /// The next choice in the chain of obstacles.
    func next(_ choice: Int) -> (requirement: Int, choice: Int)? {
        switch obstacles[choice] {
        case .blocked(let requirement, let next), .circle(let requirement, let next): (requirement, next)
        case .nothingFits, .itself, nil: nil
        }
    }

    /// Finds the choices with a requirement that no version meets, then those that require them, and so on.
    private mutating func findBlocked() {
        var open = graph.requirements.map { $0.fitting.count }
        var blocked: [Int] = []
        func obstruct(_ choice: Int, _ obstacle: Obstacle) {
            guard obstacles[choice] == nil else { return }
            obstacles[choice] = obstacle
            blocked.append(choice)
        }
        for choice in graph.choices.indices where graph.choices[choice].requiresItself { obstruct(choice, .itself) }
        for (number, requirement) in graph.requirements.enumerated() where open[number] == 0 {
            for dependent in requirement.dependents { obstruct(dependent, .nothingFits(requirement: number)) }
        }
        var next = 0
        while next < blocked.count {
            let choice = blocked[next]
            next += 1
            for requirement in graph.requirementsOfTarget[graph.choices[choice].identifier]
            where graph.fits(choice, requirement) {
                open[requirement] -= 1
                guard open[requirement] == 0 else { continue }
                let best = graph.fitting(requirement).first { _ in true }!
                for dependent in graph.requirements[requirement].dependents {
                    obstruct(dependent, .blocked(requirement: requirement, by: best))
                }
            }
        }
    }

    /// The choices that are not blocked, but cannot be reached from choices that require nothing.
    private func unfounded() -> [Int] {
        var open = graph.choices.map { $0.requirements.count }
        var isMet = [Bool](repeating: false, count: graph.requirements.count)
        var usable = graph.choices.indices.filter { open[$0] == 0 && obstacles[$0] == nil }
        var next = 0
        while next < usable.count {
            let choice = usable[next]
            next += 1
            for requirement in graph.requirementsOfTarget[graph.choices[choice].identifier]
            where !isMet[requirement] && graph.fits(choice, requirement) {
                isMet[requirement] = true
                for dependent in graph.requirements[requirement].dependents where obstacles[dependent] == nil {
                    open[dependent] -= 1
                    if open[dependent] == 0 { usable.append(dependent) }
                }
            }
        }
        return graph.choices.indices.filter { open[$0] > 0 && obstacles[$0] == nil }
    }

    /// Finds the circles that explain why choices cannot be used.
    ///
    /// Each of these choices depends on itself through its requirements. One requirement of each is followed to the
    /// best choice in its range that is also one of these choices. Following such links always leads into a circle.
    private mutating func findCircles(among unfounded: [Int]) {
        guard !unfounded.isEmpty else { return }
        var places: [Int: Int] = [:]
        for (place, choice) in unfounded.enumerated() { places[choice] = place }
        // The index of the best choice that also depends on itself; nil if a usable choice meets the requirement.
        var nextOf: [Int: Int?] = [:]
        func next(_ requirement: Int) -> Int? {
            if let known = nextOf[requirement] { return known }
            let isMet = graph.fitting(requirement).contains { obstacles[$0] == nil && places[$0] == nil }
            let next = isMet ? nil : graph.fitting(requirement).firstNonNil { places[$0] }
            nextOf[requirement] = .some(next)
            return next
        }
        let steps = unfounded.map { choice in
            graph.choices[choice].requirements.compactMap { requirement in
                next(requirement).map { (requirement: requirement, next: $0) }
            }
        }
        for component in stronglyConnectedComponents(steps.map { $0.map(\.next) }) {
            let step =
                component.count > 1 ? stepsToLowest(of: component, steps) : [component[0]: steps[component[0]][0]]
            for place in component {
                let (requirement, next) = step[place]!
                obstacles[unfounded[place]] =
                    component.count > 1
                    ? .circle(requirement: requirement, next: unfounded[next])
                    : .blocked(requirement: requirement, by: unfounded[next])
            }
        }
    }

    /// For each member of a component, the step on the shortest way to the lowest member; for the lowest one, the first
    /// step of the shortest way back to itself.
    private func stepsToLowest(
        of component: [Int], _ steps: [[(requirement: Int, next: Int)]]
    ) -> [Int: (requirement: Int, next: Int)] {
        let members = Set(component)
        var predecessors: [Int: [(place: Int, requirement: Int)]] = [:]
        for place in component {
            for step in steps[place] where members.contains(step.next) {
                predecessors[step.next, default: []].append((place, step.requirement))
            }
        }
        let lowest = component[0]
        var result: [Int: (requirement: Int, next: Int)] = [:]
        var distance = [lowest: 0]
        var reached = [lowest]
        var next = 0
        while next < reached.count {
            let target = reached[next]
            next += 1
            for (place, requirement) in predecessors[target] ?? [] where distance[place] == nil {
                distance[place] = distance[target]! + 1
                result[place] = (requirement, target)
                reached.append(place)
            }
        }
        result[lowest] = steps[lowest].filter { members.contains($0.next) }.min {
            distance[$0.next]! < distance[$1.next]!
        }
        return result
    }

    /// Follows all obstacles, each choice once.
    private mutating func findEnds() {
        var places = [Int](repeating: -1, count: obstacles.count)
        for start in obstacles.indices where obstacles[start] != nil && ends[start] == nil {
            var path: [Int] = []
            var current = start
            while ends[current] == nil, places[current] < 0 {
                places[current] = path.count
                path.append(current)
                current = next(current)?.choice ?? current
            }
            if ends[current] == nil {
                let circle = Array(path[places[current]...])
                path.removeLast(circle.count)
                let isCircle = next(current) != nil
                for (place, member) in circle.enumerated() {
                    ends[member] = End(choice: member, distance: 0, previous: nil)
                    if isCircle { placesInCircles[member] = (circles.count, place) }
                }
                if isCircle { circles.append(circle) }
            }
            for choice in path.reversed() {
                let end = ends[next(choice)!.choice]!
                ends[choice] = End(choice: end.choice, distance: end.distance + 1, previous: end.previous ?? choice)
            }
        }
    }
}

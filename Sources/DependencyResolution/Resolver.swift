package import HostBasics

/// Chooses one version of each identifier, so that as many identifiers as possible can be used, and determines the load
/// order.
///
/// Rules, in order:
/// 1. A loaded version stays in use, whatever it requires.
/// 2. A candidate can be used only if everything that it requires can be used, in a version within the range, and if it
///    does not require itself, directly or in a circle.
/// 3. One candidate of each identifier is used. If requirements contradict each other, so that not every identifier can
///    be used, identifiers that are earlier in alphabetical order are preferred. If more identifiers can be used when
///    the omitted ones take precedence, that selection is used instead.
/// 4. Of each identifier, the highest version is used that allows the same identifiers to be used: the highest
///    compatible one wins. If two cannot both have their highest version, the one that requires the other has it,
///    otherwise the first one in alphabetical order. Among equal versions the lower rank wins.
/// 5. The load order is alphabetical, except that each plug-in comes after those that it requires.
///
/// Algorithms: PubGrub (see ``PubGrubSolver``) for rules 3 and 4, if requirements leave a choice; Tarjan's strongly
/// connected components (see ``stronglyConnectedComponents(_:)``) for circles and for the load order.
///
/// - Parameters:
///   - candidates: in any order; the result does not depend on it.
///   - pinned: the loaded versions, by identifier.
///   - limit: how many steps the search for rules 3 and 4 may take in total. Beyond it, choices are made without a
///     search: required identifiers first, and for each the best candidate that fits the choices before it.
///   - unread: the path of a file that could not be read and may be a candidate. Nothing is then reported as missing.
///   - refused: identifiers whose plug-ins are installed, but may not be used. They are not reported as missing.
/// - Returns: the chosen candidates in load order, and why the others were not chosen.
///
/// **Threads.** No state. **Cost.** Linear in candidates and requirements if the best candidates of all identifiers fit
/// together; otherwise bounded by `limit`, to a second or two.
package func resolve(
    _ candidates: [ResolutionCandidate], pinned: [String: PluginVersion] = [:], limit: Int = 5_000_000,
    unread: String? = nil, refused: Set<String> = []
) -> Resolution {
    // Nearly all plug-ins require nothing and are not required. Those only need to be sorted.
    var bound = Set(pinned.keys)
    for candidate in candidates where !candidate.requires.isEmpty {
        bound.insert(candidate.identifier)
        for (identifier, _) in candidate.requires { bound.insert(identifier) }
    }
    let others = bound.isEmpty ? [] : candidates.filter { bound.contains($0.identifier) }
    let free = others.isEmpty ? candidates : candidates.filter { !bound.contains($0.identifier) }
    var resolution = Resolution()
    if !others.isEmpty {
        var resolver = Resolver(others, pinned: pinned, unread: unread, refused: refused)
        resolver.choose(limit: limit)
        resolution = resolver.resolution()
    }
    resolution.add(free: free, to: others)
    return resolution
}

extension Resolution {
    /// Adds the best candidate of each identifier that requires nothing and is not required.
    ///
    /// `others`: the candidates from which ``chosen`` was selected.
    fileprivate mutating func add(free: [ResolutionCandidate], to others: [ResolutionCandidate]) {
        let sorted = free.indices.sorted { a, b in
            if free[a].identifier != free[b].identifier { return free[a].identifier < free[b].identifier }
            return free[a].isPreferred(to: free[b])
        }
        var best: [Int] = []
        for place in sorted {
            guard let last = best.last, free[last].identifier == free[place].identifier else {
                best.append(place)
                continue
            }
            let isEqual = free[last].version == free[place].version
            passedOver[free[place].number] = Replacement(
                replacement: free[last].number, rule: isEqual ? .earlierRank : .higherVersion)
        }
        guard !chosen.isEmpty else {
            chosen = best.map { free[$0].number }
            return
        }
        merge(best.map { free[$0] }, others)
    }

    /// Merges candidates without requirements into the load order.
    ///
    /// That order is alphabetical, except that each candidate comes after those that it requires. Each free candidate
    /// is therefore inserted before the first remaining one that sorts after it, together with all candidates that this
    /// one requires.
    private mutating func merge(_ free: [ResolutionCandidate], _ others: [ResolutionCandidate]) {
        var identifiers: [Int: String] = Dictionary(minimumCapacity: others.count)
        for candidate in others { identifiers[candidate.number] = candidate.identifier }
        // For each position, the alphabetically first identifier from there to the end.
        var firsts = chosen.map { identifiers[$0]! }
        for place in firsts.indices.dropLast().reversed() { firsts[place] = min(firsts[place], firsts[place + 1]) }
        var order: [Int] = []
        order.reserveCapacity(chosen.count + free.count)
        var rest = free[...]
        for (place, number) in chosen.enumerated() {
            while let next = rest.first, next.identifier < firsts[place] {
                order.append(next.number)
                rest.removeFirst()
            }
            order.append(number)
        }
        chosen = order + rest.map(\.number)
    }
}

/// The state of a resolution in progress.
private struct Resolver {
    private let graph: RequirementGraph
    private let usability: Usability
    private let text: ResolutionText
    /// The identifiers.
    ///
    /// Each comes after those that its usable choices require, except in circles.
    private let components: [[Int]]
    /// The choice for each identifier.
    private var chosen: [Int?]
    private var result = Resolution()

    init(_ candidates: [ResolutionCandidate], pinned: [String: PluginVersion], unread: String?, refused: Set<String>) {
        let graph = RequirementGraph(candidates, pinned: pinned)
        let usability = Usability(graph)
        self.graph = graph
        self.usability = usability
        text = ResolutionText(graph: graph, unread: unread, refused: refused)
        chosen = Array(repeating: nil, count: graph.identifiers.count)
        components = stronglyConnectedComponents(
            graph.identifiers.indices.map { identifier in
                graph.targets(of: graph.choices(of: identifier).lazy.filter { usability.obstacles[$0] == nil })
            })
    }

    // MARK: Choosing

    mutating func choose(limit: Int) {
        var isBest = [Bool](repeating: true, count: graph.identifiers.count)
        for component in components {
            for identifier in component {
                let usable = graph.choices(of: identifier).filter { usability.obstacles[$0] == nil }
                chosen[identifier] = usable.first { fits($0) }
                isBest[identifier] = chosen[identifier] == usable.first
            }
        }
        var places = [Int](repeating: 0, count: graph.identifiers.count)
        var steps = 0
        // The small parts first, so that a part with a very long search does not use up the steps of the others.
        for part in parts().sorted(by: { ($0.count, $0[0][0]) < ($1.count, $1[0][0]) }) {
            guard part.contains(where: { $0.contains { !isBest[$0] } }) else { continue }
            var part = ResolutionPart(part, graph, usability, places: &places, limit: limit - steps)
            do {
                adopt(try part.solve(), part)
            } catch {
                adoptWithoutSearch(part)
            }
            steps += part.solver.steps
        }
    }

    /// Whether the current choices already meet all requirements of a choice.
    private func fits(_ choice: Int) -> Bool {
        graph.choices[choice].requirements.allSatisfy { requirement in
            chosen[graph.requirements[requirement].target].map { graph.fits($0, requirement) } ?? false
        }
    }

    /// The components, grouped so that components with requirements between them are together.
    private func parts() -> [[[Int]]] {
        // A forest in which each tree is a part; the root is the lowest member.
        var parents = Array(graph.identifiers.indices)
        func root(_ identifier: Int) -> Int {
            var identifier = identifier
            while parents[identifier] != identifier {
                parents[identifier] = parents[parents[identifier]]
                identifier = parents[identifier]
            }
            return identifier
        }
        for (number, choice) in graph.choices.enumerated() where usability.obstacles[number] == nil {
            for requirement in choice.requirements {
                let (one, other) = (root(choice.identifier), root(graph.requirements[requirement].target))
                parents[max(one, other)] = min(one, other)
            }
        }
        var parts: [Int: [[Int]]] = [:]
        for component in components { parts[root(component[0]), default: []].append(component) }
        return parts.values.filter { $0.count > 1 || $0[0].count > 1 }
    }

    private mutating func adopt(_ selection: ResolutionPart.Selection, _ part: ResolutionPart) {
        for (place, identifier) in part.identifiers.enumerated() {
            let slots = part.slots[place]
            let choice = selection.choices[place].map { slots[$0] }
            chosen[identifier] = choice
            for (better, reason) in selection.reasons[place].enumerated() {
                guard let number = graph.choices[slots[better]].number, let reason else { continue }
                let conflict = ConflictText(reason, excluding: better, of: place, part, text)
                if let choice, !conflict.concernsRequirements {
                    result.passedOver[number] = Resolution.Replacement(
                        replacement: graph.choices[choice].number, rule: .requirements(conflict.sentence))
                } else {
                    result.failures[number] = conflict.failure
                }
            }
        }
    }

    private mutating func adoptWithoutSearch(_ part: ResolutionPart) {
        result.reachedLimit = true
        for (place, identifier) in part.identifiers.enumerated() {
            for slot in part.slots[place].prefix(while: { $0 != chosen[identifier] }) {
                guard let number = graph.choices[slot].number else { continue }
                result.failures[number] = ResolutionFailure(
                    reason: .undecided,
                    sentence: """
                        \(text.name(choice: slot)) does not fit to what was chosen before it; requirements contradict each \
                        other in so many ways that not all of them were tried.
                        """,
                    remedy: "Remove versions that are not needed, of plug-ins that are installed more than once.")
            }
        }
    }

    // MARK: Telling

    mutating func resolution() -> Resolution {
        for (number, replacement) in graph.replaced { result.passedOver[number] = replacement }
        for identifier in graph.identifiers.indices {
            var isBeforeChosen = true
            for slot in graph.choices(of: identifier) {
                if slot == chosen[identifier] {
                    isBeforeChosen = false
                    continue
                }
                guard let number = graph.choices[slot].number else { continue }
                if let choice = chosen[identifier], !isBeforeChosen {
                    let isEqual = graph.choices[choice].version == graph.choices[slot].version
                    result.passedOver[number] = Resolution.Replacement(
                        replacement: graph.choices[choice].number, rule: isEqual ? .earlierRank : .higherVersion)
                } else if usability.obstacles[slot] != nil {
                    result.failures[number] = ResolutionFailure(slot, usability, text)
                }
            }
        }
        let order = stronglyConnectedComponents(
            graph.identifiers.indices.map { identifier in chosen[identifier].map { graph.targets(of: [$0]) } ?? [] })
        result.chosen = order.compactMap { chosen[$0[0]].flatMap { graph.choices[$0].number } }
        return result
    }
}

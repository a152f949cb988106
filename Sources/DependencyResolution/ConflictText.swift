import HostBasics

/// Explains how an incompatibility was derived, for one choice that it excludes.
struct ConflictText {
    private let text: ResolutionText
    private let part: ResolutionPart
    private let incompatibilities: [PubGrubSolver.Incompatibility]
    /// The identifier and the choice to explain, in the numbers of the part.
    private let subject: (identifier: Int, choice: Int)
    private let root: Int
    /// The facts on which the proof is based, in order.
    private let facts: [Int]
    /// The number of steps of the proof.
    private let derivations: Int

    init(_ root: Int, excluding choice: Int, of identifier: Int, _ part: ResolutionPart, _ text: ResolutionText) {
        self.text = text
        self.part = part
        subject = (identifier, choice)
        incompatibilities = part.solver.incompatibilities
        var facts: Set<Int> = []
        var seen: Set<Int> = []
        var stack = [root]
        while let number = stack.popLast() {
            let proof = Self.proof(of: number, incompatibilities, identifier, choice)
            guard seen.insert(proof.number).inserted else { continue }
            if let causes = proof.causes { stack += causes } else { facts.insert(proof.number) }
        }
        self.root = Self.proof(of: root, incompatibilities, identifier, choice).number
        self.facts = facts.sorted()
        derivations = seen.count - facts.count
    }

    /// Whether the requirements of the choice contribute to the conflict.
    ///
    /// Otherwise only requirements of others on it do.
    var concernsRequirements: Bool {
        facts.contains { fact in
            switch incompatibilities[fact].cause {
            case .requirement(let number): part.solver.requirements[number].dependent == subject.identifier
            case .circle(let circle): circle.contains(subject.identifier)
            case .derived: false
            }
        }
    }

    /// The failure of the choice, caused by its requirements.
    var failure: ResolutionFailure {
        if facts.count == 1, case .circle(let circle) = incompatibilities[facts[0]].cause {
            let start = circle.firstIndex(of: subject.identifier) ?? 0
            let identifiers = (circle[start...] + circle[..<start]).map { part.identifiers[$0] }
            let name = text.name(choice: part.slots[subject.identifier][subject.choice])
            return ResolutionFailure(
                reason: .circle(text.identifiers(ofCircle: identifiers)),
                sentence: "\(name) cannot be loaded with the others: \(text.circle(identifiers)), in a circle.",
                remedy: text.remedy(circle: identifiers))
        }
        // The chain begins with a plug-in that requires something and that no link here requires.
        let links = self.links ?? []
        let targets = Set(links.map(\.target))
        var origins = Set(links.map(\.dependent)).subtracting(targets)
        if origins.isEmpty { origins = Set(links.map(\.dependent)) }
        origins.insert(subject.identifier)
        let names = origins.map { text.graph.identifiers[part.identifiers[$0]] }
        let list = ResolutionText.list(names.sorted().map(ResolutionText.name))
        return ResolutionFailure(
            reason: .conflict(Set(names)), sentence: sentence,
            remedy: names.count > 1
                ? "Install versions of \(list) that fit together, or remove one of them."
                : "Install another version of \(list).")
    }

    // MARK: Sentences

    /// The whole explanation: one or two chains if possible, otherwise steps.
    var sentence: String { chains ?? (derivations > 0 && derivations <= 24 ? steps : allFacts) }

    /// One identifier that requires another.
    private struct Link {
        let dependent: Int
        let target: Int
        let slot: Int
        let requirement: Int
    }

    /// The facts as requirements; nil if one of them is a circle.
    private var links: [Link]? {
        var links: [Link] = []
        for fact in facts {
            guard case .requirement(let number) = incompatibilities[fact].cause else { return nil }
            let requirement = part.solver.requirements[number]
            links.append(
                Link(
                    dependent: requirement.dependent, target: requirement.target,
                    slot: part.slots[requirement.dependent][shown(requirement.dependents, of: requirement.dependent)],
                    requirement: part.origins[number]))
        }
        return links
    }

    /// The choice that represents a set: the one to explain, otherwise the most preferred one.
    private func shown(_ set: ChoiceSet, of identifier: Int) -> Int {
        identifier == subject.identifier && set.contains(subject.choice) ? subject.choice : set.first!
    }

    /// The explanation as chains of requirements that meet; nil if the conflict does not have this form.
    ///
    /// For example: `org.b 1.0 needs org.c 3 or later, but org.a 1.0 needs org.c below 3; org.c 3.0 and 2.0 are
    /// installed.`
    private var chains: String? {
        guard let links, !links.isEmpty else { return nil }
        var before: [Int: [Int]] = [:]
        for (place, link) in links.enumerated() { before[link.target, default: []].append(place) }
        let meetings = before.filter { $0.value.count > 1 }
        let targets = Set(links.map(\.target))
        let ends = targets.subtracting(links.map(\.dependent))
        guard ends.count == 1, let end = ends.first, let last = before[end], last.count < 3,
            meetings.isEmpty || meetings.count == 1 && last.count == 2
        else { return nil }
        var used = 0
        var paths = last.map { place in
            var path = [links[place]]
            while let next = before[path[path.count - 1].dependent]?.first, path.count <= links.count {
                path.append(links[next])
            }
            used += path.count
            return Array(path.reversed())
        }
        guard used == links.count else { return nil }
        if paths.count == 2, paths[1][0].dependent == subject.identifier { paths.swapAt(0, 1) }
        let parts = paths.map { path in text.chain(path.map { ($0.slot, $0.requirement) }) }
        guard paths.count == 2 else { return parts[0] + "." }
        // For a plug-in that contradicts itself: “org.a 1.0 needs …, but also …”.
        let same = text.name(choice: paths[0][0].slot) + " needs "
        let isOne = parts[0].hasPrefix(same) && parts[1].hasPrefix(same)
        let second = isOne ? "also " + parts[1].dropFirst(same.count) : parts[1]
        return "\(parts[0]), but \(second); \(text.installed(part.identifiers[end]))."
    }

    private var allFacts: String {
        "These do not fit together: " + ResolutionText.list(facts.map(describe)) + "."
    }

    /// The explanation in steps, as PubGrub's document describes under “Error Reporting”.
    private var steps: String {
        var uses: [Int: Int] = [:]
        var stack = [root]
        var seen: Set<Int> = []
        while let number = stack.popLast() {
            guard seen.insert(number).inserted, let causes = proof(of: number).causes else { continue }
            for cause in causes { uses[cause, default: 0] += 1 }
            stack += causes
        }
        var sentences: [String] = []
        var lines: [Int: Int] = [:]  // numbers of sentences that are referred to later
        func reference(_ number: Int) -> String { describe(number) + (lines[number].map { " (\($0))" } ?? "") }
        func number(_ cause: Int) {
            guard lines[cause] == nil else { return }
            lines[cause] = lines.count + 1
            sentences[sentences.count - 1] += " (\(lines.count))"
        }
        func explain(_ current: Int) {
            let causes = proof(of: current).causes!
            let isKnown = causes.map { proof(of: $0).causes == nil || lines[$0] != nil }
            let conclusion = describe(current)
            switch (isKnown[0], isKnown[1]) {
            case (true, true):
                sentences.append("Because \(reference(causes[0])) and \(reference(causes[1])), \(conclusion).")
            case (false, true), (true, false):
                let (open, known) = isKnown[1] ? (causes[0], causes[1]) : (causes[1], causes[0])
                explain(open)
                sentences.append("And because \(reference(known)), \(conclusion).")
            case (false, false):
                explain(causes[0])
                number(causes[0])
                explain(causes[1])
                sentences.append("And because \(reference(causes[0])), \(conclusion).")
            }
            if uses[current, default: 0] > 1 { number(current) }
        }
        explain(root)
        return sentences.joined(separator: " ")
    }

    // MARK: Proofs

    /// The causes from which an incompatibility follows, for the choice to explain.
    ///
    /// Skips a step that only states that the choice is one of several.
    private func proof(of number: Int) -> (number: Int, causes: [Int]?) {
        Self.proof(of: number, incompatibilities, subject.identifier, subject.choice)
    }

    private static func proof(
        of number: Int, _ incompatibilities: [PubGrubSolver.Incompatibility], _ identifier: Int, _ choice: Int
    ) -> (number: Int, causes: [Int]?) {
        func resolved(_ number: Int) -> Int {
            var number = number
            while case .derived(let one, let other, let pivot) = incompatibilities[number].cause, pivot == identifier {
                let holds =
                    incompatibilities[one].terms.first { $0.identifier == identifier }?.set.contains(choice) ?? true
                number = holds ? one : other
            }
            return number
        }
        let number = resolved(number)
        guard case .derived(let one, let other, _) = incompatibilities[number].cause else { return (number, nil) }
        return (number, [resolved(one), resolved(other)])
    }

    /// An incompatibility as a statement: `org.a 1.0 needs org.b 2 or later`.
    private func describe(_ number: Int) -> String {
        switch incompatibilities[number].cause {
        case .requirement(let number):
            let requirement = part.solver.requirements[number]
            return describe(requirement.dependents, of: requirement.dependent) + " needs "
                + text.wanted(part.origins[number])
        case .circle(let circle):
            return text.circle(circle.map { part.identifiers[$0] }) + ", in a circle"
        case .derived: break
        }
        var used: [String] = []
        var needed: [String] = []
        for term in incompatibilities[number].terms {
            let count = part.slots[term.identifier].count
            if term.set.contains(count) {
                needed.append(describe(term.set.complement(of: count + 1), of: term.identifier, "or"))
            } else {
                used.append(describe(term.set, of: term.identifier, "or"))
            }
        }
        if used.isEmpty { return "\(ResolutionText.list(needed, "or")) is needed" }
        if !needed.isEmpty {
            return "\(ResolutionText.list(used, "with")) needs \(ResolutionText.list(needed, "or"))"
        }
        return used.count == 1
            ? "\(used[0]) cannot be used" : "\(ResolutionText.list(used, "and")) cannot be used together"
    }

    /// `org.a 1.0` or `org.a 2.0 or 1.0`; only `org.a` if the set contains all versions.
    private func describe(_ set: ChoiceSet, of identifier: Int, _ word: String = "and") -> String {
        let slots = part.slots[identifier]
        if identifier == subject.identifier, set.contains(subject.choice) {
            return text.name(choice: slots[subject.choice])
        }
        if slots.count > 1, set.count == slots.count { return text.name(part.identifiers[identifier]) }
        let versions = set.members.joined().map { text.graph.choices[slots[$0]].version.description }
        return "\(text.name(part.identifiers[identifier])) \(ResolutionText.list(versions, word))"
    }
}

/// Tells how an incompatibility was derived, for one choice that it excludes.
struct ConflictText {
    private let text: ResolutionText
    private let part: ResolutionPart
    private let incompatibilities: [PubGrubSolver.Incompatibility]
    /// The identifier and the choice of it that are explained, as the part numbers them.
    private let subject: (identifier: Int, choice: Int)
    private let root: Int
    /// The facts that the proof rests on, in order.
    private let facts: [Int]
    /// How many steps the proof has.
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

    /// Whether what the choice requires has a part in it; otherwise it is what others require of it.
    var concernsRequirements: Bool {
        facts.contains { fact in
            switch incompatibilities[fact].cause {
            case .requirement(let number): part.solver.requirements[number].dependent == subject.identifier
            case .circle(let circle): circle.contains(subject.identifier)
            case .derived: false
            }
        }
    }

    /// The failure of the choice, because of what it requires.
    var failure: ResolutionFailure {
        if facts.count == 1, case .circle(let circle) = incompatibilities[facts[0]].cause {
            let start = circle.firstIndex(of: subject.identifier) ?? 0
            let identifiers = (circle[start...] + circle[..<start]).map { part.identifiers[$0] }
            let name = text.name(choice: part.slots[subject.identifier][subject.choice])
            return ResolutionFailure(
                reason: .circle(text.identifiers(ofCircle: identifiers)),
                sentence: "\(name) cannot be loaded beside the others: \(text.circle(identifiers)), in a circle.",
                remedy: text.remedy(circle: identifiers))
        }
        // Whoever requires something and is required by nothing here began it.
        let links = self.links ?? []
        let targets = Set(links.map(\.target))
        var origins = Set(links.map(\.dependent)).subtracting(targets)
        if origins.isEmpty { origins = Set(links.map(\.dependent)) }
        origins.insert(subject.identifier)
        let names = origins.map { text.graph.identifiers[part.identifiers[$0]] }
        let told = ResolutionText.list(names.sorted().map(ResolutionText.name))
        return ResolutionFailure(
            reason: .conflict(Set(names)), sentence: sentence,
            remedy: names.count > 1
                ? "Install versions of \(told) that fit together, or remove one of them."
                : "Install another version of \(told).")
    }

    // MARK: Sentences

    /// The whole explanation: as one or two chains where it has that form, else step by step.
    var sentence: String { chains ?? (derivations > 0 && derivations <= 24 ? steps : allFacts) }

    /// One identifier that requires another.
    private struct Link {
        let dependent: Int
        let target: Int
        let slot: Int
        let requirement: Int
    }

    /// The facts as requirements; nil if one is a circle.
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

    /// Which of several choices stands for them: the one that is explained, else the most preferred one.
    private func shown(_ set: ChoiceSet, of identifier: Int) -> Int {
        identifier == subject.identifier && set.contains(subject.choice) ? subject.choice : set.first!
    }

    /// `org.b 1.0 needs org.c 3 or later, but org.a 1.0 needs org.c below 3; installed are org.c 3.0 and 2.0.`
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
        let told = paths.map { path in text.chain(path.map { ($0.slot, $0.requirement) }) }
        guard paths.count == 2 else { return told[0] + "." }
        // Of one that contradicts itself: “org.a 1.0 needs …, but also …”.
        let same = text.name(choice: paths[0][0].slot) + " needs "
        let isOne = told[0].hasPrefix(same) && told[1].hasPrefix(same)
        let second = isOne ? "also " + told[1].dropFirst(same.count) : told[1]
        return "\(told[0]), but \(second); \(text.installed(part.identifiers[end]))."
    }

    private var allFacts: String {
        "These do not fit together: " + ResolutionText.list(facts.map(describe)) + "."
    }

    /// Step by step, as PubGrub's document has it under “Error Reporting”.
    private var steps: String {
        var uses: [Int: Int] = [:]
        var stack = [root]
        var seen: Set<Int> = []
        while let number = stack.popLast() {
            guard seen.insert(number).inserted, let causes = proof(of: number).causes else { continue }
            for cause in causes { uses[cause, default: 0] += 1 }
            stack += causes
        }
        var told: [String] = []
        var lines: [Int: Int] = [:]  // numbers of sentences that are referred to later
        func reference(_ number: Int) -> String { describe(number) + (lines[number].map { " (\($0))" } ?? "") }
        func number(_ cause: Int) {
            guard lines[cause] == nil else { return }
            lines[cause] = lines.count + 1
            told[told.count - 1] += " (\(lines.count))"
        }
        func tell(_ current: Int) {
            let causes = proof(of: current).causes!
            let isKnown = causes.map { proof(of: $0).causes == nil || lines[$0] != nil }
            let conclusion = describe(current)
            switch (isKnown[0], isKnown[1]) {
            case (true, true):
                told.append("Because \(reference(causes[0])) and \(reference(causes[1])), \(conclusion).")
            case (false, true), (true, false):
                let (open, known) = isKnown[1] ? (causes[0], causes[1]) : (causes[1], causes[0])
                tell(open)
                told.append("And because \(reference(known)), \(conclusion).")
            case (false, false):
                tell(causes[0])
                number(causes[0])
                tell(causes[1])
                told.append("And because \(reference(causes[0])), \(conclusion).")
            }
            if uses[current, default: 0] > 1 { number(current) }
        }
        tell(root)
        return told.joined(separator: " ")
    }

    // MARK: Proofs

    /// What an incompatibility follows from, for the choice that is explained: a step that only says that the choice is one
    /// of several has no part in it.
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

    /// `org.a 1.0`, `org.a 2.0 or 1.0`, and of all versions `org.a`.
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

import HostBasics

extension ResolutionFailure {
    /// Why a choice cannot be used, whatever other choices are made: the chain of obstacles down to the one without a
    /// further cause.
    init(_ choice: Int, _ usability: Usability, _ text: ResolutionText) {
        let end = usability.ends[choice]!
        // The links before the end. In a long chain the last one is kept separately.
        let isLong = end.distance >= ResolutionText.longest
        var links: [ResolutionText.Link] = []
        var current = choice
        while links.count < (isLong ? ResolutionText.longest / 2 : end.distance), let next = usability.next(current) {
            links.append((current, next.requirement))
            current = next.choice
        }
        if case .nothingFits(let requirement) = usability.obstacles[end.choice]! {
            let last: ResolutionText.Link = (end.choice, requirement)
            let chain =
                isLong
                ? text.chain(links, omitted: end.distance - links.count, last: last) : text.chain(links + [last])
            self.init(chain, atWhoseEndNothingFits: last, text)
            return
        }
        var chain = ""
        if let previous = end.previous, let next = usability.next(previous) {
            let last: ResolutionText.Link = (previous, next.requirement)
            let isTold = links.count == end.distance
            chain = isTold ? text.chain(links) : text.chain(links, omitted: end.distance - links.count - 1, last: last)
        }
        self.init(chain, leadingToCircleAt: end.choice, usability, text)
    }

    /// A chain at whose end no version is in the range of a requirement.
    private init(_ chain: String, atWhoseEndNothingFits link: ResolutionText.Link, _ text: ResolutionText) {
        let graph = text.graph
        let (last, number) = link
        let requirement = graph.requirements[number]
        let target = requirement.target
        let versions = graph.choices(of: target).map { graph.choices[$0].version }
        if let loaded = graph.loaded[target] {
            reason = .otherVersionLoaded(identifier: graph.identifiers[target], loaded)
            sentence = "\(chain); \(text.name(target)) \(loaded) is loaded until the application ends."
            remedy = "Start the application again with \(text.request(number))."
        } else if versions.isEmpty {
            reason = .missing(identifier: graph.identifiers[target])
            sentence = "\(chain); \(text.missing(target))\(text.exception)."
            remedy = "Install \(text.request(number))."
        } else {
            let mismatch = Difference(versions, requirement.range)
            reason = .otherVersions(identifier: graph.identifiers[target], installed: versions, mismatch)
            sentence = "\(chain); \(text.installed(target))\(text.exception)."
            let dependent = text.name(graph.choices[last].identifier)
            remedy =
                mismatch == .tooOld
                ? "Update \(text.request(number))."
                : "Install \(text.request(number)), or a version of \(dependent) that works with what is installed."
        }
    }

    /// A chain (possibly empty) to a choice that depends on itself.
    private init(
        _ chain: String, leadingToCircleAt choice: Int, _ usability: Usability, _ text: ResolutionText
    ) {
        let members = usability.placesInCircles[choice].map { usability.circles[$0.circle] } ?? [choice]
        let start = usability.placesInCircles[choice]?.place ?? 0
        let circle = members.indices.lazy.map { place in
            text.graph.choices[members[(start + place) % members.count]].identifier
        }
        reason = .circle(text.identifiers(ofCircle: circle))
        let shown = text.circle(circle) + (members.count > 1 ? ", in a circle" : "")
        if !chain.isEmpty {
            sentence = "\(chain), which can never be loaded: \(shown)."
        } else if members.count > 1 {
            sentence = "\(text.name(choice: choice)) can never be loaded: \(shown)."
        } else {
            sentence = "\(text.name(choice: choice)) needs itself, and can never be loaded before itself."
        }
        remedy = text.remedy(circle: circle)
    }
}

extension ResolutionFailure.Difference {
    /// `versions`: the highest first, none in the range.
    fileprivate init(_ versions: [PluginVersion], _ range: VersionRange) {
        let isBelowAll = range.intervals.allSatisfy { !$0.lower.isBelow(versions[0]) }
        let isAboveAll = range.intervals.allSatisfy { $0.upper?.isBelow(versions[versions.count - 1]) ?? false }
        self = isBelowAll ? .tooOld : isAboveAll ? .tooNew : .other
    }
}

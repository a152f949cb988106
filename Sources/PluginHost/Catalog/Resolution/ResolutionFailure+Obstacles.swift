extension ResolutionFailure {
    /// Why a choice is not usable, whatever else is chosen: the chain of obstacles to the one that has no further cause.
    init(_ choice: Int, _ usability: Usability, _ text: ResolutionText) {
        let graph = text.graph
        var links: [(choice: Int, requirement: Int)] = []
        var places: [Int: Int] = [:]
        var current = choice
        while places[current] == nil {
            places[current] = links.count
            switch usability.obstacles[current]! {
            case .nothingFits(let requirement):
                links.append((current, requirement))
                self.init(nothingFits: links, text)
                return
            case .itself:
                self.init(links, leadingTo: [graph.choices[current].identifier], at: current, text)
                return
            case .blocked(let requirement, let next), .circle(let requirement, let next):
                links.append((current, requirement))
                current = next
            }
        }
        let circle = links[places[current]!...].map { graph.choices[$0.choice].identifier }
        self.init(Array(links[..<places[current]!]), leadingTo: circle, at: current, text)
    }

    /// A chain at whose end nothing is in the range of a requirement.
    private init(nothingFits links: [(choice: Int, requirement: Int)], _ text: ResolutionText) {
        let graph = text.graph
        let (last, number) = links[links.count - 1]
        let requirement = graph.requirements[number]
        let target = requirement.target
        let chain = text.chain(links)
        let versions = graph.choices(of: target).map { graph.choices[$0].version }
        if let loaded = graph.loaded[target] {
            reason = .otherVersionLoaded(identifier: graph.identifiers[target], loaded)
            sentence = "\(chain); loaded is \(text.name(target)) \(loaded), and that stays until the application ends."
            remedy = "Start the application again with \(text.request(number))."
        } else if versions.isEmpty {
            reason = .missing(identifier: graph.identifiers[target])
            sentence = "\(chain); \(text.name(target)) is not installed."
            remedy = "Install \(text.request(number))."
        } else {
            let mismatch = Mismatch(versions, requirement.range)
            reason = .otherVersions(identifier: graph.identifiers[target], installed: versions, mismatch)
            sentence = "\(chain); \(text.installed(target))."
            let dependent = text.name(graph.choices[last].identifier)
            remedy =
                mismatch == .tooOld
                ? "Update \(text.request(number))."
                : "Install \(text.request(number)), or a version of \(dependent) that works with what is installed."
        }
    }

    /// A chain at whose end things wait for themselves.
    private init(
        _ links: [(choice: Int, requirement: Int)], leadingTo circle: [Int], at choice: Int, _ text: ResolutionText
    ) {
        let names = circle.map { text.graph.identifiers[$0] }
        reason = .circle(
            names.count > ResolutionText.longest * 2
                ? Array(names.prefix(ResolutionText.longest) + names.suffix(ResolutionText.longest)) : names)
        if !links.isEmpty {
            sentence =
                "\(text.chain(links)), which can never be loaded: \(text.circle(circle))\(circle.count > 1 ? ", in a circle" : "")."
        } else if circle.count > 1 {
            sentence = "\(text.name(choice: choice)) can never be loaded: \(text.circle(circle)), in a circle."
        } else {
            sentence = "\(text.name(choice: choice)) needs itself, and can never be loaded before itself."
        }
        remedy = text.remedy(circle: circle)
    }
}

extension ResolutionFailure.Mismatch {
    /// - Parameter versions: the highest first, none in the range.
    fileprivate init(_ versions: [PluginVersion], _ range: VersionRange) {
        let isBelowAll = range.intervals.allSatisfy { !$0.lower.isBelow(versions[0]) }
        let isAboveAll = range.intervals.allSatisfy { $0.upper?.isBelow(versions[versions.count - 1]) ?? false }
        self = isBelowAll ? .tooOld : isAboveAll ? .tooNew : .other
    }
}

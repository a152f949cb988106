import HostBasics
import PluginHost

/// The result of `pluginhost bisect`, as text and as JSON.
struct BisectReport {
    enum Result {
        case nothing, application
        case found([Bisection.Culprit], isComplete: Bool)
        case contradiction(bad: Set<Int>, good: Set<Int>)
        case undecided([Int])
        case stopped(TrialRunner.Stop)

        static func of(_ outcome: Bisection.Outcome) -> Result {
            switch outcome {
            case .nothing: .nothing
            case .application: .application
            case .found(let culprits, let isComplete): .found(culprits, isComplete: isComplete)
            }
        }

        static func of(_ stop: Bisection.Stop) -> Result {
            switch stop {
            case .contradiction(let bad, let good): .contradiction(bad: bad, good: good)
            case .undecided(let groups): .undecided(groups)
            }
        }

        /// The name in JSON.
        var name: String {
            switch self {
            case .nothing: "nothing"
            case .application: "application"
            case .found: "found"
            case .contradiction: "contradiction"
            case .undecided: "undecided"
            case .stopped: "stopped"
            }
        }
    }

    let application: String
    let plugins: BisectedPlugins
    var result = Result.nothing
    var answers: [(set: Set<Int>, answer: Bisection.Answer)] = []
    var runs = 0
    /// Plug-ins that were installed during the search.
    var added: [String] = []

    init(application: String, plugins: BisectedPlugins) { (self.application, self.plugins) = (application, plugins) }

    var status: ExitStatus {
        switch result {
        case .nothing, .application: .fine
        case .found: .problems
        case .contradiction, .undecided, .stopped: .unable
        }
    }

    private func plugins(of groups: [Int]) -> [PluginDescription] {
        groups.flatMap { plugins.groups[$0] }.map { plugins.plugins[$0] }
    }

    private func identifiers(_ set: some Sequence<Int>) -> [String] {
        set.map { plugins.plugins[$0].identifier }.sorted()
    }

    private func disabling(_ plugin: PluginDescription) -> String {
        "pluginhost disable \(plugin.identifier) --application \(application)"
    }

    /// The result as a sentence.
    var sentence: String {
        switch result {
        case .nothing where plugins.groups.isEmpty: "No plug-in is in use, so none is at fault."
        case .nothing: "Nothing fails with all plug-ins, so none is at fault."
        case .application where plugins.kept.isEmpty: "It fails without any plug-in too, so none is at fault."
        case .application: "It fails with only the plug-ins of --keep and what they need too."
        case .found(let culprits, let isComplete):
            found(culprits) + (isComplete ? "" : " Others may be at fault too: without these, it was not seen to work.")
        case .contradiction:
            """
            The answers contradict each other: a set of plug-ins failed, and a larger one that contains it worked. Either the \
            fault is not always there, or a plug-in in the larger set prevents it.
            """
        case .undecided:
            answers.first?.answer == .skipped
                ? "The run with all plug-ins could not be judged, so nothing can be found."
                : "The fault is among these plug-ins, but the runs that would tell them apart could not be judged."
        case .stopped(let stop): stop.sentence
        }
    }

    private func found(_ culprits: [Bisection.Culprit]) -> String {
        culprits.count > 1
            ? "\(culprits.count) causes were found, each of which is enough for the fault."
            : culprits[0].groups.count > 1
                ? "These plug-ins fail together. It is enough to disable one of them."
                : "This plug-in is at fault."
    }

    /// What to do; empty if nothing needs to be done.
    private var remedy: String {
        switch result {
        case .contradiction: "Try each set several times: --repeat 5."
        case .undecided:
            "Let the command end with 125 only if a run cannot be judged; or keep a plug-in that runs need: --keep."
        case .stopped(let stop): stop.remedy
        case .application:
            """
            If the application cannot do without certain plug-ins, name them by --keep. To look for a crash alone, let the \
            command end with: ; test $? -lt 128
            """
        case .nothing, .found: ""
        }
    }

    // MARK: JSON

    var members: [String: JSONValue] {
        var (guilty, remaining, bad, good): ([JSONValue], [String], [String], [String]) = ([], [], [], [])
        switch result {
        case .found(let culprits, _): guilty = culprits.map(json)
        case .undecided(let groups): remaining = plugins(of: groups).map(\.identifier).sorted()
        case .contradiction(let first, let second): (bad, good) = (identifiers(first), identifiers(second))
        case .nothing, .application, .stopped: break
        }
        return [
            "application": .string(application), "result": .string(result.name), "sentence": .string(sentence),
            "remedy": .string(remedy), "guilty": .array(guilty), "remaining": JSONValue(remaining),
            "bad": JSONValue(bad), "good": JSONValue(good), "runs": .integer(runs),
            "kept": JSONValue(identifiers(plugins.kept)), "installedMeanwhile": JSONValue(added),
            "tries": .array(
                answers.map {
                    .object(["used": JSONValue(identifiers($0.set)), "answer": .string($0.answer.rawValue)])
                }),
        ]
    }

    /// The other plug-ins in the smallest run that failed with a culprit, mostly those that it needs.
    private func others(_ culprit: Bisection.Culprit) -> Set<Int> {
        let own = Set(culprit.groups.flatMap { plugins.groups[$0] })
        let failed = answers.filter { $0.answer == .bad && own.isSubset(of: $0.set) }
        return failed.min { $0.set.count < $1.set.count }?.set.subtracting(own) ?? []
    }

    private func json(_ culprit: Bisection.Culprit) -> JSONValue {
        .object([
            "failsAlone": culprit.isBadAlone.map(JSONValue.bool) ?? .null,
            "ranWith": JSONValue(identifiers(others(culprit))),
            "plugins": .array(
                plugins(of: culprit.groups).map { plugin in
                    .object([
                        "identifier": .string(plugin.identifier), "version": JSONValue(plugin.version),
                        "path": .string(plugin.candidate.path), "disable": .string(disabling(plugin)),
                    ])
                }),
        ])
    }

    // MARK: Text

    func write(to page: inout Page) {
        page.line(
            (application + ":", .bold),
            (sentence, status == .fine ? .green : status == .problems ? .red : .yellow),
            (runs == 0 ? "" : "(\(counted(runs, "run")))", .faint))
        switch result {
        case .found(let culprits, _):
            for culprit in culprits { write(culprit, to: &page) }
        case .undecided(let groups) where answers.first?.answer != .skipped:
            for plugin in plugins(of: groups) { page.line((plugin.identifier, .plain), indent: 2) }
        case .contradiction(let bad, let good):
            page.paragraph("Failed: \(shown(bad))", indent: 2)
            page.paragraph("Worked, with also: \(shown(good.subtracting(bad)))", indent: 2)
        case .nothing, .application, .undecided, .stopped: break
        }
        if !remedy.isEmpty { page.paragraph("To do: \(remedy)", indent: 2) }
        if !added.isEmpty {
            page.paragraph(
                "Not tried, because they were installed meanwhile: \(added.joined(separator: ", ")).", indent: 2)
        }
    }

    private static let mostShown = 20

    private func shown(_ set: Set<Int>) -> String {
        let names = identifiers(set)
        return names.isEmpty ? "no plug-in" : shownList(names, atMost: Self.mostShown)
    }

    private func write(_ culprit: Bisection.Culprit, to page: inout Page) {
        for plugin in plugins(of: culprit.groups) {
            page.gap()
            page.line((plugin.identifier, .bold), (plugin.version ?? "", .plain))
            page.field("Directory", plugin.candidate.path)
            page.field("To disable it", disabling(plugin))
        }
        let others = others(culprit)
        if !others.isEmpty {
            page.paragraph(
                "When it failed, there were also: \(shown(others)). The cause may be in one of them.", indent: 2)
        }
        if culprit.isBadAlone == nil {
            page.paragraph("It was not tried whether it fails without the other plug-ins too.", indent: 2, .faint)
        }
    }
}

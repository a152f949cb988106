import Glibc
@_spi(Tools) import PluginHost

/// The question of `pluginhost install` whether a plug-in takes over what belongs to the older identifiers that it
/// replaces.
struct TakeOver {
    /// The application whose plug-in it is; nil if only a folder is known, which has no choices.
    let application: String?
    let host: String?
    /// Whether the user has agreed already.
    let isAgreed: Bool
    /// Whether the user may be asked.
    let asks: Bool

    struct Outcome {
        /// The older identifiers whose choices, answers and data went over.
        var done: [String] = []
        /// Those of which nothing went over.
        var left: [String] = []
        var findings: [PluginFinding] = []
    }

    /// Takes over if the user agrees.
    ///
    /// - Parameter identifier: the plug-in that was installed.
    /// - Returns: what went over.
    func run(for identifier: String) -> Outcome {
        guard let application,
            let catalog = try? PluginSearch(.naming(application, host: host), folders: []).catalog()
        else { return Outcome() }
        let olds = catalog.replacements.filter { $0.plugin.identifier == identifier && !$0.hasTakenOver }.map(\.old)
        if olds.isEmpty { return Outcome() }
        guard isAgreed || hasAgreement(identifier, olds) else { return Outcome(left: olds) }
        do {
            try catalog.adopt(identifier)
            return Outcome(done: olds)
        } catch {
            return Outcome(left: olds, findings: (error as? PluginError)?.findings ?? [])
        }
    }

    private func hasAgreement(_ identifier: String, _ olds: [String]) -> Bool {
        guard asks, isatty(STDIN_FILENO) == 1 else { return false }
        let names = olds.joined(separator: ", ")
        let question =
            "\(identifier) says that it replaces \(names). Let it take over your choices, answers and data of that one (yes, no)? "
        Terminal.write(question.asShown, to: STDERR_FILENO)
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }
}

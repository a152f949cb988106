/// The options of the command line.
struct Options {
    /// The filter to use; nil to list all.
    private(set) var filter: String?
    /// The text to change.
    private(set) var text = ""
    /// Whether plug-ins run in processes of their own that reach only what the user allowed.
    private(set) var isSandboxed = false
    /// Whether the user wants to answer again what a plug-in may reach.
    private(set) var asksAgain = false
    /// Whether the result is shown again after a plug-in changed.
    private(set) var watches = false
    /// Whether the user wants to know how to use the program.
    private(set) var asksForHelp = false

    static var usage: String {
        localized("Usage: %@", "__PROGRAM__ [--sandboxed [--ask]] [--watch] [\(localized("FILTER TEXT…"))]")
    }

    static var help: String {
        """
        \(usage)
        \(localized("Lists the filters of all plug-ins, or shows what one of them makes of a text."))

          --sandboxed  \(localized("Runs plug-ins in processes of their own, which reach only what you allow."))
          --ask        \(localized("Asks again what a plug-in may reach."))
          --watch      \(localized("Shows the text again whenever a plug-in changed, until you press Ctrl-C."))
        """
    }

    /// Nil for a wrong use.
    init?(_ arguments: some Sequence<String>) {
        var words: [String] = []
        for argument in arguments {
            switch argument {
            case "--sandboxed": isSandboxed = true
            case "--ask": asksAgain = true
            case "--watch": watches = true
            case "--help", "-h": asksForHelp = true
            case _ where argument.hasPrefix("-"): return nil
            default: words.append(argument)
            }
        }
        guard words.count != 1 && (isSandboxed || !asksAgain) || asksForHelp else { return nil }
        filter = words.first
        text = words.dropFirst().joined(separator: " ")
    }
}

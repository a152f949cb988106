import ArgumentParser
import HostBasics
@_spi(Tools) import PluginHost
@_spi(Tools) import PluginWorkers

/// `pluginhost consents give`: answers for the user what a plug-in may reach.
struct GiveConsentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "give",
        abstract: "Allows a plug-in what it asks to reach, or a part of it.",
        discussion: """
            Replaces an earlier answer. “all” allows everything that the plug-in asks for now, and “none” refuses \
            everything, so that the application does not ask again. It takes effect when the next process of the plug-in \
            starts.
            """)

    @OptionGroup var arguments: ConsentsArguments

    @Argument(
        help: ArgumentHelp("The plug-in's identifier.", valueName: "identifier"), completion: KnownNames.identifiers)
    var identifier: String

    @Argument(
        help: ArgumentHelp(
            """
            What it may reach: all, none, or files=PATH[:write], network=any|connect:PORT|listen:PORT, devices=PATH, \
            environment=NAME, processes.
            """, valueName: "permissions"), completion: KnownNames.permissions, transform: Self.answer)
    var answers: [GrantArguments.Grant]

    private static func answer(_ text: String) throws -> GrantArguments.Grant {
        try text == "none" ? .nothing : GrantArguments.Grant(parsing: text)
    }

    func validate() throws {
        let isWhole = answers.contains { $0.permissions == nil || $0.text == GrantArguments.Grant.nothing.text }
        guard answers.count == 1 || !isWhole else {
            throw ValidationError("“all” and “none” are complete answers: give one of them alone.")
        }
    }

    mutating func run() throws {
        let consents = try arguments.consents()
        let catalog = try PluginSearch(.naming(arguments.application), folders: []).catalog()
        guard let plugin = catalog.plugin(identifier) else {
            let explanation = catalog.explanation(of: identifier)
            let finding = PluginFinding(
                .pluginMissing, subject: identifier, message: explanation.sentence, remedy: explanation.remedy)
            return try arguments.finish(
                "give", consents, identifier, isDone: false, "Nothing was changed.", [finding])
        }
        var allowed = PluginPermissions()
        for answer in answers { allowed.add(answer.permissions ?? plugin.permissions) }
        let surplus = consents.unrequested(allowed, by: plugin)
        guard surplus.isEmpty else {
            let asked = plugin.permissions.items
            let finding = PluginFinding(
                .permissionNotRequested, filePath: plugin.bundlePath, subject: identifier,
                message: "It does not ask for \(surplus.items.joined(separator: ", ")), so that cannot be allowed.",
                remedy: asked.isEmpty
                    ? "It asks for nothing: there is nothing to allow."
                    : "Choose among what it asks for: \(asked.joined(separator: ", ")).")
            return try arguments.finish(
                "give", consents, identifier, isDone: false, "Nothing was changed.", [finding])
        }
        consents.give(allowed, to: plugin)
        let reach = PluginPermissions.listed(allowed.items)
        try arguments.finish(
            "give", consents, identifier, isDone: true,
            "\(identifier) may reach, where it is sandboxed: \(reach).", allowed: allowed)
    }
}

extension PluginError.Code {
    /// A permission that a plug-in does not request.
    static let permissionNotRequested = Self(rawValue: "permissionNotRequested")
}

import ArgumentParser
import HostBasics
@_spi(Tools) import PluginHost
@_spi(Tools) import PluginWorkers

/// `pluginhost consents`: the permissions that the user allowed an application's plug-ins.
struct ConsentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consents",
        abstract: "Lists, gives and revokes what a user allows an application's plug-ins to reach.",
        discussion: """
            An application that asks the user what its plug-ins may reach keeps the answers; a sandboxed plug-in gets nothing \
            else. The answers are those of the user who runs the command. No code of a bundle runs.
            """,
        subcommands: [ListConsentsCommand.self, GiveConsentCommand.self, RevokeConsentsCommand.self],
        defaultSubcommand: ListConsentsCommand.self)
}

/// `pluginhost consents list`.
struct ListConsentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the answers of the user, by plug-in.")

    @OptionGroup var arguments: ConsentsArguments

    mutating func run() throws {
        let consents = try arguments.consents()
        let answers = consents.consents.sorted {
            ($0.identifier, $0.bundlePath) < ($1.identifier, $1.bundlePath)
        }
        let report = FindingReport(findings: consents.findings, bundlePath: nil)
        if arguments.json {
            let document = JSONValue.document(
                command: "consents list",
                [
                    "file": JSONValue(consents.path), "consents": .array(answers.map(\.json)), "findings": report.json,
                ])
            Terminal.write(try document.text())
        } else {
            var page = Page()
            for answer in answers {
                page.line((answer.identifier, .bold))
                page.paragraph(answer.bundlePath.relativeToCurrentDirectory, indent: 2, .faint)
                page.field("Allowed", PluginPermissions.listed(answer.allowed.items))
                page.field("Asked for", answer.asked.items.joined(separator: ", "))
            }
            if answers.isEmpty { page.paragraph("The user was not asked about any plug-in.\(arguments.doubt)") }
            for plugin in try arguments.unanswered(by: consents) {
                page.line((plugin.identifier, .bold))
                page.paragraph(plugin.bundlePath.relativeToCurrentDirectory, indent: 2, .faint)
                page.field("Asks for", plugin.permissions.items.joined(separator: ", "))
                page.paragraph(
                    """
                    No answer yet, so it reaches nothing where it is sandboxed. To do: let the application ask, or answer: \
                    pluginhost consents give \(plugin.identifier) all --application \(arguments.application)
                    """, indent: 2)
            }
            report.write(to: &page)
            Terminal.write(page.text)
        }
        try (report.findings.isEmpty ? ExitStatus.fine : .problems).finish()
    }
}

/// `pluginhost consents revoke`.
struct RevokeConsentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Forgets what the user allowed a plug-in.",
        discussion: """
            A process of the plug-in that runs keeps what it has; the next one gets nothing until the user has answered again.
            """)

    @OptionGroup var arguments: ConsentsArguments

    @Argument(
        help: ArgumentHelp("The plug-in's identifier.", valueName: "identifier"), completion: KnownNames.identifiers)
    var identifier: String

    mutating func run() throws {
        let consents = try arguments.consents()
        let isRevoked = consents.withdraw(identifier)
        try arguments.finish(
            "revoke", consents, identifier, isDone: isRevoked,
            isRevoked
                ? "\(identifier) reaches nothing until the user has answered again."
                : "The user was not asked about \(identifier).\(arguments.doubt(about: identifier, in: consents))")
    }
}

/// The arguments of every command about consents.
struct ConsentsArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("The application, such as demo-host.", valueName: "name"),
        completion: KnownNames.applications)
    var application: String

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    /// - Throws: ValidationError if the name is not an application's.
    func consents() throws -> PluginConsents {
        _ = try PluginSearch(.naming(application), folders: [])
        return PluginConsents.of(application: application)
    }

    /// What is added to an answer of nothing if the application's name may be wrong, beginning with a blank.
    var doubt: String {
        let known = PluginCatalog.knownApplications()
        if known.contains(application) { return "" }
        return " Nothing is known here of an application \(quoted(application))."
            + (KnownNames.application(near: application, among: known).map { " Did you mean \($0)?" } ?? "")
    }

    /// The same for an identifier.
    func doubt(about identifier: String, in consents: PluginConsents) -> String {
        var suggestions = NameSuggestions()
        let known = consents.consents.map(\.identifier)
        return suggestions.names(near: identifier, among: known, most: 1).first.map { " Did you mean \($0)?" } ?? doubt
    }

    /// The plug-ins in use that ask for something about which the user was not asked.
    func unanswered(by consents: PluginConsents) throws -> [PluginDescription] {
        // Once: each use of the list reads its file.
        let answered = Set(consents.consents.map(\.identifier))
        return try PluginSearch(.naming(application), folders: []).catalog().plugins.filter {
            !$0.permissions.isEmpty && !answered.contains($0.identifier)
        }
    }

    /// Writes the outcome of a change, and ends with its status.
    ///
    /// A change that could not be saved does not count.
    func finish(
        _ command: String, _ consents: PluginConsents, _ identifier: String, isDone: Bool, _ text: String,
        allowed: PluginPermissions? = nil, _ findings: [PluginFinding] = []
    ) throws {
        let isSaved = consents.isSaved
        let isDone = isDone && isSaved
        let text = isSaved ? text : "Nothing was changed: the answers of \(application) cannot be written."
        let report = FindingReport(findings: findings + consents.findings, bundlePath: nil)
        if json {
            let document = JSONValue.document(
                command: "consents " + command,
                [
                    "identifier": .string(identifier), "done": .bool(isDone), "file": JSONValue(consents.path),
                    "allowed": allowed.map { JSONValue($0.items) } ?? .null,
                    "explanation": .string(text), "findings": report.json,
                ])
            Terminal.write(try document.text())
        } else {
            var page = Page()
            page.paragraph(text, isDone ? .green : .red)
            report.write(to: &page)
            Terminal.write(page.text)
        }
        try (!isSaved ? ExitStatus.unable : isDone ? .fine : .problems).finish()
    }
}

extension PluginConsents.Consent {
    var json: JSONValue {
        .object([
            "identifier": .string(identifier), "path": .string(bundlePath), "asked": JSONValue(asked.items),
            "allowed": JSONValue(allowed.items),
        ])
    }
}

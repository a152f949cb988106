import ArgumentParser
import PluginHost

/// `pluginhost enable`: reverses `disable`.
struct EnableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Lets an application use a plug-in again that the user disabled.")

    @OptionGroup var choice: ChoiceArguments

    mutating func run() throws { try choice.set("enable", isDisabled: false) }
}

/// `pluginhost disable`: stops one application from using a plug-in, for this user.
struct DisableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Keeps an application from using a plug-in, for this user.",
        discussion: """
            The choice is kept in plugins.plist in the user's configuration of the application. The identifier '*' stands for \
            every plug-in. Plug-ins that crashed are in “quarantine”, and “consents” are about what a plug-in may reach.
            """)

    @OptionGroup var choice: ChoiceArguments

    mutating func run() throws { try choice.set("disable", isDisabled: true) }
}

/// The arguments of `enable` and `disable`.
struct ChoiceArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("The application, such as demo-host.", valueName: "name"),
        completion: KnownNames.applications)
    var application: String

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    @Argument(
        help: ArgumentHelp("The plug-in's identifier.", valueName: "identifier"), completion: KnownNames.identifiers)
    var identifier: String

    func set(_ command: String, isDisabled: Bool) throws {
        let search = try PluginSearch(.naming(application), folders: [])
        let catalog = search.catalog()
        var change = CatalogChange?.none
        do {
            change = try catalog.setDisabled(identifier, isDisabled)
        } catch let error as PluginError {
            let report = FindingReport(findings: error.findings, bundlePath: error.bundlePath)
            write(command, catalog, nil, report)
            try ExitStatus.unable.finish()
        }
        write(command, catalog, change, FindingReport(findings: [], bundlePath: nil))
    }

    /// The meaning of a choice about all plug-ins, `*`.
    private func sentenceOnAll(_ catalog: PluginCatalog) -> String {
        catalog.isDisabled(identifier)
            ? "\(application) uses no plug-in until “pluginhost enable '*' --application \(application)”."
            : "Plug-ins that were disabled by their own identifiers stay disabled."
    }

    /// What else the choice changes; empty if nothing.
    ///
    /// `change`: what it changed in the catalogue.
    private func consequences(of change: CatalogChange, _ catalog: PluginCatalog) -> [String] {
        if identifier == "*" { return [] }
        if catalog.explanation(of: identifier).candidates.isEmpty {
            let near = WhyReport.similar(to: identifier, in: catalog)
            return near.isEmpty ? [] : ["Did you mean \(near.joined(separator: " or "))?"]
        }
        let lost = change.removed.map(\.identifier).filter { $0 != identifier }
        return lost.isEmpty ? [] : ["Without it, \(lost.joined(separator: ", ")) cannot be used either."]
    }

    /// `change`: what was changed; nil if nothing could be changed.
    private func write(_ command: String, _ catalog: PluginCatalog, _ change: CatalogChange?, _ report: FindingReport) {
        let done = change != nil
        let explanation = catalog.explanation(of: identifier)
        let sentence = identifier == "*" ? sentenceOnAll(catalog) : explanation.sentence
        if json {
            let document = JSONValue.document(
                command: command,
                [
                    "identifier": .string(identifier), "disabled": .bool(catalog.isDisabled(identifier)),
                    "done": .bool(done), "choices": JSONValue(catalog.options.choices),
                    "installed": .bool(!explanation.candidates.isEmpty),
                    "explanation": .string(sentence), "findings": report.json,
                ])
            Terminal.write((try? document.text()) ?? "")
            return
        }
        var page = Page()
        let state = catalog.isDisabled(identifier) ? "disabled" : "enabled"
        page.line((identifier + ":", .bold), (done ? state : "not changed, still \(state)", done ? .green : .red))
        if let change {
            page.paragraph(sentence, indent: 2)
            for text in consequences(of: change, catalog) { page.paragraph(text, indent: 2, .yellow) }
        }
        if done, identifier != "*", catalog.isDisabled(identifier) {
            page.paragraph("To use it again: pluginhost enable \(identifier) --application \(application)", indent: 2)
        }
        report.write(to: &page)
        Terminal.write(page.text)
    }
}

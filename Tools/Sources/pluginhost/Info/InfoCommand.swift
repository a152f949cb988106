import ArgumentParser
@_spi(Tools) import PluginHost

/// `pluginhost info`: shows the facts about a bundle that its files state.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describes bundles and what they offer.",
        discussion: """
            Reads Info.plist, the executable's header and the names of the resources. It runs no code of a bundle, so \
            it shows what Info.plist declares; “load” shows what the code registers, and “why” whether an application uses \
            it. With --application it also shows what that application and the administrator decided about where it runs, and \
            whose values its settings have.
            """)

    @Option(
        help: ArgumentHelp(
            "The application whose decisions about where its plug-ins run, and whose settings, are shown.",
            valueName: "name"),
        completion: KnownNames.applications)
    var application: String?

    @OptionGroup var arguments: BundleArguments

    mutating func run() throws {
        let sources = PlacementSources(application: try PluginSearch(.naming(application), folders: []).application)
        var status = ExitStatus.fine
        var documents: [JSONValue] = []
        var page = Page()
        for selected in arguments.select() {
            let facts = BundleFacts(selected, sources, application)
            status = max(status, facts.status)
            documents.append(facts.json)
            page.gap()
            facts.write(to: &page)
        }
        Terminal.write(
            arguments.json ? try JSONValue.document(command: "info", bundles: documents).text() : page.text)
        try status.finish()
    }
}

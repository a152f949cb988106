import ArgumentParser
import PluginHost

/// `pluginhost info`: shows the facts about a bundle that its files state.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describes bundles and what they offer.",
        discussion: """
            Reads Info.plist, the executable's header and the names of the resources. It runs no code of a bundle, so \
            it shows what Info.plist declares; “load” shows what the code registers.
            """)

    @OptionGroup var arguments: BundleArguments

    mutating func run() throws {
        var status = ExitStatus.fine
        var documents: [JSONValue] = []
        var page = Page()
        for selected in arguments.select() {
            let facts = BundleFacts(selected)
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

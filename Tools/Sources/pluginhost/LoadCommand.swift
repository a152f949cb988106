import ArgumentParser
import PluginHost

/// `pluginhost load`: runs a bundle's code and tells what it registered.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Loads bundles and tells what their code registers.",
        discussion: """
            THIS RUNS THE BUNDLES' CODE, in this process and with your rights. What the code prints goes to standard \
            error. Libraries that only the application brings are found through LD_LIBRARY_PATH.
            """)

    @Flag(help: "Count warnings as problems: a bundle must register all that its PHFactories declares.")
    var strict = false

    @OptionGroup var arguments: BundleArguments

    mutating func run() throws {
        HostEnvironment.current.requiresDeclaredRegistrations = strict
        var status = ExitStatus.fine
        var documents: [JSONValue] = []
        for (number, selected) in arguments.select().enumerated() {
            let outcome = LoadOutcome(loading: selected)
            status = max(status, outcome.status)
            documents.append(outcome.json)
            // Shown at once: the next bundle's code may end the process.
            if !arguments.json {
                var page = Page()
                outcome.write(to: &page)
                Terminal.write((number > 0 ? "\n" : "") + page.text)
            }
        }
        if arguments.json {
            Terminal.write(try JSONValue.document(command: "load", bundles: documents).text())
        }
        try status.finish()
    }
}

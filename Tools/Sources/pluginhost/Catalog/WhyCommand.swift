import ArgumentParser
import PluginHost

/// `pluginhost why`: explains why a plug-in is used or not.
struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explains why a plug-in is used or not, what it needs and what needs it.",
        discussion: """
            Shows for every bundle with the identifier whether it is used and by which rule, makes the complete check of \
            the bundle in use, and shows where it runs, its settings and whose values they have, what it requires and what requires \
            it. “info” describes a bundle at a \
            path, and “doctor” examines all plug-ins. No code of a bundle runs.
            """)

    @Argument(
        help: ArgumentHelp("The plug-in's CFBundleIdentifier.", valueName: "identifier"),
        completion: KnownNames.identifiers)
    var identifier: String

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("A folder of bundles; may be repeated.", valueName: "folder"),
        completion: .directory)
    var folders: [String] = []

    @OptionGroup var arguments: ApplicationArguments

    mutating func run() throws {
        let search = try PluginSearch(arguments, folders: folders)
        try search.requireSomewhere()
        let report = WhyReport(identifier, in: search.catalog(), search)
        if arguments.json {
            Terminal.write(try JSONValue.document(command: "why", report.members).text())
        } else {
            var page = Page()
            report.write(to: &page)
            Terminal.write(page.text)
        }
        try report.status.finish()
    }
}

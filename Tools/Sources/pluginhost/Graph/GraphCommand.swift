import ArgumentParser
import PluginHost

/// `pluginhost graph`: shows how the plug-ins of an application are connected.
struct GraphCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract: "Draws what plug-ins require, offer, open and use.",
        discussion: """
            Shows the plug-ins in use, and those that are not used because a requirement is not met; the plug-ins that each \
            requires; the extension points at which it offers something or that it opens to others; the services that it \
            uses; as text and JSON, also the libraries that several plug-ins carry under one name. The output is a tree of text, Graphviz (dot), Mermaid (mermaid), or a drawing (svg). No code of a \
            bundle runs.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, dot, mermaid, svg
    }

    @Option(help: "text, dot, mermaid or svg.")
    var format: Format?

    @OptionGroup var arguments: ApplicationArguments

    @Argument(help: ArgumentHelp("Folders of bundles.", valueName: "folder"), completion: .directory)
    var folders: [String] = []

    func validate() throws {
        guard !arguments.json || format == nil else {
            throw ValidationError("Choose either --json or a --format.")
        }
    }

    /// The findings about search paths, as text.
    private static func findings(of folders: [PluginCatalog.Folder]) -> String {
        var page = Page()
        FindingReport(findings: folders.flatMap(\.findings), bundlePath: nil).write(to: &page)
        return page.text
    }

    mutating func run() throws {
        let search = try PluginSearch(arguments, folders: folders)
        try search.requireSomewhere()
        let catalog = search.catalog()
        let graph = PluginGraph(catalog)
        let title = "Plug-ins of \(search.application ?? folders.joined(separator: ", "))"
        if arguments.json {
            let more: [String: JSONValue] = [
                "folders": .array(catalog.folders.map { JSONValue($0) }),
                "libraries": .array(SharedNames(catalog).names.map(\.json)),
            ]
            Terminal.write(try JSONValue.document(command: "graph", graph.members.merging(more) { $1 }).text())
        } else {
            switch format ?? .text {
            case .text:
                Terminal.write(graph.text + SharedNames(catalog).text + Self.findings(of: catalog.folders))
            case .dot: Terminal.write(graph.dot(title: title))
            case .mermaid: Terminal.write(graph.mermaid(title: title))
            case .svg: Terminal.write(GraphDrawing(graph, title: title).svg)
            }
        }
        let isFine = graph.nodes.allSatisfy { $0.kind == .plugin || $0.kind == .point }
        try (isFine ? ExitStatus.fine : .problems).finish()
    }
}

import ArgumentParser
import Glibc
import HostBasics
@_spi(Tools) import PluginHost

/// `pluginhost stage`: puts an application, its plug-ins and everything that they need into one directory.
struct StageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stage",
        abstract: "Puts an application and its plug-ins into one directory that runs on other machines.",
        discussion: """
            Copies the program to bin, the libraries that it needs to lib, with the needed parts of the Swift runtime, and \
            the bundles to lib/APPLICATION/plugins. All search paths are made relative by patchelf, so that the directory \
            may be moved. The originals stay unchanged, and no code runs.

            Libraries that the system's own directories have are not copied, but listed. Folders NAME.resources beside \
            the program are copied with it.
            """)

    @Argument(
        help: ArgumentHelp("The application's executable, as it was built.", valueName: "host"), completion: .file())
    var host: String

    @Option(
        name: .customLong("plugins"),
        help: ArgumentHelp("A bundle, or a folder of bundles; may be given more than once.", valueName: "directory"),
        completion: .directory)
    var plugIns: [String] = []

    @Option(help: ArgumentHelp("The directory to make.", valueName: "tree"), completion: .directory)
    var output: String

    @Option(
        help: ArgumentHelp(
            "The name by which the application's catalogue looks for plug-ins. By default the executable's.",
            valueName: "name"), completion: KnownNames.applications)
    var application: String?

    @Option(
        name: .customLong("with"),
        help: ArgumentHelp(
            "A library to copy although the system has it, such as libffi.so.8; may be given more than once.",
            valueName: "library"))
    var copiedLibraries: [String] = []

    @Flag(help: "Replace the directory if it exists.")
    var replace = false

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    func validate() throws {
        if let application, application.isEmpty || application.contains("/") || application.hasPrefix(".") {
            throw ValidationError("The name of --application must be the name of a directory.")
        }
    }

    mutating func run() throws {
        let result = StageResult(try staged())
        if json {
            Terminal.write(try result.json.text())
        } else {
            Terminal.write(result.page.text)
        }
        try result.status.finish()
    }

    private func staged() throws -> StagedTree {
        var bundles: [PluginBundle] = []
        var findings: [PluginFinding] = []
        for selected in plugIns.flatMap({ SelectedBundle.all(at: $0) }) {
            switch selected {
            case .bundle(let bundle): bundles.append(bundle)
            case .unopened(let error): findings += error.findings
            case .missing(let error):
                throw ValidationError("There are no plug-ins at \(error.bundlePath.escapedForTerminal).")
            }
        }
        let program = try CheckCommand.resolvedProgram(host, of: "")
        let application = application ?? String(program.split(separator: "/").last ?? "")
        var tree = StagedTree(path: output, program: program, application: application)
        tree.findings = findings
        if findings.isEmpty {
            tree.make(
                of: StagePlan(program: program, bundles: bundles, copiedLibraries: copiedLibraries), replaces: replace)
        }
        return tree
    }
}

/// Describes a staged directory for the output.
private struct StageResult {
    let tree: StagedTree
    private let report: FindingReport

    init(_ tree: StagedTree) {
        self.tree = tree
        report = FindingReport(findings: tree.findings, bundlePath: tree.path)
    }

    var status: ExitStatus { report.errors > 0 ? .problems : .fine }

    var json: JSONValue {
        .document(
            command: "stage",
            [
                "path": .string(tree.path), "fine": .bool(status == .fine),
                "files": JSONValue(tree.files), "systemLibraries": JSONValue(tree.systemLibraries),
                "optimised": .bool(tree.isOptimised),
                "errors": .integer(report.errors), "warnings": .integer(report.warnings), "findings": report.json,
            ])
    }

    var page: Page {
        var page = Page()
        let outcome = status == .fine ? report.count ?? "ready" : "not made, " + (report.count ?? "")
        let style: Page.Style = status != .fine ? .red : report.warnings > 0 ? .yellow : .green
        page.line((tree.path.relativeToCurrentDirectory + ":", .bold), (outcome, style))
        report.write(to: &page)
        if status == .fine {
            for directory in ["bin", "lib"] {
                let names = tree.files.filter { $0.hasPrefix(directory + "/") && !$0.hasSuffix(".bundle") }
                page.field(directory, names.map { String($0.dropFirst(directory.count + 1)) }.joined(separator: ", "))
            }
            let bundles = tree.files.filter { $0.hasSuffix(".bundle") }
            page.field("Plug-ins", bundles.joined(separator: ", "))
            page.field("Of the system", tree.systemLibraries.joined(separator: ", "))
            if !tree.isOptimised {
                page.paragraph(
                    """
                    The library PluginHost was compiled without the optimiser. Before you ship, install it without \
                    CONFIGURATION=debug, and stage again.
                    """, indent: 2, .yellow)
            }
        }
        return page
    }
}

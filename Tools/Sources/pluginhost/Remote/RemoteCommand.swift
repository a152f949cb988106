import ArgumentParser
import FoundationEssentials
import Glibc
import HostBasics
@_spi(Tools) import PluginHost
import PluginLinting
import PluginTranslating

/// `pluginhost remote`: writes the proxies with which an application's plug-ins run in another process.
struct RemoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remote",
        abstract: "Writes the proxies of an application's plug-in interfaces.",
        discussion: """
            Reads the symbol graph that the compiler wrote for the module with the application's plug-in API \
            (-emit-symbol-graph -symbol-graph-minimum-access-level private -D GENERATING_PROXIES). For the interface of each \
            extension point it writes a proxy, which passes calls on to an object in another process, and for each struct and \
            enum that a method passes the two functions of RemoteValue. The file belongs to the module's sources. If a \
            requirement cannot cross, it is named, and nothing is written.
            """)

    @Option(help: ArgumentHelp("The module with the interfaces.", valueName: "module"))
    var module: String

    @Option(
        name: .customLong("interface"),
        help: ArgumentHelp(
            "A protocol to write a proxy for; may be repeated. By default that of each extension point of the module.",
            valueName: "protocol"))
    var interfaces: [String] = []

    @Option(
        help: ArgumentHelp("The source file to write. By default standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Write nothing; the result is 1 if the file of --output would change.")
    var check = false

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    @Argument(
        help: ArgumentHelp(
            "The symbol graphs of the module: MODULE.symbols.json and MODULE@PluginABI.symbols.json.",
            valueName: "symbol-graph"),
        completion: .file())
    var graphs: [String]

    func validate() throws {
        guard !check || output != nil else { throw ValidationError("--check compares with the file of --output.") }
        guard !json || output != nil else {
            throw ValidationError("--json needs --output, because both write to standard output.")
        }
    }

    mutating func run() throws {
        let result = RemoteModule(
            module, try readGraphs(), interfaces: interfaces,
            output: output.map { String($0.split(separator: "/").last ?? "") })
        guard result.unknown.isEmpty else {
            throw ValidationError(
                "The module \(module.escapedForTerminal) has no protocol \(result.unknown.joined(separator: ", ").escapedForTerminal)."
            )
        }
        guard !result.interfaces.isEmpty else {
            throw ValidationError(
                """
                The symbol graphs have no extension point with an interface of \(module.escapedForTerminal). Pass \
                \(module.escapedForTerminal)@PluginABI.symbols.json too, or name the protocols with --interface.
                """)
        }
        let isSound = result.obstacles.isEmpty
        let text = ProxySource(result).text
        var isCurrent = false
        if let output, isSound {
            isCurrent = (try? Data(contentsOf: URL(filePath: output))) == Data(text.utf8)
            if !check, !isCurrent {
                do throws(LintFinding) {
                    try OutputFile.write(Array(text.utf8), to: output)
                } catch {
                    throw ValidationError("\(error.message) \(error.remedy)")
                }
            }
        }
        if json {
            Terminal.write(try document(result, isCurrent: isCurrent || !check && isSound).text())
        } else if isSound, output == nil {
            Terminal.write(text)
        } else {
            report(result, isCurrent: isCurrent)
        }
        try (isSound && (isCurrent || !check) ? ExitStatus.fine : .problems).finish()
    }

    private func readGraphs() throws -> [SymbolGraph] {
        let all = try graphs.map { path in
            do throws(SymbolGraph.Failure) {
                return try SymbolGraph(path: path)
            } catch {
                switch error {
                case .unreadable(let reason): throw ValidationError("The file \(path.escapedForTerminal) \(reason).")
                case .notAGraph:
                    throw ValidationError(
                        "The file \(path.escapedForTerminal) is not a symbol graph of a Swift module.")
                }
            }
        }
        for (graph, path) in zip(all, graphs) where graph.module.name != module {
            throw ValidationError(
                "The file \(path.escapedForTerminal) is about the module \(graph.module.name.escapedForTerminal), not \(module.escapedForTerminal)."
            )
        }
        return all
    }

    private func report(_ result: RemoteModule, isCurrent: Bool) {
        var page = Page()
        for obstacle in result.obstacles {
            let place = obstacle.place.map { "\($0.escapedForTerminal): " } ?? ""
            page.line(
                ("\(place)error:", .red), ("\(obstacle.declaration.escapedForTerminal)", .bold),
                (obstacle.reason, .plain))
        }
        let output = (output ?? "the file").escapedForTerminal
        if !result.obstacles.isEmpty {
            page.paragraph("Nothing was written.")
        } else if check, !isCurrent {
            page.line(("\(output):", .bold), ("out of date", .red))
            page.paragraph("To do: run the command again without --check, and commit the file.", indent: 2)
        } else {
            page.line(("\(output):", .bold), (isCurrent ? "up to date" : "written", .green))
        }
        Terminal.write(page.text)
    }

    private func document(_ result: RemoteModule, isCurrent: Bool) -> JSONValue {
        JSONValue.document(
            command: "remote",
            [
                "module": .string(module), "output": JSONValue(output), "isCurrent": .bool(isCurrent),
                "interfaces": JSONValue(result.interfaces.map(\.name)),
                "values": JSONValue(result.structures.map(\.name)),
                "findings": .array(
                    result.obstacles.map { obstacle in
                        .object([
                            "declaration": .string(obstacle.declaration), "place": JSONValue(obstacle.place),
                            "message": .string(obstacle.reason),
                        ])
                    }),
            ])
    }
}

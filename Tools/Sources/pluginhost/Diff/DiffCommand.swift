import ArgumentParser
import Glibc
import InterfaceRecords
import PluginHost
import PluginPacking

/// `pluginhost diff`: what two versions of a plug-in API mean for plug-ins.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compares two versions of a plug-in API, and forecasts what becomes of compiled plug-ins.",
        discussion: """
            OLD and NEW are API libraries, with a record of their interfaces or with their modules beside them, or compiled \
            modules (.swiftmodule). Each change of a protocol or type is a row: what it means for plug-ins that were compiled \
            before and implement or use it, and what to raise. No code runs.
            """)

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    @Argument(help: ArgumentHelp("The API as it was.", valueName: "old"), completion: .file())
    var old: String

    @Argument(help: ArgumentHelp("The API as it is now.", valueName: "new"), completion: .file())
    var new: String

    mutating func run() throws {
        do {
            let (before, after) = (try Self.record(old), try Self.record(new))
            let shared = Set(before.modules.keys).intersection(after.modules.keys).sorted()
            guard !shared.isEmpty else {
                throw ValidationError(
                    "\(old.escapedForTerminal) and \(new.escapedForTerminal) have no module in common.")
            }
            let rows = shared.flatMap { name in
                APIRow.rows(from: before.modules[name]!, to: after.modules[name]!)
            }
            if json {
                let document = JSONValue.document(
                    command: "diff", ["modules": JSONValue(shared), "changes": .array(rows.map(\.json))])
                Terminal.write(try document.text())
            } else {
                var page = Page()
                for row in rows { row.write(to: &page) }
                if rows.isEmpty { page.line(("No protocol and no type changed.", .green)) }
                Terminal.write(page.text)
            }
            try (rows.allSatisfy(\.isFine) ? ExitStatus.fine : .problems).finish()
        } catch let error as PackingError {
            var page = Page()
            error.write(to: &page)
            Terminal.write(page.text)
            try ExitStatus.unable.finish()
        }
    }

    private static func record(_ path: String) throws -> InterfaceRecord {
        let record =
            path.hasSuffix(".swiftmodule")
            ? try InterfaceRecorder.record(ofModule: path) : try InterfaceRecorder.record(ofLibrary: path)
        guard !record.isEmpty else {
            throw ValidationError(
                """
                \(path.escapedForTerminal) has no record of its interfaces, and no compiled module is beside it. Name the \
                library in its build folder, or its .swiftmodule.
                """)
        }
        return record
    }
}

/// A change, with its outcome for each role.
private struct APIRow {
    let change: InterfaceChange
    let implementer: InterfaceRules.Outcome
    let caller: InterfaceRules.Outcome
    private let hasEvolution: Bool

    static func rows(from old: InterfaceRecord.Module, to new: InterfaceRecord.Module) -> [APIRow] {
        let hasEvolution = old.hasEvolution && new.hasEvolution
        return InterfaceChange.changes(from: old, to: new).map { change in
            func outcome(_ role: InterfaceRules.Role) -> InterfaceRules.Outcome {
                InterfaceRules.outcome(of: change.kind, role: role, hasEvolution: hasEvolution)
            }
            return APIRow(
                change: change, implementer: outcome(.implementer), caller: outcome(.caller),
                hasEvolution: hasEvolution)
        }
    }

    var isFine: Bool { implementer.isFine && caller.isFine }
    private var raise: String {
        if change.kind == .added { return "the package's minor version" }
        return isFine
            ? "the package's minor version"
            : "the version of each extension point of \(change.subject), and the package's major version"
    }

    private static func word(_ outcome: InterfaceRules.Outcome) -> String {
        switch outcome {
        case .works: "works"
        case .usesDefault: "uses the default"
        case .refused(let code): "refused: \(code)"
        case .unnoticed: "not noticed: an error is lost"
        }
    }

    var json: JSONValue {
        .object([
            "subject": .string(change.subject), "change": .string(change.kind.rawValue), "text": .string(change.text),
            "implementers": .string(Self.word(implementer)), "callers": .string(Self.word(caller)),
            "evolution": .bool(hasEvolution), "raise": .string(raise),
        ])
    }

    func write(to page: inout Page) {
        page.line((change.subject + ":", .bold), (change.text, isFine ? .green : .red))
        page.field("Implementers", Self.word(implementer))
        page.field("Callers", Self.word(caller))
        page.field("Raise", raise)
    }
}

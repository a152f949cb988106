import ArgumentParser
import Glibc
@_spi(Tools) import HostBasics
import InterfaceRecords
@_spi(Tools) import PluginHost
import PluginPacking

/// `pluginhost diff`: what two versions of a plug-in API mean for plug-ins.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compares two versions of a plug-in API, and forecasts what happens to compiled plug-ins.",
        discussion: """
            OLD and NEW are API libraries, programs with such libraries, packages that were built, directories with libraries, or \
            compiled modules (.swiftmodule). Each change of a protocol, type or function is a row: what it means for plug-ins that were \
            compiled before and implement or use it, and what to raise. No code runs.
            """)

    @OptionGroup var form: FormatArguments

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    @Argument(help: ArgumentHelp("The API as it was.", valueName: "old"), completion: .file())
    var old: String

    @Argument(help: ArgumentHelp("The API as it is now.", valueName: "new"), completion: .file())
    var new: String

    func validate() throws { try form.validate(isJSON: json) }

    mutating func run() throws {
        do {
            let sides = (try APISide(path: old), try APISide(path: new))
            var (before, after) = (sides.0.record, sides.1.record)
            // A library without record and modules has at least symbols. Both sides must be described in the same way.
            let isPartial = before.isEmpty || after.isEmpty
            let hasFields = isPartial && sides.0.hasFields && sides.1.hasFields
            if isPartial {
                before = try Self.symbols(sides.0, old, hasFields)
                after = try Self.symbols(sides.1, new, hasFields)
            }
            let shared = Set(before.modules.keys).intersection(after.modules.keys).sorted()
            guard !shared.isEmpty else {
                throw ValidationError(
                    "\(old.escapedForTerminal) and \(new.escapedForTerminal) have no module in common.")
            }
            // Of an earlier version of the tool, or too large.
            let lacking = [(old, before), (new, after)].filter { side in
                shared.contains { side.1.modules[$0]?.functionText == nil }
            }.map(\.0)
            let rows = shared.flatMap { name in
                APIRow.rows(from: before.modules[name]!, to: after.modules[name]!)
            }
            switch form.form(isJSON: json) {
            case .json:
                let document = JSONValue.document(
                    command: "diff",
                    [
                        "modules": JSONValue(shared), "functions": .bool(lacking.isEmpty),
                        "partial": .bool(isPartial),
                        "changes": .array(rows.map(\.json)),
                    ])
                Terminal.write(try document.text())
            case .text:
                var page = Page()
                for row in rows { row.write(to: &page) }
                if rows.isEmpty {
                    page.line((lacking.isEmpty ? "Nothing changed." : "No protocol and no type changed.", .green))
                }
                if isPartial {
                    page.paragraph(
                        "Partial: a side has no record of its interfaces, and no compiled modules are beside it, so the "
                            + "symbols\(hasFields ? " and reflection metadata" : "") are compared. They show no "
                            + (hasFields ? "" : "fields, ")
                            + "default values, inlinable code and @frozen, and without library evolution only the number "
                            + "and kinds of requirements.")
                }
                for path in lacking {
                    page.paragraph(
                        "Functions are not compared: the record of \(path.escapedForTerminal) does not have them. "
                            + "“pluginhost record” writes a new one where the library was built.")
                }
                Terminal.write(page.text)
            case .junit: Terminal.write(JUnitReport([report(rows)], command: "diff").text)
            case .sarif: Terminal.write(try SARIFReport([report(rows)]).json.text())
            }
            try (rows.allSatisfy(\.isFine) ? ExitStatus.fine : .problems).finish()
        } catch let error as PackingError {
            var page = Page()
            error.write(to: &page)
            Terminal.write(page.text)
            try ExitStatus.unable.finish()
        }
    }

    /// The changes as the findings of a check of the library as it is now.
    private func report(_ rows: [APIRow]) -> CheckReport {
        let path = Path.normalized(new) ?? new
        var report = CheckReport(path: path, identifier: nil, level: nil, isStrict: false)
        report.codes = ["interfaceMismatch", "symbolMissing"]
        report.add(rows.flatMap { $0.findings(about: path) })
        return report
    }

    private static func symbols(_ side: APISide, _ path: String, _ hasFields: Bool) throws -> InterfaceRecord {
        let symbols = try side.symbols(hasFields: hasFields)
        guard !symbols.isEmpty else {
            throw ValidationError(
                """
                \(path.escapedForTerminal) cannot be compared with a library that has no record of its interfaces and no \
                compiled modules beside it. Name two libraries, or the library in its build folder.
                """)
        }
        return symbols
    }
}

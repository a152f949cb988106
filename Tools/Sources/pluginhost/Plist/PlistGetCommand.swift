import ArgumentParser
import Glibc
@_spi(Tools) import PluginLinting
import PluginTranslating
import PropertyLists

/// `pluginhost plist get`: shows one value of a property list.
struct PlistGetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Shows the value at a key path of a property list.",
        discussion: """
            A key path is made of keys, and of indices of arrays from 0, with dots between them: PHFactories.0.name. A dot in a \
            key is written “\\.”. The status is 1 if there is no value.

            Without an option, a text is in quotes and a container is shown as by “plist print”. With --raw, a text is written \
            as it is, data in Base64, of an array the number of elements, and of a dictionary the keys.
            """)

    @Argument(help: ArgumentHelp("The keys and indices.", valueName: "key-path"))
    var keyPath: String

    @Argument(help: ArgumentHelp("The property list, or - for standard input.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Write the value without quotes.")
    var raw = false

    @Option(
        help: ArgumentHelp("Write the value as a list of its own.", valueName: "form"),
        completion: .list(ListForm.allCases.map(\.rawValue)), transform: ListForm.named)
    var form: ListForm?

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    func validate() throws {
        guard ListKeyPath(reading: keyPath) != nil else {
            throw ValidationError("In a key path, write “\\.” for a dot and “\\\\” for a backslash.")
        }
        guard [raw, form != nil, json].count(where: { $0 }) <= 1 else {
            throw ValidationError("Use one of --raw, --form and --json.")
        }
    }

    mutating func run() throws {
        let file = try ListArgument.read(file, "plist get", json: json, keys: ["keyPath", "value", "type"])
        let keyPath = ListKeyPath(reading: keyPath) ?? ListKeyPath([])
        let form = form
        do throws(LintFinding) {
            let part = try file.part(keyPath)
            if let form {
                return Terminal.write(bytes: try part.bytes(form))
            } else if raw {
                return Terminal.write(ListDescription.raw(part.value) + "\n")
            } else if !json {
                return Terminal.write(ListDescription.text(part.value) + "\n")
            }
            _ = try part.bytes(.json)
            try? TranslatingReport.write(
                "plist get",
                [
                    "keyPath": .string(keyPath.text), "value": JSONValue(part.value),
                    "type": .string(part.value.typeName),
                ], [])
        } catch {
            if json {
                try TranslatingReport.write(
                    "plist get", ["keyPath": .string(keyPath.text), "value": .null, "type": .null], [error])
            } else {
                TranslatingReport.write([error], to: STDERR_FILENO)
            }
            try ExitStatus.problems.finish()
        }
    }
}

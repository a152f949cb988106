import ArgumentParser
import PluginTranslating

/// `pluginhost plist print`: shows a property list.
struct PlistPrintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Shows a property list in a form for reading.",
        discussion:
            "The form is the same for XML, binary and old-style lists and JSON. Programs read “plist convert json”.")

    @Argument(help: ArgumentHelp("The property list, or - for standard input.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    mutating func run() throws {
        let list = try ListArgument.read(file, "plist print", json: json, keys: ["file", "text"])
        let text = ListDescription.text(list.value)
        if json {
            try TranslatingReport.write("plist print", ["file": .string(file), "text": .string(text)], [])
        } else {
            Terminal.write(text + "\n")
        }
    }
}

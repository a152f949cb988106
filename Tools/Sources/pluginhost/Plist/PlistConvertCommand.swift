import ArgumentParser
import Glibc
@_spi(Tools) import PluginLinting
import PluginTranslating

/// `pluginhost plist convert`: writes property lists in another form.
struct PlistConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Writes property lists in another form.",
        discussion: """
            Reads XML, binary and old-style lists, and JSON. The form is xml1, binary1, openstep (with GNUstep's typed values) \
            or json. Files are replaced as a whole; standard input is written to standard output.

            The types of values are kept. A value that JSON does not have, a date or data, is refused with its key path. What \
            is lost, comments and, except in binary1, fractions of a second, is a warning.
            """)

    @Argument(
        help: ArgumentHelp("The form of the new list.", valueName: "form"),
        completion: .list(ListForm.allCases.map(\.rawValue)), transform: ListForm.named)
    var form: ListForm

    @Argument(help: ArgumentHelp("Property lists, or - for standard input.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The file for the result of one list, or - for standard output.", valueName: "path"),
        completion: .file())
    var output: String?

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    func validate() throws {
        guard output == nil || files.count == 1 else { throw ValidationError("--output is for one list.") }
        let writes = (output ?? (files.contains("-") ? "-" : "")) == "-"
        guard !json || !writes else { throw ValidationError("--json and a list cannot both be standard output.") }
    }

    mutating func run() throws {
        let (form, output) = (form, output)
        var findings: [LintFinding] = []
        var written: [String] = []
        var status = ExitStatus.fine
        for file in files {
            // A list that cannot be read or written is worse than a value that the form cannot hold.
            var failure = ExitStatus.unable
            do throws(LintFinding) {
                let list = try ListArgument(file)
                failure = .problems
                let bytes = try list.bytes(form)
                failure = .unable
                let target = output ?? file
                if target == "-" {
                    Terminal.write(bytes: bytes)
                } else {
                    try TranslatedFile.write(bytes, to: target)
                }
                written.append(target)
                findings += list.losses(in: form)
            } catch {
                findings.append(error)
                status = max(status, failure)
            }
        }
        if json {
            try TranslatingReport.write("plist convert", ["written": JSONValue(written)], findings)
        } else if !findings.isEmpty {
            TranslatingReport.write(findings, to: STDERR_FILENO)
        }
        try status.finish()
    }
}

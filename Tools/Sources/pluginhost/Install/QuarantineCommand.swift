import ArgumentParser
@_spi(Tools) import PluginHost

/// `pluginhost quarantine`: the plug-ins that an application does not use because they ended its processes.
struct QuarantineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Lists, ends and begins the quarantine of an application's plug-ins.",
        discussion: """
            A plug-in whose code ended the application or its own process too often is in quarantine: the application does not \
            use it until one of its files changes or the quarantine is cleared. No code of a bundle runs.
            """,
        subcommands: [ListQuarantineCommand.self, ClearQuarantineCommand.self, AddQuarantineCommand.self],
        defaultSubcommand: ListQuarantineCommand.self)
}

/// `pluginhost quarantine list`.
struct ListQuarantineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the plug-ins in quarantine, and those that ended processes before.")

    @OptionGroup var arguments: QuarantineArguments

    mutating func run() throws {
        let quarantine = try arguments.quarantine()
        let entries = quarantine.entries, suspects = quarantine.suspects
        let report = FindingReport(findings: quarantine.findings, bundlePath: nil)
        if arguments.json {
            let document = JSONValue.document(
                command: "quarantine list",
                [
                    "file": JSONValue(quarantine.path), "entries": .array(entries.map(\.json)),
                    "suspects": .array(suspects.map(\.json)), "findings": report.json,
                ])
            Terminal.write(try document.text())
        } else {
            var page = Page()
            for entry in entries { entry.write(to: &page, style: .red) }
            for entry in suspects { entry.write(to: &page, style: .yellow) }
            if entries.isEmpty { page.paragraph("No plug-in is in quarantine.") }
            report.write(to: &page)
            Terminal.write(page.text)
        }
        try (entries.isEmpty && report.findings.isEmpty ? ExitStatus.fine : .problems).finish()
    }
}

/// `pluginhost quarantine clear`.
struct ClearQuarantineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Ends the quarantine of a plug-in, and forgets how often it ended processes.")

    @OptionGroup var arguments: QuarantineArguments

    @Argument(
        help: ArgumentHelp("The plug-in's identifier.", valueName: "identifier"), completion: KnownNames.identifiers)
    var identifier: String

    mutating func run() throws {
        let quarantine = try arguments.quarantine()
        let isCleared = quarantine.clear(identifier)
        let entry = quarantine.entries.first { $0.identifier == identifier }
        let text =
            entry.map { entry in
                let place = entry.listPath.map { " in \($0.escapedForTerminal)" } ?? ""
                return "\(identifier) stays in quarantine: only the administrator can end it\(place). \(entry.reason)"
            }
            ?? (isCleared ? "\(identifier) may be used again." : "\(identifier) is not in quarantine.")
        try arguments.finish("clear", quarantine, identifier, isDone: isCleared && entry == nil, text)
    }
}

/// `pluginhost quarantine add`.
struct AddQuarantineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Puts a plug-in into quarantine until one of its files changes.")

    @OptionGroup var arguments: QuarantineArguments

    @Option(help: ArgumentHelp("Why, as a sentence.", valueName: "text"))
    var reason = ""

    @Argument(
        help: ArgumentHelp("The plug-in's identifier, or the path of its bundle.", valueName: "identifier"),
        completion: KnownNames.identifiers)
    var identifier: String

    mutating func run() throws {
        let quarantine = try arguments.quarantine()
        var names: [String] = []
        do {
            for bundle in try bundles {
                try quarantine.add(bundle, reason: reason)
                names.append(bundle.bundleIdentifier ?? identifier)
            }
        } catch let error as PluginError {
            try arguments.finish("add", quarantine, identifier, isDone: false, "\(error)", error.findings)
            return
        }
        let name = names.first ?? identifier
        let copies = names.count > 1 ? ", with \(names.count) bundles" : ""
        try arguments.finish("add", quarantine, name, isDone: true, "\(name) is in quarantine\(copies).")
    }

    /// The bundle at a path, or all bundles of an identifier.
    ///
    /// Quarantining only the first would let the next one replace it.
    private var bundles: [PluginBundle] {
        get throws {
            if identifier.contains("/") { return [try PluginBundle.open(path: identifier)] }
            let search = try PluginSearch(.naming(arguments.application), folders: [])
            let explanation = search.catalog().explanation(of: identifier)
            guard !explanation.candidates.isEmpty else {
                throw PluginError(
                    bundlePath: identifier,
                    findings: [
                        PluginFinding(
                            .pluginMissing, subject: identifier, message: explanation.sentence,
                            remedy: explanation.remedy)
                    ])
            }
            // If a candidate's Info.plist cannot be read, only its name is like the identifier.
            let known = explanation.candidates.filter { candidate in
                !candidate.findings.contains { $0.code == .manifestUnreadable }
            }
            return try (known.isEmpty ? explanation.candidates : known).map { try $0.open() }
        }
    }
}

/// The arguments of every command about a quarantine.
struct QuarantineArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("The application, such as demo-host.", valueName: "name"),
        completion: KnownNames.applications)
    var application: String

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    /// - Throws: ValidationError if the name is not an application's.
    func quarantine() throws -> Quarantine {
        _ = try PluginSearch(.naming(application), folders: [])
        return Quarantine.of(application: application)
    }

    /// Writes the outcome of a change, and ends with its status.
    func finish(
        _ command: String, _ quarantine: Quarantine, _ identifier: String, isDone: Bool, _ text: String,
        _ findings: [PluginFinding] = []
    ) throws {
        let report = FindingReport(findings: findings + quarantine.findings, bundlePath: nil)
        // A change that could not be saved does not count.
        let isSaved = quarantine.isSaved
        let isDone = isDone && isSaved
        let text = isSaved ? text : "Nothing was changed: the quarantine of \(application) cannot be written."
        if json {
            let document = JSONValue.document(
                command: "quarantine " + command,
                [
                    "identifier": .string(identifier), "done": .bool(isDone),
                    "file": JSONValue(quarantine.path), "explanation": .string(text), "findings": report.json,
                ])
            Terminal.write(try document.text())
        } else {
            var page = Page()
            page.paragraph(text, isDone ? .green : .red)
            FindingReport(findings: quarantine.findings, bundlePath: nil).write(to: &page)
            Terminal.write(page.text)
        }
        try (!isSaved ? ExitStatus.unable : isDone ? .fine : .problems).finish()
    }
}

extension Quarantine.Entry {
    fileprivate var json: JSONValue {
        .object([
            "identifier": .string(identifier), "path": JSONValue(bundlePath), "origin": JSONValue(origin?.rawValue),
            "administratorFile": JSONValue(listPath), "reason": .string(reason), "count": .integer(count),
            "files": JSONValue(codeFiles),
            "deaths": .array(
                deaths.map { death in
                    .object([
                        "time": .integer(Int(death.time / 1_000_000_000)), "end": .string(death.end),
                        "phase": .string(death.phase), "method": JSONValue(death.method),
                        "certain": .bool(death.isCertain), "inWorker": .bool(death.isOfWorker),
                    ])
                }),
        ])
    }

    fileprivate func write(to page: inout Page, style: Page.Style) {
        page.line((identifier, .bold), (origin == nil ? "not in quarantine" : "in quarantine", style))
        if let place = bundlePath ?? listPath { page.paragraph(place.relativeToCurrentDirectory, indent: 2, .faint) }
        page.paragraph(reason, indent: 2)
    }
}

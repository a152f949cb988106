import ArgumentParser
import ELFImages
import HostBasics
@_spi(Tools) import PluginHost
@_spi(Tools) import PluginWorkers

/// `pluginhost doctor`: reports every problem on this machine.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Reports every problem with a machine's plug-ins, and how to fix it.",
        discussion: """
            Examines the environment, the kernel's features, what it offers to isolate plug-ins, the index files, the search paths and who may write to them, \
            every candidate that is not used, and the libraries that several plug-ins carry, and makes the complete check of every plug-in that is used. Without an \
            application or folders it examines only the machine. It starts an isolated and a sandboxed worker without a \
            plug-in to see whether that works. It changes nothing and runs no code of a bundle.

            With --next it instead makes the check of every plug-in for two executables, the application's and its next \
            version's, and reports what changes. --host-version is then the version of the next one, and the \
            status is 1 if a plug-in that works would be refused.
            """)

    @Flag(help: "Count warnings as problems.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "A directory that the application names in HostEnvironment.runtimes.", valueName: "directory"),
        completion: .directory)
    var runtime: [String] = []

    @Option(
        help: ArgumentHelp(
            "The executable of the application's next version: report what happens to the plug-ins.",
            valueName: "program"),
        completion: .file())
    var next: String?

    @Option(
        help: ArgumentHelp(
            "The version of an extension point in the next application, as POINT=VERSION, because no file states it; may "
                + "be repeated.", valueName: "point"))
    var point: [String] = []

    @OptionGroup var form: FormatArguments

    @OptionGroup var arguments: ApplicationArguments

    @Argument(help: ArgumentHelp("Folders of bundles.", valueName: "folder"), completion: .directory)
    var folders: [String] = []

    func validate() throws { try form.validate(isJSON: arguments.json) }

    mutating func run() throws {
        // Everything that is wrong is in the report.
        HostEnvironment.current.log = { _ in }
        HostEnvironment.current.runtimes = runtime.map { Path.normalized($0) ?? $0 }
        let search = try PluginSearch(arguments, folders: folders)
        if let next { return try compare(with: CheckCommand.resolvedProgram(next), search) }
        guard point.isEmpty else { throw ValidationError("--point is only useful with --next.") }
        let isolation = IsolationCheck()
        let checks = Self.checks(search, isolation)
        let errors = checks.reduce(0) { $0 + $1.report.errors }
        let warnings = checks.reduce(0) { $0 + $1.report.warnings }
        let status: ExitStatus = errors > 0 || strict && warnings > 0 ? .problems : .fine
        switch form.form(isJSON: arguments.json) {
        case .json:
            let document = JSONValue.document(
                command: "doctor",
                [
                    "searchPaths": JSONValue(search.searchPaths), "host": JSONValue(search.program),
                    "strict": .bool(strict), "fine": .bool(status == .fine), "errors": .integer(errors),
                    "warnings": .integer(warnings), "checks": .array(checks.map(\.json)),
                    "layers": isolation.json, "workers": isolation.workersJSON,
                    "runtimes": IsolationCheck.runtimesJSON,
                ])
            Terminal.write(try document.text())
        case .text:
            var page = Page()
            for check in checks { check.write(to: &page) }
            page.gap()
            let count = FindingReport.count(errors, "error"), more = FindingReport.count(warnings, "warning")
            let found = [count, more].compactMap(\.self).joined(separator: ", ")
            page.line(
                found.isEmpty ? ("Nothing is wrong.", .green) : ("Found: \(found).", errors > 0 ? .red : .yellow))
            Terminal.write(page.text)
        case .junit: Terminal.write(JUnitReport(checks.map { $0.report(isStrict: strict) }, command: "doctor").text)
        case .sarif: Terminal.write(try SARIFReport(checks.map { $0.report(isStrict: strict) }).json.text())
        }
        try status.finish()
    }

    /// Reports what happens to the plug-ins with another executable of the application.
    private func compare(with program: String, _ search: PluginSearch) throws {
        try search.requireSomewhere()
        var points: [String: UInt32] = [:]
        for text in point {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let version = UInt32(parts[1]) else {
                throw ValidationError("\(text.escapedForTerminal) is not POINT=VERSION, such as org.example.filter=3.")
            }
            points[String(parts[0])] = version
        }
        let next = NextProgram(program, version: arguments.hostVersion, points: points, search)
        switch form.form(isJSON: arguments.json) {
        case .json:
            let document = JSONValue.document(
                command: "doctor",
                [
                    "searchPaths": JSONValue(search.searchPaths), "host": JSONValue(search.program),
                    "fine": .bool(next.status == .fine), "next": next.json,
                ])
            Terminal.write(try document.text())
        case .text:
            var page = Page()
            next.write(to: &page)
            Terminal.write(page.text)
        case .junit: Terminal.write(JUnitReport(next.reports, command: "doctor --next").text)
        case .sarif: Terminal.write(try SARIFReport(next.reports).json.text())
        }
        try next.status.finish()
    }

    private static func checks(_ search: PluginSearch, _ isolation: IsolationCheck) -> [DoctorCheck] {
        var checks = [
            DoctorCheck("Environment", EnvironmentCheck(application: search.application).findings),
            SystemCheck().check, isolation.check, IsolationCheck.runtimes,
            indexCheck(),
        ]
        guard !search.searchPaths.isEmpty else { return checks }
        if search.application != nil { checks.append(applicationCheck(search.recorded)) }
        let catalog = search.catalog()
        checks.append(searchPathCheck(catalog, search.application))
        var lists: [PluginFinding] = []
        if let application = search.application {
            let quarantine = Quarantine.of(application: application)
            var listed = ListedIdentifiers(catalog)
            checks.append(quarantineCheck(quarantine, application, &listed))
            lists = quarantine.findings
            checks.append(consentsCheck(PluginConsents.of(application: application)))
            let executions = ExecutionListCheck(application)
            checks.append(
                DoctorCheck(
                    "The administrator's list of where plug-ins run",
                    executions.findings
                        + executions.files.flatMap { listed.findings(about: $0.identifiers, in: $0.path) },
                    facts: executions.files.map { "the file \($0.path.escapedForTerminal)" }))
        }
        checks.append(placementCheck(catalog, search.application))
        if let application = search.application, let check = UserAccessCheck.check(catalog, of: application) {
            checks.append(check)
        }
        // Without an application, nobody knows where the files are.
        if search.application != nil, let check = SettingsCheck(catalog, search.recorded).check { checks.append(check) }
        let candidates = catalog.candidates
        for candidate in candidates where candidate.verdict != .usable { checks.append(DoctorCheck(unused: candidate)) }
        let program = search.program.map { InspectedProgram(path: $0) }
        for plugin in catalog.plugins {
            checks.append(DoctorCheck(plugin, in: catalog, search, loadedBy: program))
        }
        checks.append(sharedNamesCheck(catalog))
        checks.append(
            DoctorCheck(
                "Between plug-ins",
                catalog.findings.filter { problem in
                    // Show each finding once.
                    !lists.contains(problem)
                        && !catalog.folders.contains { $0.findings.contains(problem) }
                }))
        return checks
    }

    /// What is known about the application from its last start.
    private static func applicationCheck(_ recorded: RecordedApplication?) -> DoctorCheck {
        guard let recorded else {
            return DoctorCheck(
                "Application", [],
                facts: [
                    """
                    It has not run yet as this user, so its version and its services are not known. If it has run, its code \
                    gives PluginCatalog(application:) another name.
                    """
                ])
        }
        let services = recorded.services.map { "\($0.point) \($0.version)" }.joined(separator: ", ")
        return DoctorCheck(
            "Application", [],
            facts: [
                recorded.program.map { "its executable is \($0)" },
                recorded.version.map { "its version was \($0) when it ran last" },
                services.isEmpty ? nil : "it offered the services \(services)",
            ].compactMap(\.self))
    }

    /// Where the plug-ins in use run, if anything demands a process of its own.
    private static func placementCheck(_ catalog: PluginCatalog, _ application: String?) -> DoctorCheck {
        let sources = PlacementSources(application: application)
        var findings: [PluginFinding] = []
        let plugins = catalog.plugins
        let facts = plugins.compactMap { plugin -> String? in
            guard let bundle = try? plugin.candidate.open() else { return nil }
            let reasons = sources.reasons(for: bundle)
            if reasons.isConflict {
                findings.append(
                    PluginFinding(
                        .executionConflict, filePath: bundle.manifestPath, subject: plugin.identifier,
                        message: "\(plugin.identifier): \(reasons.sentences.joined(separator: " "))",
                        remedy: "Use a plug-in that can be isolated, or let the policy and the list trust this one."))
            }
            if reasons.reasons.isEmpty, reasons.granted == nil { return nil }
            return "\(plugin.identifier): \(reasons.summary). \(reasons.sentences.joined(separator: " "))"
        }
        let rest = plugins.count - facts.count
        let others = FindingReport.count(rest, facts.isEmpty ? "plug-in" : "other plug-in")
        return DoctorCheck(
            "Where plug-ins run", findings,
            facts: facts + (others.map { ["\($0) in the application's process: nothing demands another one"] } ?? []))
    }

    /// Which plug-ins carry libraries of one name; only information.
    private static func sharedNamesCheck(_ catalog: PluginCatalog) -> DoctorCheck {
        let names = SharedNames(catalog).names.map(\.sentence)
        return DoctorCheck(
            "Libraries that plug-ins carry", [],
            facts: names.isEmpty ? ["no two plug-ins carry libraries with one SONAME"] : names)
    }

    private static func consentsCheck(_ consents: PluginConsents) -> DoctorCheck {
        let answers = consents.consents.sorted { $0.identifier < $1.identifier }
        let facts = answers.map { answer in
            let allowed = PluginPermissions.listed(answer.allowed.items)
            return "\(answer.identifier): \(allowed)"
        }
        return DoctorCheck("Consents", consents.findings, facts: facts)
    }

    private static func indexCheck() -> DoctorCheck {
        guard let inspection = PluginCatalog.inspectIndex() else { return DoctorCheck("Index files", []) }
        let count = FindingReport.count(inspection.files.count, "good file") ?? "none yet"
        var facts = [inspection.directory.map { "\(count), in \($0)" } ?? count]
        if let others = FindingReport.count(inspection.countOfOtherFormats, "file") {
            facts.append("\(others) of another version, to be replaced when the application starts again")
        }
        return DoctorCheck("Index files", inspection.findings, facts: facts)
    }

    /// Reports how many plug-ins are in quarantine, and those that ended processes, but not often enough for it.
    ///
    /// The check of unused candidates reports each plug-in in quarantine.
    private static func quarantineCheck(
        _ quarantine: Quarantine, _ application: String, _ listed: inout ListedIdentifiers
    ) -> DoctorCheck {
        let entries = quarantine.entries
        let count = FindingReport.count(entries.count, "plug-in") ?? "no plug-in"
        let administrators = Dictionary(grouping: entries.filter { $0.listPath != nil }) { $0.listPath ?? "" }
            .sorted { $0.key < $1.key }
        let misspelt = administrators.flatMap { path, entries in
            listed.findings(about: entries.map(\.identifier), in: path)
        }
        let strikes = quarantine.suspects.map { suspect in
            PluginFinding(
                .warning, .quarantined, filePath: suspect.bundlePath, subject: suspect.identifier,
                message: "\(suspect.identifier): \(suspect.reason) \(DecidedFacts.consequence(suspect))",
                remedy: """
                    Install another version of it: after a change of its files this is forgotten. To forget it now: \
                    pluginhost quarantine clear \(suspect.identifier) --application \(application)
                    """)
        }
        return DoctorCheck(
            "Quarantine", quarantine.findings + misspelt + strikes,
            facts: ["\(count) in quarantine\(quarantine.path.map { ": \($0)" } ?? "")"]
                + administrators.map { path, entries in
                    "of these, \(entries.count) by the administrator: \(path.escapedForTerminal)"
                })
    }

    private static func searchPathCheck(_ catalog: PluginCatalog, _ application: String?) -> DoctorCheck {
        var findings = catalog.folders.flatMap {
            [$0.finding, $0.placeFinding].compactMap(\.self) + $0.permissionFindings
        }
        if !catalog.folders.contains(where: \.exists) {
            let places = catalog.folders.map { "“\($0.path.escapedForTerminal)”" }.joined(separator: ", ")
            findings.append(
                PluginFinding(
                    .warning, .bundleNotFound, message: "None of the search paths exists.",
                    remedy: "Put the bundles into one of \(places)."))
        }
        if catalog.candidates.isEmpty, let application { findings += misnamedFolders(application) }
        let facts = catalog.folders.map { folder in
            let found = FindingReport.count(folder.count, "candidate") ?? "nothing"
            return "\(folder.path): \(folder.exists ? found : "does not exist")"
        }
        return DoctorCheck("Search paths", findings, facts: facts)
    }
}

extension DoctorCommand {
    /// The directories of plug-ins with a name that is nearly the application's, for an application without plug-ins.
    private static func misnamedFolders(_ application: String) -> [PluginFinding] {
        var suggestions = NameSuggestions()
        let others = PluginCatalog.knownApplications().filter { $0 != application }
        return suggestions.names(near: application, among: others, most: 3).flatMap { other in
            PluginCatalog.standardSearchPaths(for: other, program: nil)
                .filter { FileIdentity(path: $0)?.isDirectory ?? false }
                .map { path in
                    PluginFinding(
                        .warning, .bundleNotFound, filePath: path, subject: other,
                        message: "\(application.escapedForTerminal) has no plug-in, and the directory “"
                            + "\(path.escapedForTerminal)” is for an application of another name.",
                        remedy: "If it is for this one, rename “\(other.escapedForTerminal)” to “"
                            + "\(application.escapedForTerminal)”: the name in PluginCatalog(application:), with the same "
                            + "capital letters.")
                }
        }
    }
}

/// One check: its name, and the findings.
struct DoctorCheck {
    let name: String
    let report: FindingReport
    /// Other facts.
    let facts: [String]
    /// More facts, for people only.
    private let table: [[String]]
    /// The identifier of the plug-in that was completely checked; nil for every other check.
    private let checked: String?

    init(
        _ name: String, _ findings: [PluginFinding], facts: [String] = [], table: [[String]] = [],
        bundlePath: String? = nil, checked: String? = nil
    ) {
        self.name = name
        self.facts = facts
        self.table = table
        self.checked = checked
        var seen: Set<PluginFinding> = []
        report = FindingReport(findings: findings.filter { seen.insert($0).inserted }, bundlePath: bundlePath)
    }

    /// The check of a candidate that is not used.
    ///
    /// A candidate that gives way to another bundle is no problem, unless only the bundles' names decided, or only their
    /// places, and the one that is used is older.
    init(unused candidate: PluginCandidate) {
        var findings = candidate.findings
        var facts: [String] = []
        switch candidate.verdict {
        case .duplicate:
            findings.append(
                PluginFinding(
                    .warning, .duplicateBundle, filePath: candidate.path, subject: candidate.identifier,
                    message: candidate.explanation,
                    remedy: """
                        If they are copies of one plug-in, remove one. If they are different plug-ins, give one another \
                        CFBundleIdentifier in its Info.plist.
                        """))
        case .shadowed(let other, .earlierSearchPath) where Self.isNewer(candidate.bundlePath, than: other):
            findings.append(
                PluginFinding(
                    .warning, .duplicateBundle, filePath: candidate.path, subject: candidate.identifier,
                    message: "\(candidate.explanation) The files of this one are newer.",
                    remedy: "To use this one, remove the other, or give this one a higher version."))
        case .shadowed: facts = [candidate.explanationWithNextStep]
        default: break
        }
        self.init(
            "\(candidate.path) (\(candidate.verdict.words))", findings, facts: facts, bundlePath: candidate.bundlePath)
    }

    /// Whether a bundle's code, or its Info.plist if it has no code, was changed later than that of another bundle.
    private static func isNewer(_ path: String, than other: String) -> Bool {
        func changed(_ path: String) -> Int64? {
            PluginBundle(path: path).flatMap { FileIdentity(path: $0.executablePath ?? $0.manifestPath)?.modified }
        }
        guard let own = changed(path), let other = changed(other) else { return false }
        return own > other
    }

    /// The complete check of a plug-in in use.
    init(
        _ plugin: PluginDescription, in catalog: PluginCatalog, _ search: PluginSearch,
        loadedBy program: InspectedProgram?
    ) {
        var findings: [PluginFinding]
        do {
            findings = try plugin.candidate.open().findings(loadedBy: program)
        } catch {
            findings = (error as? PluginError)?.findings ?? []
        }
        for (point, version) in plugin.uses.sorted(by: { $0.key < $1.key })
        where catalog.extensions(at: point, version: version).isEmpty
            && !(search.recorded?.offers(point, version) ?? false)
        {
            findings.append(
                PluginFinding(
                    .warning, .serviceMissing, filePath: plugin.bundlePath, subject: point,
                    message:
                        "It uses the service “\(point.escapedForTerminal)” of version \(version), which no plug-in offers.",
                    remedy: "Install a plug-in that offers it, unless it can do without or the application offers it."))
        }
        findings += search.recorded?.versionFindings(about: plugin) ?? []
        let title = "\(plugin.candidate.path) (\(plugin.identifier) \(plugin.version ?? ""))"
        self.init(title, findings, bundlePath: plugin.bundlePath, checked: plugin.identifier)
    }

    /// The same as the report of `check`, for other programs.
    func report(isStrict: Bool) -> CheckReport {
        var report = CheckReport(
            path: self.report.bundlePath ?? name, identifier: checked, level: nil, isStrict: isStrict)
        report.isPlace = self.report.bundlePath != nil
        if checked != nil { report.parts = [.bundle, .executable] }
        report.add(self.report.findings)
        return report
    }

    var json: JSONValue {
        .object([
            "name": .string(name), "facts": JSONValue(facts), "errors": .integer(report.errors),
            "warnings": .integer(report.warnings), "findings": report.json,
        ])
    }

    func write(to page: inout Page) {
        let style: Page.Style = report.errors > 0 ? .red : report.warnings > 0 ? .yellow : .green
        page.line((name.relativeToCurrentDirectory + ":", .bold), (report.count ?? "fine", style))
        for fact in facts { page.paragraph(fact, indent: 2, .faint) }
        if !table.isEmpty { page.table(table, indent: 2) }
        report.write(to: &page)
    }
}

extension PluginError.Code {
    /// Two bundles of one identifier and version, of which the wrong one may be used.
    static let duplicateBundle = Self(rawValue: "duplicateBundle")
    /// A bundle that gives way to another one with the next version of the application.
    static let bundleNotUsed = Self(rawValue: "bundleNotUsed")
    /// A directory for a toolchain's runtime in which there is no usable runtime.
    static let runtimeUnusable = Self(rawValue: "runtimeUnusable")
    /// A service that a plug-in uses and no plug-in offers.
    static let serviceMissing = Self(rawValue: "serviceMissing")
    /// An environment variable that should be set, or that has no effect.
    static let environment = Self(rawValue: "environment")
    /// A feature of the system that the library uses if it exists.
    static let systemFeature = Self(rawValue: "systemFeature")
}

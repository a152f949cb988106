import PluginHost

/// The outcome of loading one bundle, as the child that loaded it reports it.
struct LoadOutcome: Codable {
    enum State: String, Codable {
        case loaded
        /// The bundle has only resources, so there is nothing to load. This is not an error.
        case noCode
        case failed
    }

    let path: String
    let identifier: String?
    var state: State
    var milliseconds = 0.0
    /// Where the code should run, in the spelling of ``PluginExecution``; nil for a bundle that was not opened.
    var execution: String?
    /// The directory of the runtime that ran the code of another toolchain.
    var runtime: String?
    var principalClass: String?
    var classNames: [String] = []
    var registrations: [LoadedRegistration] = []
    /// The results for the nibs, one line each.
    private var nibLines: [String] = []
    /// The functions that were being called when a signal ended the worker with the code, innermost first.
    private var stack: [String] = []
    private var notes: [FindingNote]
    /// Whether nothing could be tried: there is no directory at the path, or no process to load the bundle in.
    private(set) var isUnable = false

    /// `state`: `loaded` if nothing but the findings prevents success.
    init(path: String, identifier: String?, state: State, findings: [PluginFinding], isUnable: Bool = false) {
        self.path = path
        self.identifier = identifier
        self.state = state
        self.isUnable = isUnable
        notes = findings.map(FindingNote.init)
    }

    /// For a bundle that was not opened.
    init(_ error: PluginError, isUnable: Bool) {
        self.init(
            path: error.bundlePath, identifier: nil, state: .failed, findings: error.findings, isUnable: isUnable)
    }

    /// Loads a bundle: runs its code.
    init(loading bundle: PluginBundle) {
        let clock = ContinuousClock()
        let start = clock.now
        do {
            try bundle.loadAndReturnError()
        } catch {
            let findings = (error as? PluginError)?.findings ?? []
            let isWithoutCode = findings.first?.code == .notCode
            self.init(
                path: bundle.bundlePath, identifier: bundle.bundleIdentifier,
                state: isWithoutCode ? .noCode : .failed, findings: isWithoutCode ? [] : findings)
            stack = (error as? PluginError)?.workerEnd?.backtraceLines() ?? []
            return
        }
        let duration = clock.now - start
        self.init(
            path: bundle.bundlePath, identifier: bundle.bundleIdentifier, state: .loaded,
            findings: bundle.loadWarnings + bundle.registrationFindings)
        milliseconds = Self.milliseconds(duration)
        registrations = bundle.registrations.map { LoadedRegistration($0, isListed: bundle.isListed($0)) }
        classNames = bundle.classNames
        principalClass = bundle.principalClass.map { String(reflecting: $0) }
    }

    static func milliseconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        let microseconds = Double(seconds) * 1e6 + (Double(attoseconds) / 1e12).rounded()
        return microseconds / 1000
    }

    var report: FindingReport { FindingReport(findings: notes.map(\.finding), bundlePath: path) }

    /// Adds findings before those already here.
    ///
    /// The most important ones come first.
    mutating func add(_ findings: [PluginFinding]) { notes = findings.map(FindingNote.init) + notes }

    /// Adds the results for the bundle's nibs.
    mutating func add(_ nibs: NibLoads) {
        nibLines = nibs.lines
        notes += nibs.findings.map(FindingNote.init)
    }

    /// Turns the outcome into a failure.
    mutating func fail(_ finding: PluginFinding) {
        state = .failed
        add([finding])
    }

    /// `isStrict`: counts warnings as problems.
    func status(isStrict: Bool) -> ExitStatus {
        if isUnable { return .unable }
        let report = report
        return state == .failed || report.errors > 0 || isStrict && report.warnings > 0 ? .problems : .fine
    }

    // MARK: Showing it

    var json: JSONValue {
        .object([
            "path": .string(path), "identifier": JSONValue(identifier), "state": .string(state.rawValue),
            "execution": JSONValue(execution), "runtime": JSONValue(runtime),
            "milliseconds": state == .loaded ? .number(milliseconds) : .null,
            "principalClass": JSONValue(principalClass), "classes": JSONValue(classNames),
            "registrations": .array(registrations.map(\.json)), "nibs": JSONValue(nibLines), "findings": report.json,
            "stack": JSONValue(stack),
        ])
    }

    func write(to page: inout Page) {
        let report = report
        page.line((path.relativeToCurrentDirectory + ":", .bold), verdict(report))
        if execution != PluginExecution.inProcess.description { page.field("Execution", execution) }
        page.field("Runtime", runtime)
        page.field("Principal class", principalClass)
        if !registrations.isEmpty {
            page.line(("Registered", .faint), indent: 2)
            page.table(registrations.map(\.row), indent: 4)
        }
        page.field("Classes", classNames.joined(separator: ", "))
        if !nibLines.isEmpty {
            page.line(("Nibs", .faint), indent: 2)
            for line in nibLines { page.paragraph(line, indent: 4) }
        }
        report.write(to: &page)
        if !stack.isEmpty {
            page.line(("The stack of the worker, innermost first", .faint), indent: 4)
            for line in plugInStack { page.paragraph(line, indent: 6) }
        }
        HostArguments.writeAdvice(on: report.findings, to: &page)
    }

    /// The part of the stack up to the call of the plug-in.
    ///
    /// The caller is always the worker program, so it is only counted.
    private var plugInStack: [String] {
        let inside = " in \(path)/"
        guard let last = stack.lastIndex(where: { $0.contains(inside) }) else { return stack }
        let rest = stack.count - last - 1
        return stack[...last].map { $0.replacing(inside, with: " in ") }
            + (rest == 0 ? [] : ["\(rest) more, of the worker program; --json shows them"])
    }

    private func verdict(_ report: FindingReport) -> (String, Page.Style) {
        switch state {
        case .loaded where report.errors > 0: ("loaded in \(milliseconds) ms, with \(report.count ?? "")", .red)
        case .loaded: ("loaded in \(milliseconds) ms", .green)
        case .noCode: ("has no code, only resources", .plain)
        case .failed: ("not loaded, \(report.count ?? "no reason given")", .red)
        }
    }
}

/// A finding in the form in which the child reports it.
private struct FindingNote: Codable {
    let severity: String
    let code: String
    let filePath: String?
    let line: Int?
    let column: Int?
    let subject: String?
    let message: String
    let remedy: String
    let systemMessage: String?

    init(_ finding: PluginFinding) {
        severity = finding.severity.rawValue
        code = finding.code.rawValue
        filePath = finding.filePath
        line = finding.place?.line
        column = finding.place?.column
        subject = finding.subject
        message = finding.message
        remedy = finding.remedy
        systemMessage = finding.systemMessage
    }

    var finding: PluginFinding {
        var finding = PluginFinding(
            PluginFinding.Severity(rawValue: severity) ?? .error, PluginError.Code(rawValue: code), filePath: filePath,
            subject: subject, message: message, remedy: remedy, systemMessage: systemMessage)
        if let line, let column { finding.place = PluginFinding.Place(line: line, column: column) }
        return finding
    }
}

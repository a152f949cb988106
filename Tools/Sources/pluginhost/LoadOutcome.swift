import PluginHost

/// What became of loading one bundle.
struct LoadOutcome {
    private enum State: String {
        case loaded
        /// The bundle has resources only; there is nothing to load, and nothing wrong.
        case noCode
        case failed
    }

    private let path: String
    private let identifier: String?
    private let state: State
    private var duration = Duration.zero
    private var principalClass: String?
    private var classNames: [String] = []
    private var registrations: [PluginBundle.Registration] = []
    private let report: FindingReport
    let status: ExitStatus

    /// Loads a bundle: runs its code.
    init(loading selected: SelectedBundle) {
        let bundle: PluginBundle
        switch selected {
        case .bundle(let found): bundle = found
        case .unopened(let error), .missing(let error):
            path = error.bundlePath
            identifier = nil
            state = .failed
            report = FindingReport(findings: error.findings, bundlePath: error.bundlePath)
            status = if case .missing = selected { .unable } else { .problems }
            return
        }
        path = bundle.bundlePath
        identifier = bundle.bundleIdentifier
        let clock = ContinuousClock()
        let start = clock.now
        do {
            try Terminal.keepingOutputClean { try bundle.loadAndReturnError() }
        } catch {
            let findings = (error as? PluginError)?.findings ?? []
            let isWithoutCode = findings.first?.code == .notCode
            state = isWithoutCode ? .noCode : .failed
            status = isWithoutCode ? .fine : .problems
            report = FindingReport(findings: isWithoutCode ? [] : findings, bundlePath: bundle.bundlePath)
            return
        }
        duration = clock.now - start
        state = .loaded
        status = .fine
        report = FindingReport(findings: bundle.loadWarnings, bundlePath: bundle.bundlePath)
        registrations = bundle.registrations
        classNames = bundle.classNames
        principalClass = bundle.principalClass.map { String(reflecting: $0) }
    }

    private var milliseconds: Double {
        let (seconds, attoseconds) = duration.components
        let microseconds = Double(seconds) * 1e6 + (Double(attoseconds) / 1e12).rounded()
        return microseconds / 1000
    }

    var json: JSONValue {
        .object([
            "path": .string(path), "identifier": JSONValue(identifier), "state": .string(state.rawValue),
            "milliseconds": state == .loaded ? .number(milliseconds) : .null,
            "principalClass": JSONValue(principalClass), "classes": JSONValue(classNames),
            "registrations": .array(registrations.map(\.json)), "findings": report.json,
        ])
    }

    func write(to page: inout Page) {
        let verdict: (String, Page.Style) =
            switch state {
            case .loaded: ("loaded in \(milliseconds) ms", .green)
            case .noCode: ("has no code, only resources", .plain)
            case .failed: ("not loaded, \(report.count ?? "no reason told")", .red)
            }
        page.line((path.relativeToCurrentDirectory + ":", .bold), verdict)
        page.field("Principal class", principalClass)
        if !registrations.isEmpty {
            page.line(("Registered", .faint), indent: 2)
            page.table(registrations.map(\.row), indent: 4)
        }
        page.field("Classes", classNames.joined(separator: ", "))
        report.write(to: &page)
        if report.findings.contains(where: { $0.code == .dependencyMissing }) {
            page.paragraph(
                "Only the tool's own libraries are loaded here: add the directory of the application's to LD_LIBRARY_PATH.",
                indent: 2)
        }
    }
}

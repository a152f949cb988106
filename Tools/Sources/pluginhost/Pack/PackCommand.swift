import ArgumentParser
import Glibc
import PluginHost
import PluginLinting
import PluginPacking

/// `pluginhost pack`: makes bundles from their source folders.
struct PackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Makes bundles of their sources, and checks them.",
        discussion: """
            A SOURCE is a folder with an Info.plist and, where the bundle has them, Resources. The bundle gets the code, \
            the resources and a completed Info.plist, is checked as “check” and “lint” do, and is put into --output only if \
            nothing keeps it from loading. Equal sources give equal bytes. No code of the bundle runs.

            --build runs “swift build” in the package that the source stands in.
            """)

    @Flag(help: "Build the code by “swift build” first.")
    var build = false

    @Option(help: ArgumentHelp("What --build builds: release or debug.", valueName: "configuration"))
    var configuration = "release"

    @Option(
        help: ArgumentHelp("The build folder of --build, where it is not the package's own.", valueName: "directory"),
        completion: .directory)
    var scratchPath: String?

    @Option(
        help: ArgumentHelp(
            "The directory with the built libraries, of which libNAME.so is taken.", valueName: "directory"),
        completion: .directory)
    var products: String?

    @Flag(help: "The products were built just now: do not compare their time with the sources'.")
    var justBuilt = false

    @Option(help: ArgumentHelp("The built library.", valueName: "file"), completion: .file())
    var executable: String?

    @Option(
        help: ArgumentHelp(
            "The bundle's name. By default the executable that Info.plist names, else the folder's name.",
            valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("Where the bundles go.", valueName: "directory"), completion: .directory)
    var output = "."

    @Option(
        help: ArgumentHelp("The application's executable, whose libraries count as present.", valueName: "program"),
        completion: .file())
    var host: String?

    @Option(
        help: ArgumentHelp(
            "The application's versions, for PHHostRequires where Info.plist has none.", valueName: "range"))
    var hostRequires: String?

    @Flag(help: "Remove the symbols that no load needs from the code, by “strip”.")
    var strip = false

    @Flag(help: "Write NAME-VERSION.tar.zst beside the bundle, for “pluginhost install”.")
    var archive = false

    @OptionGroup var nibLimits: NibLimitArguments

    @Flag(help: "Count warnings as problems.")
    var strict = false

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    @Argument(
        help: ArgumentHelp("Folders with the bundles' Info.plist and Resources.", valueName: "source"),
        completion: .directory)
    var sources: [String] = ["."]

    func validate() throws {
        guard [build, products != nil, executable != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("Say by one of --build, --products and --executable where the code comes from.")
        }
        guard sources.count == 1 || executable == nil && name == nil else {
            throw ValidationError("--executable and --name are of one bundle; there are \(sources.count) sources.")
        }
        guard ["release", "debug"].contains(configuration) else {
            throw ValidationError("--configuration is release or debug.")
        }
        if let hostRequires { _ = try VersionRange(hostRequires) }
    }

    mutating func run() throws {
        nibLimits.apply()
        var packer = BundlePacker(output: output)
        packer.code =
            build
            ? .package(configuration: configuration, scratchPath: scratchPath)
            : products.map(BundlePacker.Code.products) ?? executable.map(BundlePacker.Code.file)
        packer.isJustBuilt = justBuilt
        packer.name = name
        packer.program = try host.map { try CheckCommand.resolvedProgram($0) }
        packer.hostRequires = hostRequires
        packer.strips = strip
        packer.archives = archive
        packer.isStrict = strict
        let results = sources.map { PackResult($0, packer) }
        if json {
            let document = JSONValue.document(
                command: "pack", bundles: results.map(\.json),
                ["host": JSONValue(packer.program), "strict": .bool(strict)])
            Terminal.write(try document.text())
        } else {
            var page = Page()
            for result in results { result.write(to: &page) }
            Terminal.write(page.text)
        }
        try (results.map(\.status).max() ?? .fine).finish()
    }
}

/// The outcome of packing one source.
private struct PackResult {
    let source: String
    let outcome: Result<BundlePacker.Result, PackingError>

    init(_ source: String, _ packer: BundlePacker) {
        self.source = source
        do throws(PackingError) {
            outcome = .success(try packer.pack(source))
        } catch {
            outcome = .failure(error)
        }
    }

    var status: ExitStatus {
        switch outcome {
        case .success(let result): result.isPacked ? .fine : .problems
        case .failure(let error): error.status
        }
    }

    var json: JSONValue {
        let result = try? outcome.get()
        let findings = FindingReport(findings: result?.findings ?? [], bundlePath: result?.path ?? source)
        let lint = result?.lint.map(LintResult.json) ?? []
        return .object([
            "source": .string(source), "path": JSONValue(result?.path), "packed": .bool(result?.isPacked ?? false),
            "unchanged": .bool(result?.isUnchanged ?? false), "archive": JSONValue(result?.archive),
            "leftOut": .array(
                (result?.leftOut ?? []).map { .object(["file": .string($0.path), "reason": .string($0.reason)]) }),
            "findings": findings.json, "lint": .array(lint), "error": outcome.failure?.json ?? .null,
        ])
    }

    /// “Unchanged” alone would mean that the bundle has the current sources.
    private func outcome(of result: BundlePacker.Result) -> (String, Page.Style) {
        guard result.isPacked else { return ("not packed", .red) }
        if result.findings.contains(where: { $0.code == .productOutdated }) {
            return (result.isUnchanged ? "unchanged, and older than its sources" : "packed, of older sources", .yellow)
        }
        return (result.isUnchanged ? "unchanged" : "packed", .green)
    }

    func write(to page: inout Page) {
        switch outcome {
        case .failure(let error):
            page.line((source + ":", .bold), ("not packed", .red))
            error.write(to: &page)
        case .success(let result):
            let path = result.path.relativeToCurrentDirectory + ":"
            // What the linter found in the source has a place there, and is shown below.
            let known = Set(result.lint.map { [$0.code.rawValue, $0.subject] })
            let others = result.findings.filter { !known.contains([$0.code.rawValue, $0.subject]) }
            let report = FindingReport(findings: others, bundlePath: result.path)
            let errors = report.errors + result.lint.count { $0.severity == .error }
            let warnings = report.warnings + result.lint.count { $0.severity == .warning }
            let counts = [FindingReport.count(errors, "error"), FindingReport.count(warnings, "warning")]
            page.line(
                (path, .bold), outcome(of: result), (counts.compactMap(\.self).joined(separator: ", "), .yellow))
            report.write(to: &page)
            if let archive = result.archive {
                page.line((archive.relativeToCurrentDirectory + ":", .bold), ("written", .green))
            }
            for finding in result.lint { LintResult.write(finding, of: source, to: &page) }
            for file in result.leftOut {
                let path = file.path.relativeToCurrentDirectory
                page.paragraph("\(path) is left out: \(file.reason).", indent: 2, .faint)
            }
        }
    }
}

extension Result {
    /// The error; nil for a success.
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension PackingError {
    /// The exit status: `problems` for a fault in the source, the archive or the plug-in; `unable` if the tool could
    /// not work.
    var status: ExitStatus {
        switch code {
        case .manifestInvalid, .executableMissing, .unsafeFile, .tooLarge, .archiveInvalid, .notInstalled, .buildFailed:
            .problems
        case .unreadable, .unwritable, .toolFailed, .nameInvalid: .unable
        }
    }

    var json: JSONValue {
        .object([
            "code": .string(code.rawValue), "file": .string(path), "message": .string(message),
            "remedy": .string(remedy),
        ])
    }

    func write(to page: inout Page) {
        page.line(("error", .red), (code.rawValue, .bold), indent: 2)
        page.paragraph(message, indent: 4)
        if !remedy.isEmpty { page.paragraph("To do: \(remedy)", indent: 4) }
    }
}

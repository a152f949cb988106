import ArgumentParser
import Glibc
import HostBasics
@_spi(Tools) import PluginHost
import PluginPacking
import SettingsReading

/// The arguments of the commands that change a folder of plug-ins: the folder and the output format.
struct InstallationArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The application whose plug-ins are meant: those that the user installed, in the first of its search paths.",
            valueName: "name"), completion: KnownNames.applications)
    var application: String?

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("A folder of plug-ins that exists, instead of an application's.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "The application's executable, whose libraries count as present. By default the one in PATH with the name of "
                + "--application.", valueName: "program"),
        completion: .file())
    var host: String?

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    /// - Throws: ValidationError unless exactly one of `--application` and `--in` is given.
    func installer() throws -> PluginInstaller {
        guard (application == nil) != (folder == nil) else {
            throw ValidationError("Name either the application by --application, or a folder by --in.")
        }
        // The folder of an application is made; another one that does not exist is most often misspelt.
        if let folder, access(folder, F_OK) != 0, [ENOENT, ENOTDIR].contains(errno) {
            throw ValidationError(
                "There is no folder \(folder.escapedForTerminal). Correct the path, or make the folder first.")
        }
        let search = try PluginSearch(.naming(application, host: host), folders: [])
        guard let place = folder ?? search.searchPaths.first else {
            throw ValidationError("There is no search path of the application that a user can install to.")
        }
        var installer = PluginInstaller(folder: place)
        installer.program = search.program
        return installer
    }

    /// Why the plug-in is used now, or why not, and which others cannot be used without it; nil if the application is
    /// not named.
    ///
    /// `meant`: a known application with nearly the same name as this one, which is not known.
    private func sentence(about identifier: String, meant: String?) -> String? {
        guard let application,
            let catalog = try? PluginSearch(.naming(application, host: host), folders: []).catalog()
        else { return nil }
        let explanation = catalog.explanation(of: identifier)
        let isUsed = explanation.candidates.contains { $0.verdict == .usable }
        let others = isUsed ? [] : catalog.candidates.filter { $0.verdict == .unresolved && requires(identifier, $0) }
        return [
            explanation.sentence,
            others.isEmpty
                ? nil : "Without it, \(others.map(\.identifier).joined(separator: ", ")) cannot be used either.",
            meant.map { "Nothing was known here of an application “\(application)”; did you mean “\($0)”?" },
        ].compactMap(\.self).joined(separator: " ")
    }

    private func requires(_ identifier: String, _ candidate: PluginCandidate) -> Bool {
        (try? candidate.open())?.manifest.requires[identifier] != nil
    }

    /// The user's file with settings of a plug-in, which stays when the plug-in is removed; nil if there is none, or the
    /// application is not known.
    private func settingsFile(of identifier: String) -> String? {
        guard let application else { return nil }
        let file = SettingsPlaces(of: identifier, in: application).user
        return file.flatMap { access($0, F_OK) == 0 ? $0 : nil }
    }

    /// Makes one change, reports it, and exits with its status.
    func report(
        _ command: String, _ verb: String, _ takeOver: TakeOver? = nil,
        _ change: () throws(PackingError) -> PluginInstaller.Result
    ) throws {
        do throws(PackingError) {
            // Before the change, which makes the application known.
            let meant = application.flatMap { KnownNames.application(near: $0) }
            let result = try change()
            let outcome = result.isDone ? takeOver?.run(for: result.identifier) : nil
            write(command, verb, result, outcome ?? .init(), meant: meant)
            if !result.isDone { throw PackingError(.archiveInvalid, path: "", message: "", remedy: "") }
        } catch {
            if !error.message.isEmpty { write(command, error) }
            try error.status.finish()
        }
    }

    private func write(
        _ command: String, _ verb: String, _ result: PluginInstaller.Result, _ takeOver: TakeOver.Outcome,
        meant: String?
    ) {
        let report = FindingReport(findings: result.findings + takeOver.findings, bundlePath: result.path)
        let sentence = result.isDone ? sentence(about: result.identifier, meant: meant) : nil
        let settings = result.isDone && result.path == nil ? settingsFile(of: result.identifier) : nil
        if json {
            write(
                command,
                [
                    "path": JSONValue(result.path), "identifier": .string(result.identifier),
                    "version": JSONValue(result.version), "replaced": JSONValue(result.replaced),
                    "done": .bool(result.isDone), "explanation": JSONValue(sentence),
                    "keptSettings": JSONValue(settings), "findings": report.json,
                    "takenOver": JSONValue(takeOver.done), "notTakenOver": JSONValue(takeOver.left), "error": .null,
                ])
            return
        }
        var page = Page()
        let version = result.version.map { " " + $0 } ?? ""
        let replaced = result.replaced.map { $0.isEmpty || result.path == nil ? "" : " in place of \($0)" } ?? ""
        page.line(
            (result.identifier + version + ":", .bold),
            (result.isDone ? verb + replaced : "not \(verb)", result.isDone ? .green : .red))
        if let path = result.path, result.isDone { page.field("Directory", path) }
        if let settings { page.field("Kept settings", settings) }
        if let sentence { page.paragraph(sentence, indent: 2) }
        if !takeOver.done.isEmpty {
            page.paragraph(
                "It has taken over the choices, answers and data of \(takeOver.done.joined(separator: ", ")).",
                indent: 2)
        }
        if !takeOver.left.isEmpty {
            page.paragraph(
                """
                It replaces \(takeOver.left.joined(separator: ", ")), and has taken over nothing of it. To let it: \
                pluginhost install --adopt
                """, indent: 2, .yellow)
        }
        report.write(to: &page)
        Terminal.write(page.text)
    }

    private func write(_ command: String, _ error: PackingError) {
        if json {
            write(
                command,
                [
                    "path": .null, "identifier": .null, "version": .null, "replaced": .null, "done": .bool(false),
                    "explanation": .null, "keptSettings": .null, "findings": .array([]), "takenOver": .array([]),
                    "notTakenOver": .array([]), "error": error.json,
                ])
            return
        }
        var page = Page()
        page.line(("Nothing was changed.", .bold))
        error.write(to: &page)
        Terminal.write(page.text)
    }

    private func write(_ command: String, _ members: [String: JSONValue]) {
        Terminal.write((try? JSONValue.document(command: command, members).text()) ?? "")
    }
}

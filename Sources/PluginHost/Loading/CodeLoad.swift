import BundleReading
internal import CPluginSupport
import ELFImages
import HostBasics
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// One attempt to load a bundle's code, from Info.plist to the registrations of the entry.
///
/// It never holds a lock.
///
/// Functions that only run after a failure are never inlined. Unused code between used code is expensive here, because
/// the dynamic linker empties the processor's caches at every load.
struct CodeLoad {
    let bundle: PluginBundle

    /// Loads the code.
    ///
    /// `lastFailure`: the result of the previous attempt. `entered`: set to the code whose entry is called.
    func run(lastFailure: LoadFailure?, entered: inout EnteredCode?) throws(PluginError) -> LoadedCode {
        var changes: [PluginFinding] = []
        do throws(PluginError) {
            return try run(lastFailure, &entered, &changes)
        } catch {
            throw error.adding(changes)
        }
    }

    /// `changes`: changes of the process by code that ran, also if the load fails.
    private func run(
        _ lastFailure: LoadFailure?, _ entered: inout EnteredCode?, _ changes: inout [PluginFinding]
    ) throws(PluginError) -> LoadedCode {
        try bundle.requireUsableManifest()
        if let entry = bundle.linkedEntry { return try enter(linked: entry, lastFailure, &entered, &changes) }
        let executable = try bundle.openExecutable()
        let path = executable.path
        let file = executable.file.identity
        let identity = EnteredCode.file(file)
        try check(lastFailure, isNotOf: identity, &entered)
        var code = Executable(path: path, inspection: try inspect(executable))
        bundle.begin(.opening)
        var isLoaded = false
        defer { if !isLoaded { code.copy?.copy.remove() } }
        try openOwnLibraries(&code, &changes)
        let image = try open(code.path, isRetry: lastFailure?.entered != nil)
        if let change = image.floatChange { changes.append(change.finding(in: code.path)) }
        // Check that the dynamic linker opened the inspected file: compare the content of its first page, and the path.
        guard code.inspection.describes(libraryAt: image.base) else { throw changed(path) }
        if let change = file.change(at: path) { throw changed(path, change) }
        if let (library, change) = code.files.firstChange() { throw changed(library, change) }
        try claim(image, path)
        entered = identity
        guard let entry = image.entry else { throw missingEntry(path) }
        let table = HostTable(bundle: bundle)
        let registrations: Registrations
        do throws(PluginError) {
            registrations = try table.enter(entry, path: path, &changes)
        } catch {
            throw completed(error, path: path)
        }
        isLoaded = true
        return LoadedCode(
            library: image, copy: code.copy?.copy, registrations: registrations,
            findings: bundle.differences(of: registrations, in: image), changes: changes, table: table)
    }

    /// Calls the entry of code that belongs to the program.
    ///
    /// No file is inspected or opened.
    private func enter(
        linked entry: EntryFunction, _ lastFailure: LoadFailure?, _ entered: inout EnteredCode?,
        _ changes: inout [PluginFinding]
    ) throws(PluginError) -> LoadedCode {
        try check(lastFailure, isNotOf: .linked, &entered)
        entered = .linked
        let table = HostTable(bundle: bundle)
        let registrations = try table.enter(entry, path: bundle.executablePath ?? Path.mainProgram, &changes)
        BundleTable.shared.add(linkedClasses: registrations.classes.map(\.type), of: bundle)
        return LoadedCode(
            library: nil, registrations: registrations,
            findings: bundle.differences(of: registrations, in: nil), changes: changes, table: table)
    }

    /// Rejects code whose entry failed before: the entry is not called again, and the load fails with the same error.
    private func check(
        _ lastFailure: LoadFailure?, isNotOf code: EnteredCode, _ entered: inout EnteredCode?
    ) throws(PluginError) {
        guard let lastFailure, lastFailure.entered == code else { return }
        entered = code
        throw lastFailure.error
    }

    /// Inspects the executable and closes it.
    ///
    /// It is closed here because everything about it is still in the processor's caches; closing it after the dynamic
    /// linker's work costs twice as much.
    private func inspect(_ executable: consuming OpenedExecutable) throws(PluginError) -> ELFInspection {
        let path = executable.path
        guard executable.file.settle() else { throw changed(path) }
        let inspection = ELFInspector.inspectQuickly(executable.file, path: path, bundlePath: bundle.bundlePath)
        if inspection.isLoadable { return inspection }
        throw explained(inspection, path)
    }

    /// Repeats the inspection as a complete one, which explains the findings of the quick one.
    @inline(never)
    private func explained(_ inspection: ELFInspection, _ path: String) -> PluginError {
        let complete = completeFindings(path)
        let isExplained = complete.contains { $0.severity == .error }
        return PluginError(bundlePath: bundle.bundlePath, findings: isExplained ? complete : inspection.findings)
    }

    private func open(_ path: String, isRetry: Bool) throws(PluginError) -> LoadedLibrary {
        do throws(LinkerMessage) {
            // The dynamic linker identifies a library by the name under which it was opened. A file that replaced one
            // whose entry failed therefore needs another spelling of the same path.
            return try LoadedLibrary.open(path: isRetry ? Self.otherSpelling(of: path) : path)
        } catch {
            throw refused(path, error)
        }
    }

    @inline(never)
    private func refused(_ path: String, _ said: LinkerMessage) -> PluginError {
        let complete = completeFindings(path)
        let errors = complete.filter { $0.severity == .error }
        guard var first = errors.first else {
            // A warning may be the cause; if there is none, the files show no cause.
            let finding = PluginFinding(
                .loadFailed, filePath: path, message: "The dynamic linker cannot load \(quoted(path)).",
                remedy: complete.isEmpty
                    ? "Its files show no cause. Run “LD_DEBUG=all pluginhost load” on the bundle to see each step of the "
                        + "dynamic linker."
                    : "", systemMessage: said.text)
            return PluginError(bundlePath: bundle.bundlePath, findings: [finding] + complete)
        }
        first.systemMessage = said.text
        return PluginError(bundlePath: bundle.bundlePath, findings: [first] + errors.dropFirst())
    }

    /// Returns `/a/b/X` as `/a/b/./X`, with one more `./` for each call.
    @inline(never)
    private static func otherSpelling(of path: String) -> String {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let retry = retries.add(1, ordering: .relaxed).newValue
        return path[..<slash] + String(repeating: "/.", count: retry) + path[slash...]
    }

    private static let retries = Atomic(0)

    private func claim(_ image: LoadedLibrary, _ path: String) throws(PluginError) {
        if let owner = BundleTable.shared.claimLibrary(base: image.base, for: bundle) { throw taken(path, by: owner) }
    }

    @inline(never)
    private func taken(_ path: String, by owner: PluginBundle) -> PluginError {
        let message =
            owner === bundle
            ? "The code in \(quoted(path)) ran before and failed, and the file has not been replaced since."
            : "The file \(quoted(path)) is in the process already, as the executable of the bundle \(quoted(owner.bundlePath))."
        return failure(
            path,
            PluginFinding(
                .alreadyEntered, filePath: path, subject: owner.bundlePath, message: message,
                remedy: owner === bundle
                    ? "Install the new file by renaming it over the old one, or restart the application."
                    : "Give each bundle its own copy of the file instead of a link."))
    }

    /// Adds the findings of the complete inspection to an error, so that the reader sees everything.
    ///
    /// If the complete inspection says more about the same subject, its finding replaces the quick one.
    @inline(never)
    func completed(_ error: PluginError, path: String) -> PluginError {
        let complete = completeFindings(path)
        let findings = error.findings.map { finding in
            guard finding.subject != nil, !complete.contains(finding),
                var better = complete.first(where: {
                    ($0.code, $0.subject, $0.filePath) == (finding.code, finding.subject, finding.filePath)
                })
            else { return finding }
            better.systemMessage = better.systemMessage ?? finding.systemMessage
            return better
        }
        let known = Set(error.findings.map(\.code))
        return PluginError(
            bundlePath: error.bundlePath, findings: findings + complete.filter { !known.contains($0.code) })
    }

    private func completeFindings(_ path: String) -> [PluginFinding] {
        ELFInspector.inspectCompletely(
            path: path, bundlePath: bundle.bundlePath, libraries: CarriedLibraries(of: bundle),
            surroundings: .process
        )
        // They explain no failed load.
        .filter { $0.code != .symbolsMerged && $0.code != .symbolReplaced }
    }

    func failure(_ path: String, _ finding: PluginFinding) -> PluginError {
        PluginError(bundlePath: bundle.bundlePath, finding)
    }

    @inline(never)
    func changed(_ path: String, _ change: FileIdentity.Change = .replaced) -> PluginError {
        if case .unknown(let errno) = change {
            let finding = PluginFinding(
                .notLoadable, filePath: path,
                message: """
                    The file \(quoted(path)) cannot be read again after it was loaded, so it may not be the one that \
                    was checked; its entry was not called.
                    """)
            return failure(path, finding.refused(by: errno))
        }
        return failure(
            path,
            PluginFinding(
                .executableChanged, filePath: path,
                message:
                    "The file \(quoted(path)) was replaced after its check and before it was loaded; its entry was not called.",
                remedy: "Load the bundle again when its installation is complete."))
    }

    @inline(never)
    private func missingEntry(_ path: String) -> PluginError {
        failure(
            path,
            PluginFinding(
                .symbolMissing, filePath: path, subject: ELFInspector.entrySymbol,
                message: "The file \(quoted(path)) does not define \(ELFInspector.entrySymbol).",
                remedy: "Export the function \(ELFInspector.entrySymbol); the page abi.md shows how."))
    }
}

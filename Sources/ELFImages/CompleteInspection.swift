package import HostBasics
package import InterfaceRecords

extension ELFInspector {
    /// Reports everything that is wrong with a plug-in's file and its libraries, without running any code: for the
    /// preflight, for the command-line tool, and to explain a failed load.
    ///
    /// In addition to ``inspectQuickly(_:path:bundlePath:as:)`` it finds: missing libraries, with the places that were
    /// searched; versions of libraries that are too old; symbols that nothing defines; search paths that every user can
    /// write to; copies of Swift modules that the process must contain only once; signs of another toolchain.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the plug-in's executable.
    ///   - bundlePath: the bundle's directory; search paths must not lead out of it.
    ///   - libraries: the libraries that the bundle contains, which are found first; nil if there are none.
    ///   - surroundings: the process or program with its libraries.
    ///   - declared: the declarations in Info.plist, to compare with the code; nil for no comparison.
    ///   - record: the interfaces that the code was compiled against, by Info.plist; nil if that is unknown.
    ///   - reportsUnrecorded: whether to warn of libraries whose interfaces are not recorded.
    /// - Returns: all findings; empty for a file without problems.
    ///
    /// **Cost.** Milliseconds: it reads the symbol tables of the libraries around the plug-in, at most 64 MiB of each
    /// file.
    package static func inspectCompletely(
        path: String, bundlePath: String, libraries: CarriedLibraries? = nil, surroundings: ELFSurroundings,
        declared: DeclaredPoints? = nil, record: InterfaceRecord? = nil, reportsUnrecorded: Bool = false
    ) -> [PluginFinding] {
        let quick: ELFInspection
        do throws(OpenedFile.Failure) {
            let file = try OpenedFile(path: path)
            quick = inspectQuickly(file, path: path, bundlePath: bundlePath)
        } catch .missing {
            return [
                PluginFinding(
                    .executableMissing, filePath: path, message: "The executable \(quoted(path)) does not exist.",
                    remedy: "Build the plug-in and put its library there, or name the right file in Info.plist.")
            ]
        } catch {
            return [
                PluginFinding(
                    .notLoadable, filePath: error.place(of: path),
                    message: "The executable \(quoted(path)) \(error.reason(at: path)).",
                    remedy: "Put a shared object there that the application can read."
                ).refused(by: error.errno)
            ]
        }
        // A file that is not a shared object for this machine, is truncated, or has damaged tables has no usable
        // libraries and symbols. The following steps only explain: whatever they find, the dynamic linker refuses
        // safely.
        let program: HostLibraries? = if case .program(let program) = surroundings { program.libraries } else { nil }
        let unread = program?.unread ?? UnreadFiles()
        guard quick.hasSoundTables, let file = try? ELFFile(path: path, unread: unread) else {
            return quick.findings + [unread.finding(about: path)].compactMap(\.self)
        }
        var inspection = CompleteInspection(
            of: file, bundlePath: bundlePath, libraries: libraries, quick: quick,
            host: program ?? HostLibraries(surroundings, excluding: file, unread: unread), record: record)
        inspection.reportsUnrecorded = reportsUnrecorded
        inspection.run()
        if let declared { inspection.compare(declared) }
        return inspection.findings
    }
}

/// One run of ``ELFInspector/inspectCompletely(path:bundlePath:libraries:surroundings:declared:record:reportsUnrecorded:)``.
///
/// The steps are in extensions.
package struct CompleteInspection {
    package let file: ELFFile
    package let bundlePath: String
    package let quick: ELFInspection
    let record: InterfaceRecord?
    fileprivate(set) var reportsUnrecorded = false
    package let host: HostLibraries
    package let closure: LibraryClosure
    /// Whether all libraries of the bundle have tables that can be read.
    private(set) var hasSoundLibraries = true
    package private(set) var findings: [PluginFinding]

    package init(
        of file: ELFFile, bundlePath: String, libraries: CarriedLibraries?, quick: ELFInspection, host: HostLibraries,
        record: InterfaceRecord? = nil
    ) {
        self.file = file
        self.bundlePath = bundlePath
        self.quick = quick
        self.record = record
        self.host = host
        closure = LibraryClosure(of: file, libraries: libraries, in: host)
        findings = quick.findings
    }

    package mutating func run() {
        runSteps()
        if let unread = host.unread.finding(about: file.path) { findings = quick.findings + [unread] }
    }

    private mutating func runSteps() {
        findings += host.findings
        explainMissingEntry()
        checkRemovedNote()
        checkNotesInSections()
        checkOwnLibraries()
        checkMissingLibraries()
        checkShadowedLibraries()
        checkRefusedLibraries()
        checkFileSystems()
        checkWritableSearchPaths()
        checkThreadLocalMemory()
        checkToolchain()
        // The following steps need sound tables.
        guard hasSoundLibraries else { return }
        checkVersions()
        checkUndefinedSymbols()
        checkUniqueSymbols()
        checkReplacedSymbols()
        checkModules()
        checkInterfaces()
    }

    /// The bundle's libraries are inspected like its executable, by the same code as before a load.
    private mutating func checkOwnLibraries() {
        for library in closure.newFiles where library !== file {
            guard let real = library.file.resolvedPath, Path.isInside(real, directory: bundlePath) else {
                continue
            }
            let inspection = ELFInspector.inspectQuickly(
                library.file, path: library.path, bundlePath: bundlePath, as: .library)
            findings += inspection.findings
            if !inspection.hasSoundTables { hasSoundLibraries = false }
        }
    }

    package mutating func add(
        _ code: PluginError.Code, path: String? = nil, subject: String? = nil, _ message: String, _ remedy: String
    ) {
        findings.append(
            PluginFinding(.error, code, filePath: path ?? file.path, subject: subject, message: message, remedy: remedy)
        )
    }

    mutating func warn(
        _ code: PluginError.Code, path: String? = nil, subject: String? = nil, _ message: String, _ remedy: String
    ) {
        findings.append(
            PluginFinding(
                .warning, code, filePath: path ?? file.path, subject: subject, message: message, remedy: remedy))
    }

    package mutating func add(_ more: [PluginFinding]) { findings += more }

    mutating func replaceFinding(at index: Int, by better: PluginFinding) { findings[index] = better }
}

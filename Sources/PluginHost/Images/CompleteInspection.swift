extension ImageInspector {
    /// Everything that is wrong with a plug-in's file and with what it needs, in one report, without running any of
    /// it: for the preflight, for the command-line tool, and to explain a load that failed.
    ///
    /// Besides what ``inspectQuickly(_:path:bundlePath:)`` tells: libraries that are missing, with the
    /// places that were searched; versions of libraries that are too old; symbols that nothing defines; search paths
    /// that others can write to; copies of Swift modules that must stand in the process once; marks of another
    /// toolchain.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the plug-in's executable.
    ///   - bundlePath: the bundle's directory, which a search path must not leave.
    ///   - libraries: those that the bundle carries, which are found first; nil where it carries none.
    ///   - surroundings: what the process has, or will have.
    ///   - declared: what Info.plist says that the code offers, to be compared with it; nil for no comparison.
    /// - Returns: every finding; none for a sound file.
    ///
    /// **Cost.** Milliseconds: it reads the symbol tables of the libraries around the plug-in. At most 64 MiB of each
    /// file are read.
    static func inspectCompletely(
        path: String, bundlePath: String, libraries: CarriedLibraries? = nil, surroundings: ImageSurroundings,
        declared: DeclaredPoints? = nil
    ) -> [PluginFinding] {
        let quick: ImageInspection
        do throws(OpenedFile.Failure) {
            let file = try OpenedFile(path: path)
            quick = inspectQuickly(file, path: path, bundlePath: bundlePath)
        } catch {
            return [
                PluginFinding(
                    .executableMissing, filePath: path, message: "The executable \(quoted(path)) \(error.reason).",
                    remedy: "Build the plug-in and put its library there, or name the right file in Info.plist.")
            ]
        }
        // A file that is no shared object of this machine, is cut off, or has damaged tables, has no libraries and symbols
        // to speak of. What follows explains; it refuses nothing that the dynamic linker would not refuse without harm.
        let unread = UnreadFiles()
        guard quick.hasSoundTables, let file = try? ImageFile(path: path, unread: unread) else {
            return quick.findings + [unread.finding(about: path)].compactMap(\.self)
        }
        var inspection = CompleteInspection(
            of: file, bundlePath: bundlePath, libraries: libraries, quick: quick,
            host: HostImages(surroundings, excluding: file, unread: unread))
        inspection.run()
        if let declared { inspection.compare(declared) }
        return inspection.findings
    }
}

/// One run of ``ImageInspector/inspectCompletely(path:bundlePath:libraries:surroundings:)``. The steps stand in extensions.
struct CompleteInspection {
    let file: ImageFile
    let bundlePath: String
    let quick: ImageInspection
    let host: HostImages
    let closure: LibraryClosure
    /// Whether all libraries of the bundle have tables that can be read.
    private(set) var hasSoundLibraries = true
    private(set) var findings: [PluginFinding]

    init(
        of file: ImageFile, bundlePath: String, libraries: CarriedLibraries?, quick: ImageInspection, host: HostImages
    ) {
        self.file = file
        self.bundlePath = bundlePath
        self.quick = quick
        self.host = host
        closure = LibraryClosure(of: file, libraries: libraries, in: host)
        findings = quick.findings
    }

    mutating func run() {
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
        checkWritableSearchPaths()
        checkThreadLocalMemory()
        checkToolchain()
        // Of damaged tables nothing can be said, nor of what uses them.
        guard hasSoundLibraries else { return }
        checkVersions()
        checkUndefinedSymbols()
        checkModules()
        checkInterfaces()
    }

    /// The libraries that the bundle carries are inspected as its executable is, and by the same code as before a load.
    private mutating func checkOwnLibraries() {
        for library in closure.newFiles where library !== file {
            guard let real = library.file.resolvedPath, Path.isInside(real, directory: bundlePath) else {
                continue
            }
            let inspection = ImageInspector.inspectQuickly(
                library.file, path: library.path, bundlePath: bundlePath, as: .library)
            findings += inspection.findings
            if !inspection.hasSoundTables { hasSoundLibraries = false }
        }
    }

    mutating func add(
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

    mutating func add(_ more: [PluginFinding]) { findings += more }

    mutating func replaceFinding(at index: Int, by better: PluginFinding) { findings[index] = better }
}

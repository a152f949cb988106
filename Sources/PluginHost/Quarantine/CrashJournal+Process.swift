internal import CSandbox
import ELFImages
import Glibc
import HostBasics
public import HostRecords
internal import PluginABI
import Synchronization

extension CrashJournal {
    private struct State {
        /// The process that began a journal.
        ///
        /// A child made by fork() has none.
        var process: pid_t = 0
        var hasHandlers = false
        /// The place in the journal of each load under way.
        var slots: [ObjectIdentifier: CInt] = [:]
        /// The rows of ``JournalNotes`` that were written.
        var noted: Set<[UInt8]> = []
        /// The addresses of the libraries whose code the handler can name.
        var libraries: Set<UInt> = []
        /// The paths of bundles that had strikes at the start and also work from another process.
        var struck: Set<String> = []
    }

    private static let state = Lock(State())

    /// Begins the journal of this process, and reads those of processes of the application that have ended.
    ///
    /// The deaths in those journals are counted in ``Quarantine``, and logged. If the journal of this process cannot be
    /// written, this is logged, too, and the application continues without one.
    ///
    /// A run that `pluginhost bisect` makes has no journal, and reads none: its crashes count against no plug-in.
    ///
    /// - Parameters:
    ///   - application: the name of the application's directories: one path component.
    ///   - handlers: whether to install the handlers of signals. Without them, the journal shows only which plug-ins
    ///     were being loaded.
    /// - Returns: the records of earlier processes that did not end by themselves. Crashes of the last seven days that
    ///   cannot be blamed on any plug-in are returned at each start, until a process has ended by itself.
    /// - Throws: ``PluginError`` of code `journalUnusable` if the name is not valid, or this process has begun a
    ///   journal already.
    ///
    /// **Threads.** Any, once.
    /// **Cost.** Some system calls. After a crash, also reading the files of the plug-in and its libraries.
    @discardableResult
    public static func begin(application: String, handlers: Bool = true) throws -> [Record] {
        guard let directory = ApplicationState.directory(of: application) else {
            throw failure(
                application, "No crash journal can be kept for the application \(quoted(application)).",
                "Give a name that is one path component, and set HOME.")
        }
        let isFirst = state.withLock { state in
            if state.process == getpid() { return false }
            let hadHandlers = state.hasHandlers
            state = State()
            (state.process, state.hasHandlers) = (getpid(), hadHandlers)
            return true
        }
        guard isFirst else {
            throw failure(
                application, "This process has begun a crash journal already.", "Begin it once, at the start.")
        }
        let quarantine = Quarantine.of(application: application)
        Quarantine.current = quarantine
        guard quarantine.counts else { return [] }
        let place = Path.join(directory, "journals")
        let unmade = OwnFile.makeDirectory(place).map {
            Refusal(
                reason: "\(quoted($0.path)) cannot be made (\(describe(errno: $0.errno)))",
                remedy: ErrorNumber.remedy($0.errno, to: .make))
        }
        // Under a lock, so that no process removes the journal that another one is about to begin.
        let (records, refusal) = OwnFile.withLock(on: place, waitingAtMost: .seconds(1)) { isHeld in
            (isHeld ? JournalDirectory(place).takeRecords(into: quarantine) : [], unmade ?? beginFile(in: place))
        }
        if let refusal {
            let finding = unusable(place, refusal)
            HostEnvironment.log(.warning, "\(finding.message) \(finding.remedy)")
        }
        if handlers { installHandlers() }
        let struck = quarantine.struckBundles
        state.withLock { $0.struck = struck }
        if !struck.isEmpty {
            PlacementDecider.strikes.note(isPresent: true)
        }
        HostEnvironment.loadStepReaders.bitwiseOr(HostEnvironment.journalReadsSteps, ordering: .releasing)
        for bundle in BundleTable.shared.all where !bundle.isFramework { noteCode(of: bundle, asLoaded: false) }
        return records
    }

    /// Ends the journal, because the application is about to end by itself.
    ///
    /// Not needed before `exit` or a return from `main`. Call it before `_exit`, before the process sends a signal to
    /// itself, and before an `exit` that is called while a plug-in calls the application.
    ///
    /// **Threads.** Any.
    public static func end() { phs_journal_end() }

    // MARK: Beginning

    /// Why no journal was begun.
    private struct Refusal {
        /// As the end of a sentence.
        let reason: String
        let remedy: String

        init(reason: String, remedy: String) { (self.reason, self.remedy) = (reason, remedy) }

        init(_ errno: CInt) {
            self.init(reason: describe(errno: errno), remedy: ErrorNumber.remedy(errno, to: .make))
        }
    }

    /// - Returns: why no journal was begun.
    private static func beginFile(in directory: String) -> Refusal? {
        var failure = phs_failure()
        // Another process may have this number, in another container with the same home directory.
        for number in 0..<8 {
            let name = number == 0 ? "\(getpid())" : "\(getpid())-\(number)"
            let error = phs_journal_begin(Path.join(directory, name), &failure)
            if error == 0 { return nil }
            if error != EBUSY { return Refusal(error) }
        }
        return Refusal(EBUSY)
    }

    private static func installHandlers() {
        let isNeeded = state.withLock { state in
            defer { state.hasHandlers = true }
            return !state.hasHandlers
        }
        guard isNeeded else { return }
        let error = phs_journal_install_handlers()
        if error != 0 {
            HostEnvironment.log(
                .warning,
                "The handlers of the crash journal cannot be installed (\(describe(errno: error))); crashes name no plug-in."
            )
        }
    }

    private static func unusable(_ path: String, _ refusal: Refusal) -> PluginFinding {
        PluginFinding(
            .warning, .journalUnusable, filePath: path,
            message: "No crash journal can be written in \(quoted(path)): \(refusal.reason).",
            remedy: "\(refusal.remedy) Without a journal, a crash names no plug-in.")
    }

    private static func failure(_ path: String, _ message: String, _ remedy: String) -> PluginError {
        PluginError(bundlePath: path, PluginFinding(.journalUnusable, message: message, remedy: remedy))
    }

    // MARK: Loads

    /// Writes a step of a load.
    ///
    /// Call it without a lock, and only if a journal was begun.
    static func note(_ step: LoadStep, of bundle: PluginBundle) {
        let key = ObjectIdentifier(bundle)
        let slot = state.withLock { $0.slots[key] }
        switch step {
        case .end:
            guard let slot else { return }
            state.withLock { $0.slots[key] = nil }
            phs_journal_load_ends(slot)
        case .opening, .entry, .activation:
            // Before the step runs, because it may end the process.
            noteCode(of: bundle, asLoaded: true)
            if let slot {
                phs_journal_load_continues(slot, step.numberInJournal)
            } else {
                let slot = phs_journal_load_begins(bundle.displayIdentifier, step.numberInJournal)
                state.withLock { $0.slots[key] = slot }
            }
        }
    }

    /// Notes whether all extensions of a bundle also work from another process.
    static func note(isRemote: Bool, of bundle: PluginBundle) { write(JournalNotes.remote(isRemote, of: bundle.info)) }

    /// Whether a bundle had strikes at the start of this process, and also works from another process.
    static func isStruck(_ bundle: PluginBundle) -> Bool {
        state.withLock { $0.struck.contains(bundle.originalPath) }
    }

    /// Lets the handler name the code of a bundle: every loaded library in its directory or a copy of it, and its
    /// executable.
    ///
    /// `asLoaded`: whether the bundle is being loaded, even if none of its libraries is loaded yet.
    private static func noteCode(of bundle: PluginBundle, asLoaded: Bool) {
        if isApplicationItself(bundle) { return }
        let executable = bundle.executablePath
        let places = [bundle.bundlePath] + CopiedPaths.copies(of: bundle.bundlePath)
        let libraries = LoadedLibraries.all().filter { library in
            !library.isMainProgram
                && (library.path == executable || places.contains { Path.isInside(library.path, directory: $0) })
        }
        if asLoaded || !libraries.isEmpty { write(JournalNotes.code(of: bundle.info)) }
        for library in libraries where state.withLock({ $0.libraries.insert(library.base).inserted }) {
            if let handle = LoadedLibrary.handle(ofPresent: library.path) {
                phs_journal_add_library(bundle.displayIdentifier, handle)
            }
        }
    }

    /// Whether a bundle is the application's own: its directory contains the program, and perhaps all libraries of the
    /// program.
    ///
    /// No plug-in is to blame for such code. Without this check, the functions that lead to the application's own
    /// `exit` would be mistaken for a plug-in that ends it.
    static func isApplicationItself(_ bundle: PluginBundle) -> Bool {
        BundleOpening.isMain(bundle) || Path.isInside(Path.mainProgram, directory: bundle.originalPath)
    }

    /// Writes a row, unless it was written before.
    ///
    /// If the journal is full, the row is lost: the plug-in is then named, but gets no strike.
    private static func write(_ row: [UInt8]) {
        guard state.withLock({ $0.noted.insert(row).inserted }) else { return }
        _ = row.withUnsafeBytes { phs_journal_note($0.baseAddress, $0.count) }
    }
}

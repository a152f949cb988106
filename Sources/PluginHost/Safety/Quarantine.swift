internal import PluginABI
import Synchronization

/// The plug-ins that an application of a user does not use, because their code ended its processes or somebody said so.
///
/// A catalogue that was made with the application's name refuses them; ``PluginVerdict/quarantined``. A plug-in gets into
/// quarantine when its code ends the application twice within seven days, as a ``CrashJournal`` shows, or its own process
/// several times within minutes, or by ``add(_:reason:)``. It gets out when one of its code files, or a library that they use,
/// gets another content, and by ``clear(_:)``.
///
/// The file is `quarantine` in the application's directory in `$XDG_STATE_HOME`, by default `~/.local/state`: a property
/// list that is replaced as a whole. `quarantine.backup` is its copy. If the file is damaged, it is kept as
/// `quarantine.damaged`, and the copy is used. The administrator's list is a file `quarantine` in the application's
/// directory in `$XDG_CONFIG_DIRS`, by default `/etc/xdg`.
///
/// Several processes may change the file at the same time. Each waits for the others for one second at most. What cannot
/// be written is logged, holds in this process, and is written with the next change.
///
/// **Threads.** Every member may be used on any thread.
public final class Quarantine: Sendable {
    /// The file, whether it exists or not; nil if the user has no home directory.
    public let path: String?
    /// The name of the application's directories.
    let application: String?
    /// The administrator's lists, the most important first.
    private let administratorPaths: [String]
    private let state = Lock(State())

    private struct State {
        /// What could not be written, in order.
        var pending: [QuarantineList.Change] = []
        /// The content that was last read or written.
        var last = QuarantineList()
        /// About the last use.
        var findings: [PluginFinding] = []
        /// The damage that was found, which the next use does not show any more.
        var damages: [PluginFinding] = []
    }

    private static let known = Lock<[String: Quarantine]>([:])
    private static let inUse = Lock<Quarantine?>(nil)

    /// The quarantine in which the deaths of this process's workers count: that of the application whose journal was begun
    /// or whose catalogue was made last; nil if there is none.
    static var current: Quarantine? {
        get { inUse.withLock { $0 } }
        set {
            inUse.withLock { $0 = newValue }
            ExecutionList.use(of: newValue?.application)
        }
    }

    private init(path: String?) {
        self.path = path
        application = path.map { Path.lastComponent(Path.parent($0)) }
        let name = (application ?? "") + "/quarantine"
        administratorPaths =
            application == nil ? [] : UserDirectories.process.systemConfiguration.map { Path.join($0, name) }
    }

    /// The quarantine of an application, for the user who runs this process.
    ///
    /// - Parameter application: the name of the application's directories: one path component.
    /// - Returns: the same object for the same file.
    public static func of(application: String) -> Quarantine { at(path(for: application)) }

    /// The quarantine in a file.
    static func at(_ path: String?) -> Quarantine {
        known.withLock { known in
            if let quarantine = known[path ?? ""] { return quarantine }
            let quarantine = Quarantine(path: path)
            known[path ?? ""] = quarantine
            return quarantine
        }
    }

    /// The file with an application's quarantine.
    ///
    /// - Parameter application: the name of the application's directories: one path component.
    /// - Returns: an absolute path, whether the file exists or not; nil if the name is none, or the user has no home directory.
    public static func path(for application: String) -> String? {
        ApplicationState.directory(of: application).map { Path.join($0, "quarantine") }
    }

    // MARK: Content

    /// The plug-ins in quarantine, those of the administrator first.
    ///
    /// **Cost.** Reads the files, and examines every code file of every entry.
    public var entries: [Entry] {
        let own = ownEntries.filter { $0.origin != nil }
        return administrators + own
    }

    /// The plug-ins that ended processes, but not often enough for the quarantine.
    public var suspects: [Entry] { ownEntries.filter { $0.origin == nil } }

    /// Why a file could not be read or written at the last use, and the damage that this process found; empty if nothing
    /// is wrong.
    public var findings: [PluginFinding] { state.withLock { $0.damages + $0.findings } }

    /// Whether all changes of this process are in the file.
    public var isSaved: Bool { state.withLock { $0.pending.isEmpty } }

    /// Those of the file, without expired ones.
    private var ownEntries: [Entry] {
        if let strikesPath { StrikeNotes.take(from: strikesPath, into: self) }
        return state.withLock { state in
            state.findings = []
            var list = read(&state, isLocked: false)
            let isChanged = list.removeExpired()
            if isChanged || !state.pending.isEmpty { write(&state) } else { state.last = list }
            return state.last.entries
        }
    }

    // MARK: Changes

    /// Puts a plug-in into quarantine.
    ///
    /// It stays there until one of its code files gets another content, or until ``clear(_:)``.
    ///
    /// - Parameters:
    ///   - bundle: the plug-in; none of its code runs.
    ///   - reason: why, as a sentence for the user.
    /// - Throws: ``PluginError`` if the bundle has no executable that can be opened: `notCode`, `executableMissing`,
    ///   `executableOutsideBundle`, `notLoadable`.
    ///
    /// **Cost.** Reads the code files and the libraries that they use.
    public func add(_ bundle: PluginBundle, reason: String) throws {
        var entry = Entry(bundle.displayIdentifier, bundlePath: bundle.originalPath, files: try bundle.codeFiles())
        entry.origin = .user
        entry.givenReason = reason
        change(.add(entry))
    }

    /// Takes a plug-in out of quarantine, and forgets how often it ended processes.
    ///
    /// - Parameter identifier: the plug-in's identifier.
    /// - Returns: whether there was an entry. One of the administrator stays.
    @discardableResult
    public func clear(_ identifier: String) -> Bool {
        guard ownEntries.contains(where: { $0.identifier == identifier }) else { return false }
        change(.clear(identifier))
        return true
    }

    /// Notes that a plug-in's code ended a process.
    ///
    /// - Returns: whether the plug-in is in quarantine now.
    @discardableResult
    func note(_ death: Death, of evidence: Entry, _ limit: QuarantineList.Limit) -> Bool {
        change(.death(evidence, death, limit))
        return state.withLock { state in
            state.last.entries.contains {
                $0.identifier == evidence.identifier && $0.bundlePath == evidence.bundlePath && $0.origin != nil
            }
        }
    }

    /// Notes an end that an earlier process has written down, unless it has counted it.
    ///
    /// - Returns: whether it is in the file.
    func noteMissed(_ death: Death, of evidence: Entry, _ limit: QuarantineList.Limit) -> Bool {
        change(.missedDeath(evidence, death, limit))
        return isSaved
    }

    /// The directory of ``StrikeNotes``; nil if there is no file.
    var strikesPath: String? { path.map { Path.join(Path.parent($0), "strikes") } }

    /// Why a bundle must not be used, or nil.
    func finding(about bundle: PluginBundle) -> PluginFinding? {
        let path = bundle.originalPath
        let entry = entries.first { entry in
            entry.identifier == bundle.displayIdentifier && (entry.bundlePath == nil || entry.bundlePath == path)
        }
        return entry?.finding(at: path, application: application)
    }

    private func change(_ change: QuarantineList.Change) {
        state.withLock { state in
            state.findings = []
            state.pending.append(change)
            write(&state)
        }
    }

    // MARK: The administrator

    private var administrators: [Entry] {
        administratorPaths.flatMap { path -> [Entry] in
            switch QuarantineFile.read(path, entry: Entry.init(administrators:)) {
            case .missing: return []
            case .list(let list): return list.entries
            case .refused(let refusal):
                // Nothing is released: the others cannot be known, so the reader must be.
                report(QuarantineFile.finding(path, refusal))
                return []
            }
        }
    }

    private func report(_ finding: PluginFinding) { state.withLock { report(finding, &$0) } }

    private func report(_ finding: PluginFinding, _ state: inout State) {
        if state.findings.contains(finding) { return }
        state.findings.append(finding)
        HostEnvironment.log(.warning, "\(finding.message) \(finding.remedy)")
    }

    // MARK: The file

    /// The content of the file, with what could not be written.
    ///
    /// `isLocked`: whether this thread has locked the directory.
    private func read(_ state: inout State, isLocked: Bool) -> QuarantineList {
        var list: QuarantineList
        if let path {
            switch QuarantineFile.read(path, entry: Entry.init(list:)) {
            case .missing: list = QuarantineList()
            case .list(let found): list = found
            case .refused(let refusal): list = recover(path, refusal, &state, isLocked: isLocked)
            }
        } else {
            list = QuarantineList()
        }
        for change in state.pending { list.apply(change) }
        return list
    }

    /// What is known if the file cannot be used: its copy, or what this process read before.
    private func recover(
        _ path: String, _ refusal: OwnFile.Refusal, _ state: inout State, isLocked: Bool
    ) -> QuarantineList {
        var finding = QuarantineFile.finding(path, refusal)
        let copy: QuarantineList? =
            if case .list(let list) = QuarantineFile.read(QuarantineFile.backup(of: path), entry: Entry.init(list:)) {
                list
            } else { nil }
        let known = copy ?? state.last
        guard refusal.isDamage else {
            report(finding, &state)
            return known
        }
        if isLocked {
            repair(path, known, &finding)
        } else {
            OwnFile.withLock(on: Path.parent(path), waitingAtMost: Self.longestWait) { isHeld in
                if isHeld { repair(path, known, &finding) }
            }
        }
        finding.message +=
            copy != nil || !known.entries.isEmpty
            ? " Its copy is used, so no plug-in is released." : " It has no usable copy; its entries are not known."
        // A file that could not be set aside is read again.
        if !state.damages.contains(finding) {
            state.damages.append(finding)
            HostEnvironment.log(.warning, "\(finding.message) \(finding.remedy)")
        }
        return known
    }

    /// Sets a damaged file aside and writes it anew; only while the directory is locked, so that a file that another
    /// process has just repaired stays.
    private func repair(_ path: String, _ known: QuarantineList, _ finding: inout PluginFinding) {
        guard case .refused(let refusal) = QuarantineFile.read(path, entry: Entry.init(list:)), refusal.isDamage,
            let kept = QuarantineFile.setAside(path)
        else { return }
        finding.message += " It is kept as \(quoted(kept))."
        QuarantineFile.write(known, to: path)
    }

    /// Makes the pending changes in the file; those that cannot be written stay pending.
    private func write(_ state: inout State) {
        guard let path else {
            state.last = read(&state, isLocked: false)
            return
        }
        OwnFile.makeDirectory(Path.parent(path))
        let failure: PluginFinding? = OwnFile.withLock(on: Path.parent(path), waitingAtMost: Self.longestWait) {
            isHeld in
            var list = read(&state, isLocked: isHeld)
            _ = list.removeExpired()
            state.last = list
            guard isHeld else { return QuarantineFile.unwritten(path, "another process holds its lock") }
            guard let reason = QuarantineFile.write(list, to: path) else {
                state.pending = []
                return nil
            }
            return QuarantineFile.unwritten(path, reason)
        }
        // Nothing is lost if only expired entries could not be removed.
        if let failure, !state.pending.isEmpty { report(failure, &state) }
    }

    /// How long a change waits for other processes.
    static let longestWait = Duration.seconds(1)
}

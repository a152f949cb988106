package import BundleReading
public import HostBasics
import HostLogging
internal import PluginABI

/// The plug-ins that an application of a user does not use, because their code ended its processes or somebody put them
/// here.
///
/// A catalogue that was made with the application's name refuses them: ``PluginVerdict/quarantined``. A plug-in gets
/// into quarantine when its code ends the application twice within seven days, as a ``CrashJournal`` shows, when it
/// ends its worker several times within minutes, or by ``add(_:reason:)``. It leaves quarantine when the content of one
/// of its code files, or of a library that they use, changes, or by ``clear(_:)``.
///
/// The file is `quarantine` in the application's directory in `$XDG_STATE_HOME`, by default `~/.local/state`: a
/// property list that is replaced as a whole. `quarantine.backup` is its copy, which is used if the file is damaged.
/// The next change then keeps the damaged file as `quarantine.damaged`. Without a usable copy every plug-in is in
/// quarantine: the entry has the identifier `*`. The administrator's list is a file `quarantine` in the application's
/// directory in `$XDG_CONFIG_DIRS`, by default `/etc/xdg`; if it is damaged, no plug-in is used.
///
/// An entry also holds for copies of the bundle in other folders, as long as their code is the same.
///
/// Several processes may change the file at the same time. Each one waits for the others for one second at most. A
/// change that cannot be written is logged, applies in this process, and is written at the next use.
///
/// **Threads.** Every member may be used on any thread.
public final class Quarantine: Sendable {
    /// The name of the application's directories.
    package let application: String?
    private let list: KeptList<QuarantineList>
    /// Nil without an application.
    private let administrators: AdministratorLists<AdministratorsQuarantine>?
    /// What is wrong with the administrator's lists, as of the last use.
    private let administratorFindings = Lock<[PluginFinding]>([])

    /// The file, whether it exists or not; nil if the user has no home directory.
    public var path: String? { list.path }

    private static let known = Lock<[String: Quarantine]>([:])
    private static let inUse = Lock<Quarantine?>(nil)

    /// The quarantine in which the deaths of this process's workers count.
    ///
    /// It belongs to the application whose journal was begun last or whose catalogue was made last; nil if there is
    /// none.
    package static var current: Quarantine? {
        get { inUse.withLock { $0 } }
        set {
            inUse.withLock { $0 = newValue }
            ExecutionList.use(of: newValue?.application)
        }
    }

    private init(path: String?) {
        application = path.map { Path.lastComponent(Path.parent($0)) }
        let command = "“pluginhost quarantine list --application \(application ?? "NAME")”"
        list = KeptList(
            path: path,
            ListWords(
                code: .quarantineUnusable, subject: "The quarantine in", noList: "is no list of plug-ins",
                safest: "It has no usable copy, so no plug-in is used.",
                remedy: """
                    Look with \(command) at what is in quarantine now. To use all plug-ins again, remove the file.
                    """,
                change: "A change of the quarantine"))
        administrators = application.map { application in
            AdministratorLists(
                "quarantine", of: application,
                ListWords(
                    code: .quarantineUnusable, subject: "The administrator's quarantine in",
                    noList: "is no list of plug-ins", safest: "So no plug-in is used.",
                    remedy: """
                        Ask the administrator to mend it, for example: { Plugins = ( { Identifier = "org.example.One"; } ); }
                        """))
        }
    }

    /// The quarantine of an application, for the user who runs this process.
    ///
    /// - Parameter application: the name of the application's directories: one path component.
    /// - Returns: the same object for the same file.
    public static func of(application: String) -> Quarantine { at(path(for: application)) }

    /// The quarantine in a file.
    package static func at(_ path: String?) -> Quarantine {
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
    /// - Returns: an absolute path, whether the file exists or not; nil if the name is not valid, or the user has no
    ///   home directory.
    public static func path(for application: String) -> String? {
        ApplicationState.directory(of: application).map { Path.join($0, "quarantine") }
    }

    // MARK: Content

    /// The plug-ins in quarantine, those of the administrator first.
    ///
    /// **Cost.** Reads the files, and examines every code file of every entry.
    public var entries: [Entry] {
        let own = ownEntries.filter { $0.origin != nil }
        return administratorEntries + own
    }

    /// The plug-ins that ended processes, but not often enough for the quarantine.
    public var suspects: [Entry] { ownEntries.filter { $0.origin == nil } }

    /// The bundles that must run in a worker, if they can, because their code ended the application before.
    ///
    /// **Cost.** That of ``entries``.
    package var struckBundles: Set<String> {
        let now = FileIdentity.now
        return Set((entries + suspects).filter { $0.mustRunElsewhere(at: now) }.compactMap(\.bundlePath))
    }

    /// Why a file could not be read or written at the last use, and which damaged file this process kept.
    ///
    /// Empty if nothing is wrong.
    public var findings: [PluginFinding] { list.findings + administratorFindings.withLock(\.self) }

    /// Whether all changes of this process are in the file.
    public var isSaved: Bool { list.isSaved }

    /// The entries of the file, without expired ones.
    private var ownEntries: [Entry] {
        if let strikesPath { StrikeNotes.take(from: strikesPath, into: self) }
        let known = list.content
        var content = known
        guard content.removeExpired() else { return known.entries }
        list.tidy(.expire)
        return content.entries
    }

    private var administratorEntries: [Entry] {
        guard let (contents, findings) = administrators?.read() else { return [] }
        let new = administratorFindings.withLock { known in
            defer { known = findings }
            return findings.filter { !known.contains($0) }
        }
        for finding in new { HostLog.write(.error, "\(finding.message) \(finding.remedy)") }
        return contents.flatMap { path, content in
            content.entries.map { entry in
                var entry = entry
                entry.listPath = path
                return entry
            }
        }
    }

    // MARK: Changes

    /// Puts a plug-in into quarantine, with its code files as they are now.
    package func add(_ identifier: String, bundlePath: String, files: [CodeFile], reason: String) {
        var entry = Entry(identifier, bundlePath: bundlePath, files: files)
        entry.origin = .user
        entry.givenReason = reason
        list.change(.add(entry))
    }

    /// Takes a plug-in out of quarantine, and forgets how often it ended processes.
    ///
    /// - Parameter identifier: the plug-in's identifier; `*` for the entry of every plug-in.
    /// - Returns: whether there was an entry. An entry of the administrator stays.
    @discardableResult
    public func clear(_ identifier: String) -> Bool {
        guard ownEntries.contains(where: { $0.identifier == identifier }) else { return false }
        list.change(.clear(identifier))
        return true
    }

    /// Notes that a plug-in's code ended a process.
    ///
    /// - Returns: whether the plug-in is now in quarantine.
    @discardableResult
    package func note(_ death: Death, of evidence: Entry, _ limit: QuarantineList.Limit) -> Bool {
        list.change(.death(evidence, death, limit)).entries.contains {
            $0.identifier == evidence.identifier && $0.bundlePath == evidence.bundlePath && $0.origin != nil
        }
    }

    /// Notes an end that an earlier process has written down, unless that process has counted it.
    ///
    /// - Returns: whether the end is in the file now.
    func noteMissed(_ death: Death, of evidence: Entry, _ limit: QuarantineList.Limit) -> Bool {
        list.change(.missedDeath(evidence, death, limit))
        return isSaved
    }

    /// Whether ends count in this process: not in a ``TrialRun``.
    package var counts: Bool { application.flatMap { TrialRun(of: $0) } == nil }

    /// The directory of ``StrikeNotes``; nil if there is no file.
    package var strikesPath: String? { path.map { Path.join(Path.parent($0), "strikes") } }

    /// Why a bundle must not be used, or nil.
    package func finding(about plugin: PluginInfo) -> PluginFinding? {
        let path = plugin.originalPath
        return entries.first { $0.holds(for: plugin.identifier, at: path) }?
            .finding(at: path, application: application)
    }
}

import Glibc
internal import PluginABI
internal import PropertyLists

/// What the user of an application allowed its plug-ins to reach, kept from one start to the next.
///
/// The application shows the user what a plug-in asks for, and keeps the answer here:
///
/// ```swift
/// let consents = PluginConsents.of(application: "workbench")
/// HostEnvironment.current.isolation.grant = { plugin, _ in consents.allowed(plugin) }
///
/// if !consents.unanswered(plugin).isEmpty {
///     consents.give(await answer(about: plugin.permissions), to: plugin)
/// }
/// ```
///
/// A consent belongs to the bundle of an identifier at a path, and to what that bundle asked for then. An update that asks
/// for more keeps what was allowed, and gets no more until the user has answered again: ``unanswered(_:)`` is the
/// difference, and ``PluginCatalog/explanation(of:)`` names it. A refusal is a consent to nothing, so that nobody is asked
/// the same twice.
///
/// The file is `consents` in the application's directory in `$XDG_STATE_HOME`, by default `~/.local/state`: a property list
/// that is replaced as a whole. If it is damaged, the plug-ins get nothing until the user has answered again, and the next answer
/// keeps it as `consents.damaged`. Several processes may change it at the same time; each waits for the others for one second at
/// most. What cannot be written is logged, holds in this process, and is written with the next change.
///
/// A sandboxed plug-in cannot change the file. An isolated one, and one in the application's process, has the rights of the
/// user, and permissions mean nothing there.
///
/// **Threads.** Every member may be used on any thread. **Cost.** Each use reads the file.
public final class PluginConsents: Sendable {
    /// The answer of a user about one plug-in.
    public struct Consent: Sendable, Hashable {
        /// The identifier of the plug-in.
        public let identifier: String
        /// The absolute path of its bundle.
        public let bundlePath: String
        /// What it asked for.
        public let asked: PluginPermissions
        /// What the user allowed.
        public let allowed: PluginPermissions
    }

    /// The file, whether it exists or not; nil if the user has no home directory.
    public let path: String?
    private let state = Lock(State())

    private struct State {
        /// What could not be written, in order.
        var pending: [ConsentList.Change] = []
        /// Why the file could not be read at the last use.
        var unread: PluginFinding?
        /// Why the last change could not be written.
        var unwritten: PluginFinding?

        var findings: [PluginFinding] { [unread, unwritten].compactMap(\.self) }
    }

    /// The most bytes that a file may have: enough for 1,000 plug-ins that each ask for all they may.
    private static let mostBytes = 16 << 20

    private static let known = Lock<[String: PluginConsents]>([:])

    private init(path: String?) { self.path = path }

    /// The consents of the user who runs this process, for an application.
    ///
    /// - Parameter application: the name of the application's directories: one path component.
    /// - Returns: the same object for the same file.
    public static func of(application: String) -> PluginConsents {
        at(ApplicationState.directory(of: application).map { Path.join($0, fileName) })
    }

    /// The consents in a file.
    static func at(_ path: String?) -> PluginConsents {
        known.withLock { known in
            if let consents = known[path ?? ""] { return consents }
            let consents = PluginConsents(path: path)
            known[path ?? ""] = consents
            return consents
        }
    }

    static let fileName = "consents"

    // MARK: Content

    /// All answers.
    public var consents: [Consent] { use { state in read(&state).list.consents } }

    /// Why the file could not be read at the last use, or a change not be written; empty if nothing is wrong.
    public var findings: [PluginFinding] { state.withLock(\.findings) }

    /// Whether all changes of this process are in the file.
    public var isSaved: Bool { state.withLock(\.pending.isEmpty) }

    /// What the user allowed a plug-in, of what it asks for now.
    ///
    /// - Parameter plugin: the plug-in.
    /// - Returns: the permissions; none if the user has not answered.
    public func allowed(_ plugin: PluginDescription) -> PluginPermissions {
        guard let consent = consent(of: plugin) else { return PluginPermissions() }
        return plugin.permissions.granted(by: consent.allowed, at: Self.places(of: plugin))
    }

    /// What a plug-in asks for, and the user was not asked about.
    ///
    /// - Parameter plugin: the plug-in.
    /// - Returns: the permissions; none if the user has answered about all.
    public func unanswered(_ plugin: PluginDescription) -> PluginPermissions {
        guard let consent = consent(of: plugin) else { return plugin.permissions }
        return plugin.permissions.beyond(consent.asked, at: Self.places(of: plugin))
    }

    /// What an update asks for, and the one before it did not; nil if the user was never asked about the plug-in.
    func added(by plugin: PluginDescription) -> PluginPermissions? {
        consent(of: plugin) == nil ? nil : unanswered(plugin)
    }

    private func consent(of plugin: PluginDescription) -> Consent? {
        consents.first { $0.identifier == plugin.identifier && $0.bundlePath == plugin.bundlePath }
    }

    private static func places(of plugin: PluginDescription) -> PermissionPlaces {
        let host = HostEnvironment.current
        return PermissionPlaces(
            identifier: plugin.identifier, application: host.name, host: host.isolation.directories)
    }

    // MARK: Changes

    /// Keeps what the user allowed a plug-in, in the place of an earlier answer about it.
    ///
    /// It holds from the next start of a worker on.
    ///
    /// - Parameters:
    ///   - permissions: what is allowed; nothing for a refusal. What the plug-in does not ask for is never granted.
    ///   - plugin: the plug-in, with all that it asks for.
    public func give(_ permissions: PluginPermissions, to plugin: PluginDescription) {
        change(
            .give(
                Consent(
                    identifier: plugin.identifier, bundlePath: plugin.bundlePath, asked: plugin.permissions,
                    allowed: permissions)))
    }

    /// Forgets what the user answered about a plug-in.
    ///
    /// A worker that runs keeps what it has; the next one gets nothing.
    ///
    /// - Parameter identifier: the plug-in's identifier.
    /// - Returns: whether there was an answer.
    @discardableResult
    public func withdraw(_ identifier: String) -> Bool {
        guard consents.contains(where: { $0.identifier == identifier }) else { return false }
        change(.withdraw(identifier))
        return true
    }

    private func change(_ change: ConsentList.Change) {
        if let path { OwnFile.makeDirectory(Path.parent(path)) }
        use { state in
            state.pending.append(change)
            let failure: String?
            if let path {
                failure = OwnFile.withLock(on: Path.parent(path), waitingAtMost: .seconds(1)) { isHeld in
                    isHeld
                        ? write(to: path, &state) : "its directory cannot be opened, or another process has locked it"
                }
            } else {
                failure = "the user has no home directory"
            }
            if failure == nil { state.pending = [] }
            state.unwritten = failure.map { Self.unwritten(path ?? Self.fileName, $0) }
        }
    }

    /// Makes the pending changes in the file, while its directory is locked.
    ///
    /// - Returns: why that is not possible, as the end of a sentence; nil if it was done.
    private func write(to path: String, _ state: inout State) -> String? {
        let (list, refusal) = read(&state)
        if let refusal {
            // What somebody else wrote is not written over.
            guard refusal.isDamage else { return "the file there \(refusal.reason)" }
            guard rename(path, path + ".damaged") == 0 else { return describe(errno: errno) }
            state.unread = nil
        }
        return Self.write(list, to: path)
    }

    // MARK: The file

    /// Uses the state, and logs what is wrong since, after the lock.
    private func use<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, new) = state.withLock { state in
            let known = state.findings
            let result = body(&state)
            return (result, state.findings.filter { !known.contains($0) })
        }
        for finding in new { HostEnvironment.log(.warning, "\(finding.message) \(finding.remedy)") }
        return result
    }

    /// The content of the file with what could not be written, and why the file itself is not used.
    private func read(_ state: inout State) -> (list: ConsentList, refusal: OwnFile.Refusal?) {
        var list = ConsentList()
        var refusal: OwnFile.Refusal?
        state.unread = nil
        if let path {
            do throws(OwnFile.Refusal) { list = try Self.read(path) } catch {
                refusal = error
                state.unread = Self.unread(path, error)
            }
        }
        for change in state.pending { list.apply(change) }
        return (list, refusal)
    }

    private static func read(_ path: String) throws(OwnFile.Refusal) -> ConsentList {
        guard let bytes = try OwnFile.bytes(path: path, atMost: mostBytes) else { return ConsentList() }
        let reason: String
        do {
            if let list = ConsentList(try PropertyListReader.read(bytes).value) { return list }
            reason = "is no list of consents"
        } catch {
            reason = "has a fault: \(error)"
        }
        throw OwnFile.Refusal(
            reason: reason, remedy: "Let the application ask the user again: the next answer keeps the file aside.",
            isDamage: true)
    }

    /// Returns why the file could not be written, as the end of a sentence; nil if it was.
    private static func write(_ list: ConsentList, to path: String) -> String? {
        do {
            try FileReplacement().replace(path, with: Array(try PropertyListWriter.xml(list.list).utf8))
            FileReplacement.removeLeftovers(of: path)
            return nil
        } catch let error as FileReplacement.Failure {
            return describe(errno: error.errno)
        } catch {
            return "\(error)"
        }
    }

    private static func unread(_ path: String, _ refusal: OwnFile.Refusal) -> PluginFinding {
        PluginFinding(
            .warning, .consentsUnusable, filePath: path,
            message: """
                What the user allowed the plug-ins cannot be read, so they get nothing: the file \(quoted(path)) \
                \(refusal.reason.asSentence)
                """,
            remedy: refusal.remedy)
    }

    private static func unwritten(_ path: String, _ reason: String) -> PluginFinding {
        PluginFinding(
            .warning, .consentsUnusable, filePath: path,
            message: """
                An answer about what a plug-in may reach was not written to \(quoted(path)) (\(reason)); it holds in this \
                process and is written with the next one.
                """,
            remedy: "Make the directory writable for the user.")
    }
}

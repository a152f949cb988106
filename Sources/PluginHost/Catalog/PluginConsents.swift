import HostBasics
import HostRecords
internal import PluginABI
@_spi(Tools) import PluginWorkers

/// The user's consents: what the plug-ins of an application may reach.
///
/// They are kept from one start to the next.
///
/// The application shows the user which permissions a plug-in requests, and stores the answer here:
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
/// A consent belongs to the bundle with an identifier at a path, and to the permissions that the bundle requested at
/// that time. An update that requests more keeps the allowed permissions, and gets no more until the user has answered
/// again: ``unanswered(_:)`` is the difference, and ``PluginCatalog/explanation(of:)`` names it. A refusal is a consent
/// to nothing, so that the user is not asked the same question twice.
///
/// The file is `consents` in the application's directory in `$XDG_STATE_HOME`, by default `~/.local/state`: a property
/// list that is replaced as a whole. If it is damaged, the plug-ins get nothing until the user has answered again, and
/// the next answer keeps the damaged file as `consents.damaged`. Several processes may change the file at the same
/// time; each waits for the others for at most one second. A change that cannot be written is logged, applies in this
/// process, and is written at the next use.
///
/// A sandboxed plug-in cannot change the file. A plug-in that is isolated or runs in the application's process has the
/// rights of the user, so permissions do not restrict it.
///
/// **Threads.** Every member may be used on any thread. **Cost.** Each use reads the file.
public final class PluginConsents: Sendable {
    /// The answer of a user about one plug-in.
    public struct Consent: Sendable, Hashable {
        /// The identifier of the plug-in.
        public let identifier: String
        /// The absolute path of its bundle.
        public let bundlePath: String
        /// The permissions that it requested.
        public let asked: PluginPermissions
        /// The permissions that the user allowed.
        public let allowed: PluginPermissions
    }

    private let list: KeptList<ConsentList>

    /// The file, whether it exists or not; nil if the user has no home directory.
    public var path: String? { list.path }

    private static let known = Lock<[String: PluginConsents]>([:])

    private init(path: String?) {
        list = KeptList(
            path: path,
            ListWords(
                code: .consentsUnusable, subject: "The answers about what plug-ins may reach, in",
                noList: "is no list of consents", safest: "So the plug-ins get nothing.",
                remedy: "Let the application ask the user again.",
                change: "An answer about what a plug-in may reach", severity: .warning),
            // An older answer may allow permissions that were withdrawn since.
            hasCopy: false)
    }

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
    public var consents: [Consent] { list.content.consents }

    /// Why the file could not be read at the last use, why a change could not be written, and the damaged file that
    /// this process kept; empty if there is no fault.
    public var findings: [PluginFinding] { list.findings }

    /// Whether all changes of this process are in the file.
    public var isSaved: Bool { list.isSaved }

    /// The permissions that the user allowed, of those that a plug-in requests now.
    ///
    /// - Parameter plugin: the plug-in.
    /// - Returns: the permissions; none if the user has not answered.
    public func allowed(_ plugin: PluginDescription) -> PluginPermissions {
        guard let consent = consent(of: plugin) else { return PluginPermissions() }
        return plugin.permissions.granted(by: consent.allowed, at: Self.places(of: plugin))
    }

    /// The permissions that a plug-in requests and about which the user was not asked.
    ///
    /// - Parameter plugin: the plug-in.
    /// - Returns: the permissions; none if the user has answered about all of them.
    public func unanswered(_ plugin: PluginDescription) -> PluginPermissions {
        guard let consent = consent(of: plugin) else { return plugin.permissions }
        return plugin.permissions.beyond(consent.asked, at: Self.places(of: plugin))
    }

    /// The part of permissions that a plug-in does not request, so that allowing them would have no effect.
    @_spi(Tools) public func unrequested(_ permissions: PluginPermissions, by plugin: PluginDescription)
        -> PluginPermissions
    {
        permissions.beyond(plugin.permissions, at: Self.places(of: plugin))
    }

    /// The permissions that an update requests and its predecessor did not; nil if the user was never asked about the
    /// plug-in.
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

    /// Stores which permissions the user allowed a plug-in, in place of an earlier answer about it.
    ///
    /// It takes effect at the next start of a worker.
    ///
    /// - Parameters:
    ///   - permissions: the allowed permissions; none for a refusal. Permissions that the plug-in does not request are
    ///     never granted.
    ///   - plugin: the plug-in, with all permissions that it requests.
    public func give(_ permissions: PluginPermissions, to plugin: PluginDescription) {
        list.change(
            .give(
                Consent(
                    identifier: plugin.identifier, bundlePath: plugin.bundlePath, asked: plugin.permissions,
                    allowed: permissions)))
    }

    /// Lets plug-ins take over the answers about older identifiers of them, if there is one for a bundle in the same
    /// folder, and none about the plug-in itself.
    ///
    /// What a plug-in requests in addition stays unanswered.
    func takeOver(_ replacements: [PluginReplacement]) {
        if replacements.isEmpty { return }
        let known = Dictionary(grouping: consents, by: \.identifier)
        for replacement in replacements {
            let (old, plugin) = (replacement.old, replacement.plugin)
            guard let answers = known[old], answers.contains(where: { $0.isTakenOver(old, at: plugin.bundlePath) }),
                !(known[plugin.identifier] ?? []).contains(where: { $0.bundlePath == plugin.bundlePath })
            else { continue }
            list.change(.takeOver(old, by: plugin.identifier, at: plugin.bundlePath))
        }
    }

    /// Forgets the user's answer about a plug-in.
    ///
    /// A running worker keeps its permissions; the next one gets none.
    ///
    /// - Parameter identifier: the plug-in's identifier.
    /// - Returns: whether there was an answer.
    @discardableResult
    public func withdraw(_ identifier: String) -> Bool {
        guard consents.contains(where: { $0.identifier == identifier }) else { return false }
        list.change(.withdraw(identifier))
        return true
    }
}

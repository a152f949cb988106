internal import PluginABI
internal import PropertyLists
import Synchronization

/// How safely the plug-ins of an application must run at least, as the administrator of the machine decided.
///
/// The file is `execution` in the application's directory in `$XDG_CONFIG_DIRS`, by default `/etc/xdg`: a property list
/// whose dictionary `Plugins` has `isolated` or `sandboxed` for the identifiers of plug-ins, and under `*` for all of them.
/// If several directories have one, the safest word counts.
///
/// It is read once, when the name of the application becomes known, as for its ``Quarantine``. If a file cannot be used,
/// every plug-in is sandboxed: nobody knows which ones the administrator meant.
struct ExecutionList: Sendable, Equatable {
    /// By identifier.
    private var executions: [String: PluginExecution] = [:]
    private static let everyPlugin = "*"
    private static let mostBytes = 1 << 20

    /// That of the application; nil if its name is not known.
    private static let current = Lock<(application: String, list: ExecutionList)?>(nil)

    // MARK: Use

    /// Where a bundle must run at least.
    ///
    /// **Cost.** Reading one number, unless there is such a file.
    static func demand(for bundle: PluginBundle) -> PluginExecution {
        guard HostEnvironment.placementDeciders.load(ordering: .acquiring) & HostEnvironment.listDecides != 0
        else { return .inProcess }
        return current.withLock { $0?.list }?.demand(for: bundle.displayIdentifier) ?? .inProcess
    }

    func demand(for identifier: String) -> PluginExecution {
        [identifier, Self.everyPlugin].compactMap { executions[$0] }.max() ?? .inProcess
    }

    /// Reads the list of an application, unless it was read last; nil forgets it.
    static func use(of application: String?) {
        if let application, current.withLock({ $0?.application }) == application { return }
        let list = application.map(ExecutionList.init(of:))
        current.withLock { current in
            current = application.flatMap { name in list.map { (name, $0) } }
            if list?.executions.isEmpty ?? true {
                HostEnvironment.placementDeciders.bitwiseAnd(~HostEnvironment.listDecides, ordering: .releasing)
            } else {
                HostEnvironment.placementDeciders.bitwiseOr(HostEnvironment.listDecides, ordering: .releasing)
            }
        }
    }

    // MARK: Reading

    /// The list of an application.
    init(of application: String) {
        self.init(
            paths: UserDirectories.process.systemConfiguration.map { Path.join($0, application + "/execution") })
    }

    /// The files in order; a missing one is no error, and one that cannot be used is logged.
    private init(paths: [String]) {
        for path in paths {
            let found: [String: PluginExecution]
            do throws(OwnFile.Refusal) {
                found = try Self.read(path)
            } catch {
                found = [Self.everyPlugin: .sandboxed]
                HostEnvironment.log(
                    .warning,
                    """
                    The administrator's list \(quoted(path)) cannot be used, so every plug-in must run sandboxed: the file \
                    \(error.reason.asSentence) \(error.remedy)
                    """)
            }
            executions.merge(found) { max($0, $1) }
        }
    }

    private static func read(_ path: String) throws(OwnFile.Refusal) -> [String: PluginExecution] {
        guard let bytes = try OwnFile.bytes(path: path, atMost: mostBytes) else { return [:] }
        let list: PropertyList
        do {
            list = try PropertyListReader.read(bytes).value
        } catch {
            throw damage("has a fault: \(error)")
        }
        guard let items = list.dictionary?["Plugins"]?.dictionary else { throw damage("has no dictionary “Plugins”") }
        var executions: [String: PluginExecution] = [:]
        for (identifier, value) in items {
            guard let execution = value.string.flatMap(PluginExecution.init(_:)), execution != .inProcess else {
                throw damage("has another value than “isolated” or “sandboxed” for \(quoted(identifier))")
            }
            executions[identifier] = execution
        }
        return executions
    }

    private static func damage(_ reason: String) -> OwnFile.Refusal {
        OwnFile.Refusal(
            reason: reason, remedy: "Mend it, for example: { Plugins = { \"org.example.One\" = isolated; }; }",
            isDamage: true)
    }
}

import BundleReading
package import HostBasics
import HostLogging
package import PluginABI
package import PropertyLists

/// The least safe way in which the plug-ins of an application may run, as the administrator of the machine decided.
///
/// The file is `execution` in the application's directory in `$XDG_CONFIG_DIRS`, by default `/etc/xdg`: a property list
/// whose dictionary `Plugins` maps identifiers of plug-ins, or `*` for all of them, to `isolated` or `sandboxed`. If
/// several directories have such a file, the safest word applies.
///
/// It is read once, when the name of the application becomes known, as for its ``Quarantine``. If a file cannot be
/// used, every plug-in is sandboxed, because it is unknown which ones the administrator meant.
package struct ExecutionList: KeptContent {
    /// The decisions by identifier.
    private var executions: [String: PluginExecution] = [:]
    private static let key = "Plugins"

    /// The list of the application; nil if its name is not known.
    private static let current = Lock<(application: String, list: ExecutionList)?>(nil)

    // MARK: Use

    /// The least safe way in which a plug-in may run, by the list of the application.
    ///
    /// **Cost.** Reads one number, unless there is such a file.
    ///
    /// `former`: its older identifiers, for which a demand holds too.
    package static func currentDemand(
        for identifier: @autoclosure () -> String, formerly former: @autoclosure () -> [String] = []
    ) -> PluginExecution {
        guard PlacementDecider.list.isPresent else { return .inProcess }
        return current.withLock { $0?.list }?.demand(for: identifier(), formerly: former()) ?? .inProcess
    }

    /// The least safe way in which a plug-in may run.
    ///
    /// `former`: its older identifiers, for which a demand holds too.
    package func demand(for identifier: String, formerly former: [String] = []) -> PluginExecution {
        ([identifier, Self.everyPlugin] + former).compactMap { executions[$0] }.max() ?? .inProcess
    }

    /// Reads the list of an application, unless it was the last one read; nil forgets the list.
    static func use(of application: String?) {
        if let application, current.withLock({ $0?.application }) == application { return }
        let list = application.map { application in
            let (list, _, findings) = read(of: application)
            for finding in findings { HostLog.write(.error, "\(finding.message) \(finding.remedy)") }
            return list
        }
        current.withLock { current in
            current = application.flatMap { name in list.map { (name, $0) } }
            PlacementDecider.list.note(isPresent: !(list?.executions.isEmpty ?? true))
        }
    }

    // MARK: Reading

    /// The lists for an application, merged into one, the list of each file, and the findings about the files.
    package static func read(
        of application: String
    ) -> (list: ExecutionList, files: [(path: String, content: ExecutionList)], findings: [PluginFinding]) {
        let lists = AdministratorLists<ExecutionList>(
            "execution", of: application,
            ListWords(
                code: .executionListUnusable, subject: "The administrator's list of where plug-ins run, in",
                noList: """
                    has no dictionary “\(key)” with “isolated” or “sandboxed” for identifiers
                    """,
                safest: "So every plug-in must run sandboxed.",
                remedy: """
                    Ask the administrator to mend it, for example: { Plugins = { "org.example.One" = isolated; }; }
                    """))
        let (contents, findings) = lists.read()
        var all = ExecutionList()
        for (_, list) in contents { all.executions.merge(list.executions) { max($0, $1) } }
        return (all, contents, findings)
    }

    /// The identifiers in the list, sorted; ``everyPlugin`` stands for every plug-in.
    package var identifiers: [String] { executions.keys.sorted() }

    package init() {}

    package init?(_ list: PropertyList) {
        guard let items = list.dictionary?[Self.key]?.dictionary else { return nil }
        for (identifier, value) in items {
            guard let execution = Self.execution(value) else { return nil }
            executions[identifier] = execution
        }
    }

    private static func execution(_ value: PropertyList) -> PluginExecution? {
        value.string.flatMap(PluginExecution.init(_:)).flatMap { $0 == .inProcess ? nil : $0 }
    }

    package static func fault(in list: PropertyList) -> String? {
        let wrong = (list.dictionary?[key]?.dictionary ?? [:]).filter { execution($0.value) == nil }
        guard let (identifier, value) = wrong.min(by: { $0.key < $1.key }) else { return nil }
        let more = wrong.count > 1 ? " and for \(wrong.count - 1) more" : ""
        return """
            has \(value.string.map(quoted) ?? value.typeName) for \(quoted(identifier))\(more); it can only have “isolated” or \
            “sandboxed”
            """
    }

    package var list: PropertyList {
        .dictionary([Self.key: .dictionary(executions.mapValues { .string($0.description) })])
    }

    /// Only the administrator changes the list, with an editor.
    package mutating func apply(_ change: Never) {}

    package static var safest: ExecutionList {
        var list = ExecutionList()
        list.executions = [everyPlugin: .sandboxed]
        return list
    }
}

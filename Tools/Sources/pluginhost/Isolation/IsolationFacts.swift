@_spi(Tools) import PluginHost

/// Where a bundle's code may run, and the permissions and limits that it asks for.
struct IsolationFacts {
    private let manifest: Manifest
    private let bundle: PluginBundle

    init(_ bundle: PluginBundle) {
        manifest = bundle.manifest
        self.bundle = bundle
    }

    /// The members of a JSON object.
    ///
    /// All are null if there is no bundle.
    static func members(_ bundle: PluginBundle?) -> [String: JSONValue] {
        let facts = bundle.map(IsolationFacts.init)
        return [
            "execution": JSONValue(facts?.manifest.execution), "permissions": facts?.permissions ?? .null,
            "limits": facts?.limits ?? .null,
        ]
    }

    private var permissions: JSONValue {
        let asked = manifest.permissions
        let network: JSONValue =
            switch asked.network {
            case .none: .string("none")
            case .any: .string("any")
            case .ports(let connect, let listen):
                .object(
                    ["connect": connect, "listen": listen].mapValues { .array($0.sorted().map { .integer(Int($0)) }) })
            }
        return .object([
            "files": .array(
                asked.files.map { .object(["path": .string($0.path), "access": .string($0.access.rawValue)]) }),
            "network": network, "processes": .bool(asked.processes),
            "devices": JSONValue(asked.devices.sorted()), "environment": JSONValue(asked.environment.sorted()),
            "reasons": .object(reasons.mapValues { .string($0) }),
        ])
    }

    /// The reasons for permissions, in the user's language.
    private var reasons: [String: String] {
        let known = manifest.permissions.names.compactMap { name in
            bundle.reason(forPermission: name.rawValue).map { (name.rawValue, $0) }
        }
        return Dictionary(uniqueKeysWithValues: known)
    }

    private var limits: JSONValue {
        let limits = manifest.limits
        return .object(
            Dictionary(
                uniqueKeysWithValues: WorkerLimits.Name.allCases.map { name in
                    (name.rawValue, limits[name].map(JSONValue.integer) ?? .null)
                }))
    }

    // MARK: Text

    /// “memory 1024, threads 8”: the limits that differ from the defaults.
    private var limitWords: String {
        let limits = manifest.limits, standard = WorkerLimits()
        return WorkerLimits.Name.allCases.filter { limits[$0] != standard[$0] }
            .map { "\($0.rawValue) \(limits[$0].map(String.init) ?? "none")" }.joined(separator: ", ")
    }

    /// “sandboxed, asks for files and network, memory 1024”, for a cell of a table.
    var words: String {
        let names = manifest.permissions.names.map(\.rawValue)
        let parts = [
            manifest.execution, names.isEmpty ? nil : "asks for " + names.joined(separator: ", "),
            limitWords.isEmpty ? nil : limitWords,
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }

    func write(to page: inout Page) {
        page.field("Execution", manifest.execution)
        page.field("Limits", limitWords)
        let asked = manifest.permissions
        if asked.isEmpty { return }
        page.line(("Asks for", .faint), indent: 2)
        page.table(
            asked.names.map { name in
                [name.rawValue, Self.words(name, asked), reasons[name.rawValue].map { "“\($0)”" } ?? ""]
            }, indent: 4)
    }

    private static func words(_ name: PluginPermissions.Name, _ asked: PluginPermissions) -> String {
        switch name {
        case .files: asked.files.map { "\($0.path) (\($0.access.rawValue))" }.joined(separator: ", ")
        case .network:
            switch asked.network {
            case .none: ""
            case .any: "any"
            case .ports(let connect, let listen):
                [("connect to", connect), ("listen on", listen)].filter { !$0.1.isEmpty }.map { verb, ports in
                    "\(verb) \(ports.sorted().map(String.init).joined(separator: ", "))"
                }.joined(separator: "; ")
            }
        case .processes: "starts programs"
        case .devices: asked.devices.sorted().joined(separator: ", ")
        case .environment: asked.environment.sorted().joined(separator: ", ")
        }
    }
}

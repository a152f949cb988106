@_spi(Tools) import PluginHost

/// Where a bundle's code runs and why, and the permissions and limits that it asks for.
struct IsolationFacts {
    private let manifest: Manifest
    private let bundle: PluginBundle
    private let placement: PlacementReasons
    private let hasCode: Bool

    /// `sources`: the lists of the application.
    init(_ bundle: PluginBundle, _ sources: PlacementSources) {
        manifest = bundle.manifest
        self.bundle = bundle
        placement = sources.reasons(for: bundle)
        hasCode = bundle.manifest.executable != nil || bundle.executablePath != nil
    }

    /// The members of a JSON object.
    ///
    /// All are null if there is no bundle.
    static func members(_ facts: IsolationFacts?) -> [String: JSONValue] {
        [
            "execution": JSONValue(facts?.manifest.execution), "permissions": facts?.permissions ?? .null,
            "limits": facts?.limits ?? .null, "placement": facts?.placement.json ?? .null,
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
        let execution = placement.execution == .inProcess ? manifest.execution : placement.execution.description
        let parts = [
            placement.isConflict ? "does not load" : execution,
            names.isEmpty ? nil : "asks for " + names.joined(separator: ", "),
            limitWords.isEmpty ? nil : limitWords,
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }

    func write(to page: inout Page) {
        if hasCode || !placement.reasons.isEmpty { placement.write(to: &page) }
        // Any other value is one of the reasons.
        if manifest.execution == "any" { page.field("Execution", "any") }
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

extension PluginPermissions {
    /// Permissions in the spelling of ``items``, as a part of a sentence.
    static func listed(_ items: [String]) -> String { items.isEmpty ? "nothing" : items.joined(separator: ", ") }
}

extension PlacementReasons {
    var json: JSONValue {
        .object([
            "execution": .string(execution.description), "conflict": .bool(isConflict),
            "reasons": .array(
                reasons.map {
                    .object([
                        "by": .string($0.decider.rawValue), "execution": .string($0.execution.description),
                        "explanation": .string($0.sentence),
                    ])
                }),
            "granted": granted.map { JSONValue($0) } ?? .null,
        ])
    }

    /// Where the code runs, and every decision that led to it.
    var sentences: [String] {
        let granted = granted.map {
            "When it last ran in a process of its own, the application granted it: \(PluginPermissions.listed($0))."
        }
        let conflict =
            isConflict ? "These decisions contradict one another, so the application does not load it." : nil
        return reasons.map(\.sentence) + [conflict, granted].compactMap(\.self)
    }

    func write(to page: inout Page) {
        page.field("Runs", summary)
        for sentence in sentences { page.paragraph(sentence, indent: 4) }
    }
}

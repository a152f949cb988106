import PluginHost

extension PluginBundle.Registration {
    var json: JSONValue {
        .object([
            "kind": .string(kindName), "name": .string(name), "extensionPoint": JSONValue(extensionPoint),
            "version": extensionVersion.map { .integer(Int($0)) } ?? .null,
            "order": order.map(JSONValue.integer) ?? .null, "signature": JSONValue(signature?.description),
        ])
    }

    /// For a table.
    var row: [String] {
        let point = extensionPoint.map { point in extensionVersion.map { "\(point) \($0)" } ?? point }
        return [kindName, name, point ?? signature?.description ?? ""]
    }

    private var kindName: String { kind == .pluginClass ? "class" : kind.rawValue }
}

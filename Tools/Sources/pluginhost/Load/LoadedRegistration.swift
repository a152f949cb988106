import PluginHost

/// A registration of a bundle's code, as the child that loaded the bundle reports it.
struct LoadedRegistration: Codable {
    let kind: String
    let name: String
    let extensionPoint: String?
    let version: UInt32?
    let order: Int?
    let signature: String?
    /// Whether Info.plist declares it, so that a catalogue lists it; nil without an extension point.
    let isListed: Bool?

    init(_ registration: PluginBundle.Registration, isListed: Bool?) {
        self.isListed = isListed
        kind = registration.kind == .pluginClass ? "class" : registration.kind.rawValue
        name = registration.name
        extensionPoint = registration.extensionPoint
        version = registration.extensionVersion
        order = registration.order
        signature = registration.signature?.description
    }

    var json: JSONValue {
        .object([
            "kind": .string(kind), "name": .string(name), "extensionPoint": JSONValue(extensionPoint),
            "version": version.map { .integer(Int($0)) } ?? .null, "order": order.map(JSONValue.integer) ?? .null,
            "signature": JSONValue(signature), "listed": isListed.map(JSONValue.bool) ?? .null,
        ])
    }

    /// The cells of a table.
    var row: [String] {
        let point = extensionPoint.map { point in version.map { "\(point) \($0)" } ?? point }
        return [kind, name, point ?? signature ?? ""]
    }
}

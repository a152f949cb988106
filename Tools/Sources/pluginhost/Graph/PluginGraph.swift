import PluginHost

/// The plug-ins of a catalogue and their connections: what they require, the extension points at which they offer something
/// or that they open to others, and the services that they use.
struct PluginGraph {
    struct Node {
        enum Kind: String {
            /// A plug-in in use.
            case plugin
            /// A bundle that is not used because a requirement is not met.
            case unused
            /// An identifier that is required and not used.
            case missing
            /// An extension point.
            case point
        }

        let kind: Kind
        /// The identifier, or the extension point's name.
        let name: String
        /// The version of the plug-in, or of the extension point's interface.
        let version: String?
        /// The display name.
        let displayName: String?
        /// Why it is not used.
        let reason: String?
        let path: String?
    }

    struct Edge {
        enum Kind: String, CaseIterable {
            /// From a plug-in to one that it requires.
            case requires
            /// From a plug-in to an extension point at which it offers something.
            case offers
            /// From a plug-in to an extension point that it opens to others.
            case opens
            /// From a plug-in to the extension point whose service it uses.
            case uses
        }

        let kind: Kind
        let from: Int
        let to: Int
        /// The version range, or the names of what is offered.
        let label: String
    }

    private(set) var nodes: [Node] = []
    private(set) var edges: [Edge] = []
    private var plugins: [String: Int] = [:]
    private var points: [String: Int] = [:]

    init(_ catalog: PluginCatalog) {
        let used = catalog.plugins.map(\.candidate)
        let identifiers = Set(used.map(\.identifier))
        let unused = catalog.candidates.filter { $0.verdict == .unresolved && !identifiers.contains($0.identifier) }
        let bundles = (used + unused).map { CandidateFacts($0) }
        for facts in bundles where plugins[facts.candidate.identifier] == nil {
            let candidate = facts.candidate
            plugins[candidate.identifier] = nodes.count
            let isUsed = candidate.verdict == .usable
            nodes.append(
                Node(
                    kind: isUsed ? .plugin : .unused, name: candidate.identifier, version: candidate.version,
                    displayName: facts.displayName, reason: isUsed ? nil : candidate.explanation, path: candidate.path))
        }
        for facts in bundles where nodes[plugins[facts.candidate.identifier]!].path == facts.candidate.path {
            join(facts, catalog)
        }
    }

    private mutating func join(_ facts: CandidateFacts, _ catalog: PluginCatalog) {
        guard let manifest = facts.manifest, let from = plugins[facts.candidate.identifier] else { return }
        for (identifier, range) in manifest.requires.sorted(by: { $0.key < $1.key }) {
            edges.append(Edge(kind: .requires, from: from, to: plugin(identifier, catalog), label: range.description))
        }
        for point in manifest.extensionPoints {
            edges.append(Edge(kind: .opens, from: from, to: self.point(point.name, point.version, point), label: ""))
        }
        var offers: [(point: Int, names: [String])] = []
        for factory in manifest.extensions {
            guard let name = factory.extensionPoint else { continue }
            let point = self.point(name, factory.version)
            if let known = offers.firstIndex(where: { $0.point == point }) {
                offers[known].names.append(factory.name)
            } else {
                offers.append((point, [factory.name]))
            }
        }
        for offer in offers {
            edges.append(
                Edge(kind: .offers, from: from, to: offer.point, label: offer.names.joined(separator: ", ")))
        }
        for (name, version) in manifest.uses.sorted(by: { $0.key < $1.key }) {
            edges.append(Edge(kind: .uses, from: from, to: point(name, version), label: ""))
        }
    }

    private mutating func plugin(_ identifier: String, _ catalog: PluginCatalog) -> Int {
        if let known = plugins[identifier] { return known }
        let candidate = catalog.explanation(of: identifier).candidates.first
        plugins[identifier] = nodes.count
        nodes.append(
            Node(
                kind: .missing, name: identifier, version: candidate?.version, displayName: nil,
                reason: candidate.map { "it is \($0.verdict.words)" } ?? "it is missing", path: candidate?.path))
        return nodes.count - 1
    }

    private mutating func point(_ name: String, _ version: UInt32, _ opened: Manifest.Point? = nil) -> Int {
        let key = "\(version) \(name)"
        if let known = points[key] { return known }
        points[key] = nodes.count
        nodes.append(
            Node(
                kind: .point, name: name, version: "\(version)", displayName: opened?.displayName, reason: nil,
                path: nil))
        return nodes.count - 1
    }

    /// The edges of a kind that leave a node, or enter one.
    func edges(_ kind: Edge.Kind, from node: Int) -> [Edge] { edges.filter { $0.kind == kind && $0.from == node } }
    func edges(_ kind: Edge.Kind, to node: Int) -> [Edge] { edges.filter { $0.kind == kind && $0.to == node } }
}

extension PluginGraph.Node {
    /// “org.example.Charts 1.0”.
    var title: String { version.map { "\(name) \($0)" } ?? name }
}

extension PluginGraph {
    var members: [String: JSONValue] {
        [
            "nodes": .array(
                nodes.enumerated().map { number, node in
                    .object([
                        "id": .integer(number), "kind": .string(node.kind.rawValue), "name": .string(node.name),
                        "version": JSONValue(node.version), "displayName": JSONValue(node.displayName),
                        "reason": JSONValue(node.reason), "path": JSONValue(node.path),
                    ])
                }),
            "edges": .array(
                edges.map { edge in
                    .object([
                        "kind": .string(edge.kind.rawValue), "from": .integer(edge.from), "to": .integer(edge.to),
                        "label": .string(edge.label),
                    ])
                }),
        ]
    }
}

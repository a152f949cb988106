import PluginHost

/// The plug-ins of a catalogue and their connections: the plug-ins that they require, the extension points that they
/// extend or open to others, and the services that they use.
struct PluginGraph {
    struct Node {
        enum Kind: String {
            /// A plug-in in use.
            case plugin
            /// A bundle that is not used because a requirement is not met.
            case unused
            /// A required identifier whose plug-in is not in use.
            case missing
            /// An extension point.
            case point
        }

        let kind: Kind
        /// The plug-in's identifier, or the extension point's name.
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
            /// From a plug-in to an extension point for which it has extensions.
            case offers
            /// From a plug-in to an extension point that it opens to others.
            case opens
            /// From a plug-in to the extension point whose service it uses.
            case uses
        }

        let kind: Kind
        let from: Int
        let to: Int
        /// The version range, or the names of the extensions.
        let label: String
    }

    private(set) var nodes: [Node] = []
    private(set) var edges: [Edge] = []
    private var plugins: [String: Int] = [:]
    private var points: [String: Int] = [:]
    /// For each node, the indices of the edges that leave it, and of those that enter it.
    private var leaving: [[Int]] = []
    private var entering: [[Int]] = []

    /// The declarations of a bundle in the graph.
    private struct Declarations {
        let node: Int
        let requires: [(identifier: String, range: VersionRange)]
        let opens: [Manifest.Point]
        let offers: [Manifest.Extension]
        let uses: [(point: String, version: UInt32)]

        init(_ manifest: Manifest, of node: Int) {
            self.node = node
            requires = manifest.requires.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            opens = manifest.extensionPoints
            offers = manifest.extensions
            uses = manifest.uses.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    init(_ catalog: PluginCatalog) {
        let all = catalog.candidates
        let used = all.filter { $0.verdict == .usable }
        let identifiers = Set(used.map(\.identifier))
        let unused = all.filter { $0.verdict == .unresolved && !identifiers.contains($0.identifier) }
        var declarations: [Declarations] = []
        for candidate in used.sorted(by: { $0.identifier < $1.identifier }) + unused
        where plugins[candidate.identifier] == nil {
            let node = nodes.count
            plugins[candidate.identifier] = node
            // Do not keep this: thousands of open bundles would fill the memory.
            let facts = CandidateFacts(candidate)
            let isUsed = candidate.verdict == .usable
            nodes.append(
                Node(
                    kind: isUsed ? .plugin : .unused, name: candidate.identifier, version: candidate.version,
                    displayName: facts.displayName, reason: isUsed ? nil : candidate.explanation, path: candidate.path))
            if let manifest = facts.manifest { declarations.append(Declarations(manifest, of: node)) }
        }
        let table = CandidateTable(all)
        for bundle in declarations { join(bundle, table) }
        leaving = Array(repeating: [], count: nodes.count)
        entering = leaving
        for (number, edge) in edges.enumerated() {
            leaving[edge.from].append(number)
            entering[edge.to].append(number)
        }
    }

    private mutating func join(_ bundle: Declarations, _ candidates: CandidateTable) {
        for (identifier, range) in bundle.requires {
            let target = plugin(identifier, candidates)
            edges.append(Edge(kind: .requires, from: bundle.node, to: target, label: range.description))
        }
        for point in bundle.opens {
            let target = self.point(point.name, point.version, point)
            edges.append(Edge(kind: .opens, from: bundle.node, to: target, label: ""))
        }
        var offers: [(point: Int, names: [String])] = []
        var places: [Int: Int] = [:]
        for factory in bundle.offers {
            guard let name = factory.extensionPoint else { continue }
            let point = self.point(name, factory.version)
            if let known = places[point] {
                offers[known].names.append(factory.name)
            } else {
                places[point] = offers.count
                offers.append((point, [factory.name]))
            }
        }
        for offer in offers {
            edges.append(
                Edge(kind: .offers, from: bundle.node, to: offer.point, label: offer.names.joined(separator: ", ")))
        }
        for (name, version) in bundle.uses {
            edges.append(Edge(kind: .uses, from: bundle.node, to: point(name, version), label: ""))
        }
    }

    private mutating func plugin(_ identifier: String, _ candidates: CandidateTable) -> Int {
        if let known = plugins[identifier] { return known }
        let candidate = candidates.first(identifier)
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
    ///
    /// **Cost.** One step for each edge of the node.
    func edges(_ kind: Edge.Kind, from node: Int) -> [Edge] { edges(kind, leaving[node]) }
    func edges(_ kind: Edge.Kind, to node: Int) -> [Edge] { edges(kind, entering[node]) }

    private func edges(_ kind: Edge.Kind, _ numbers: [Int]) -> [Edge] {
        numbers.lazy.map { edges[$0] }.filter { $0.kind == kind }
    }
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

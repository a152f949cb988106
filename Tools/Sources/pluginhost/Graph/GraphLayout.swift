/// Places the nodes of a directed graph in layers from left to right, so that edges go to the right and few cross.
///
/// After Sugiyama, Tagawa and Toda, “Methods for visual understanding of hierarchical system structures” (1981): cycles
/// are broken, each node is placed in the layer after its predecessors, edges over several layers get a joint in each
/// layer, barycentres improve the order in the layers, and heights are chosen so that edges are as straight as the
/// order allows.
struct GraphLayout {
    struct Size {
        var width: Double
        var height: Double
    }

    struct Point {
        var x: Double
        var y: Double
    }

    /// The centre of each node.
    private(set) var centres: [Point] = []
    /// The width of each node.
    ///
    /// All nodes of a layer are as wide as its widest node.
    private(set) var widths: [Double] = []
    /// The points of each edge from start to end: the border of the first node, the left and right side of each layer
    /// in between, and the border of the other node.
    private(set) var paths: [[Point]] = []
    private(set) var size = Size(width: 0, height: 0)

    /// An item of a layer: a node, or the joint of an edge.
    struct Item {
        var node: Int?
        var height: Double
        var before: [Int] = []
        var after: [Int] = []
        var y = 0.0
    }

    private static let gap = 14.0
    private static let jointHeight = 6.0
    /// How many joints there may be for each node and edge.
    ///
    /// If a long chain has many edges over most of its layers, the number of joints would grow with the square of its
    /// length. An edge beyond the limit is drawn as one curve, and nodes do not make room for it.
    private static let jointsPerPart = 16
    /// How many joints there may be in all, because each round of the layout looks at every one.
    private static let mostJoints = 20_000

    private let sizes: [Size]
    var items: [Item] = []
    var layers: [[Int]] = []
    /// The items of each edge from left to right.
    private var chains: [[Int]] = []

    /// - Parameters:
    ///   - sizes: the size of each node.
    ///   - edges: the nodes that each edge connects, as indices. No edge leads from a node to itself.
    init(sizes: [Size], edges: [(from: Int, to: Int)]) {
        self.sizes = sizes
        let forward = Self.withoutCircles(edges, count: sizes.count)
        assignLayers(forward)
        order()
        stack()
        place(edges, forward)
    }

    // MARK: Layers

    /// The edges without cycles: an edge that leads back to a node on the path to it is reversed.
    private static func withoutCircles(
        _ edges: [(from: Int, to: Int)], count: Int
    ) -> [(from: Int, to: Int)] {
        var successors = [[Int]](repeating: [], count: count)
        for (number, edge) in edges.enumerated() { successors[edge.from].append(number) }
        var state = [Int](repeating: 0, count: count)  // 1: on the current path, 2: done
        var result = edges
        for root in 0..<count where state[root] == 0 {
            // An explicit stack: a chain of plug-ins may be longer than the stack of the process.
            var stack: [(node: Int, next: Int)] = [(root, 0)]
            state[root] = 1
            while let (node, next) = stack.last {
                guard next < successors[node].count else {
                    state[node] = 2
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let number = successors[node][next]
                let to = edges[number].to
                if state[to] == 1 { result[number] = (edges[number].to, edges[number].from) }
                if state[to] == 0 {
                    state[to] = 1
                    stack.append((to, 0))
                }
            }
        }
        return result
    }

    private mutating func assignLayers(_ edges: [(from: Int, to: Int)]) {
        var layer = [Int](repeating: 0, count: sizes.count)
        var waiting = [Int](repeating: 0, count: sizes.count)
        var after = [[Int]](repeating: [], count: sizes.count)
        for edge in edges {
            waiting[edge.to] += 1
            after[edge.from].append(edge.to)
        }
        var ready = waiting.indices.filter { waiting[$0] == 0 }
        let sources = ready
        while let node = ready.popLast() {
            for next in after[node] {
                layer[next] = max(layer[next], layer[node] + 1)
                waiting[next] -= 1
                if waiting[next] == 0 { ready.append(next) }
            }
        }
        // A node without incoming edges is placed beside its targets.
        for node in sources { if let nearest = after[node].map({ layer[$0] }).min() { layer[node] = nearest - 1 } }
        items = sizes.map { Item(node: nil, height: $0.height) }
        layers = Array(repeating: [], count: (layer.max() ?? -1) + 1)
        for node in sizes.indices {
            items[node].node = node
            layers[layer[node]].append(node)
        }
        var joints = min(Self.jointsPerPart * (sizes.count + edges.count), Self.mostJoints)
        chains = edges.map { edge in
            let between = layer[edge.from] + 1..<max(layer[edge.to], layer[edge.from] + 1)
            guard between.count <= joints else { return [edge.from, edge.to] }
            joints -= between.count
            var chain = [edge.from]
            for between in between {
                items.append(Item(node: nil, height: Self.jointHeight))
                layers[between].append(items.count - 1)
                chain.append(items.count - 1)
            }
            chain.append(edge.to)
            for (a, b) in zip(chain, chain.dropFirst()) {
                items[a].after.append(b)
                items[b].before.append(a)
            }
            return chain
        }
    }

    // MARK: Heights

    private mutating func stack() {
        for layer in layers {
            var y = 0.0
            for item in layer {
                items[item].y = y + items[item].height / 2
                y += items[item].height + Self.gap
            }
        }
        for round in 0..<16 {
            let isForward = round % 2 == 0
            for layer in isForward ? layers : layers.reversed() {
                settle(
                    layer,
                    layer.map { item in
                        // The last rounds use the neighbours on both sides, so that a node is near all of them.
                        let beside =
                            round >= 12
                            ? items[item].before + items[item].after
                            : isForward ? items[item].before : items[item].after
                        guard !beside.isEmpty else { return items[item].y }
                        return beside.reduce(0) { $0 + items[$1].y } / Double(beside.count)
                    })
            }
        }
        let top = items.map { $0.y - $0.height / 2 }.min() ?? 0
        for item in items.indices { items[item].y -= top }
    }

    /// Puts the items of a layer as close to their wanted heights as the order and sizes allow.
    ///
    /// It minimises the squared distances by pooling neighbours that would overlap (Ayer and others 1955).
    private mutating func settle(_ layer: [Int], _ wanted: [Double]) {
        var offset = 0.0
        var offsets: [Double] = []
        var pools: [(sum: Double, count: Int)] = []
        for (item, wanted) in zip(layer, wanted) {
            let centre = offset + items[item].height / 2
            offsets.append(centre)
            offset += items[item].height + Self.gap
            pools.append((wanted - centre, 1))
            while pools.count > 1 {
                let last = pools[pools.count - 1], other = pools[pools.count - 2]
                guard other.sum / Double(other.count) > last.sum / Double(last.count) else { break }
                pools.removeLast(2)
                pools.append((other.sum + last.sum, other.count + last.count))
            }
        }
        var number = 0
        for pool in pools {
            for _ in 0..<pool.count {
                items[layer[number]].y = offsets[number] + pool.sum / Double(pool.count)
                number += 1
            }
        }
    }

    // MARK: Places

    private mutating func place(_ edges: [(from: Int, to: Int)], _ forward: [(from: Int, to: Int)]) {
        var left: [Double] = []
        var layerWidths: [Double] = []
        var x = 0.0
        for (number, layer) in layers.enumerated() {
            let width = layer.compactMap { items[$0].node.map { sizes[$0].width } }.max() ?? 0
            left.append(x)
            layerWidths.append(width)
            // Many edges need more space between layers.
            let count = layer.reduce(0) { $0 + items[$1].after.count }
            x += width + (number + 1 < layers.count ? min(90 + Double(count) * 1.5, 220) : 0)
        }
        var layerOf = [Int](repeating: 0, count: items.count)
        for (number, layer) in layers.enumerated() { for item in layer { layerOf[item] = number } }
        widths = sizes.indices.map { layerWidths[layerOf[$0]] }
        centres = sizes.indices.map { Point(x: left[layerOf[$0]] + widths[$0] / 2, y: items[$0].y) }
        size = Size(width: x, height: items.map { $0.y + $0.height / 2 }.max() ?? 0)
        let starts = ports { ($0.first!, $0[1]) }
        let ends = ports { ($0.last!, $0[$0.count - 2]) }
        paths = edges.indices.map { number in
            let chain = chains[number]
            var path: [Point] = []
            for item in chain {
                let y = items[item].y
                if let node = items[item].node {
                    let half = widths[node] / 2
                    path.append(
                        path.isEmpty
                            ? Point(x: centres[node].x + half, y: y + starts[number])
                            : Point(x: centres[node].x - half, y: y + ends[number]))
                } else {
                    path.append(Point(x: left[layerOf[item]], y: y))
                    path.append(Point(x: left[layerOf[item]] + layerWidths[layerOf[item]], y: y))
                }
            }
            return edges[number].from == forward[number].from ? path : path.reversed()
        }
    }

    /// How far above or below the centre of its node each edge begins, or ends.
    ///
    /// The edges of a node are side by side, in the order of their other ends, so that a reader can distinguish them.
    /// `side`: returns, from the items of an edge, the node's item and the item next to it.
    private func ports(_ side: ([Int]) -> (node: Int, beside: Int)) -> [Double] {
        var offsets = [Double](repeating: 0, count: chains.count)
        var edgesOf: [Int: [(edge: Int, y: Double)]] = [:]
        for (number, chain) in chains.enumerated() {
            let (node, beside) = side(chain)
            edgesOf[node, default: []].append((number, items[beside].y))
        }
        for (node, edges) in edgesOf {
            let step = min(8, (items[node].height - 12) / Double(edges.count))
            let first = -step * Double(edges.count - 1) / 2
            for (place, edge) in edges.sorted(by: { ($0.y, $0.edge) < ($1.y, $1.edge) }).enumerated() {
                offsets[edge.edge] = first + step * Double(place)
            }
        }
        return offsets
    }
}

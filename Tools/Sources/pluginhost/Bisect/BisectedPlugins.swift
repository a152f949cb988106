import PluginHost

/// The plug-ins among which `pluginhost bisect` looks, with what each of them needs.
///
/// A plug-in needs the plug-ins that it requires, and those that offer a service that it uses. A set in which each
/// plug-in has what it needs is called closed. Only closed sets are tried: otherwise a run could fail because something
/// is missing.
struct BisectedPlugins {
    /// The plug-ins in use, in the order in which they can be loaded.
    let plugins: [PluginDescription]
    /// What each plug-in needs, as places in ``plugins``.
    private let needs: [[Int]]
    /// Which plug-ins need each plug-in.
    private let neededBy: [[Int]]
    /// The plug-ins that are part of every run.
    let kept: Set<Int>
    /// The other plug-ins, each after what it needs; plug-ins that need each other are one group.
    let groups: [[Int]]

    init(_ catalog: PluginCatalog, keeping identifiers: [String]) {
        plugins = catalog.loadOrder
        let places = Dictionary(
            plugins.enumerated().map { ($1.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        needs = plugins.enumerated().map { place, plugin in
            let offering = plugin.uses.flatMap { point, version in
                catalog.extensions(at: point, version: version).map(\.plugin.identifier)
            }
            // A requirement may name an older identifier of a plug-in.
            let required = plugin.requires.keys.compactMap { catalog.plugin($0)?.identifier }
            return Set((required + offering).compactMap { places[$0] }).subtracting([place]).sorted()
        }
        neededBy = Self.reversed(needs)
        let kept = Self.reached(from: Set(identifiers.compactMap { places[$0] }), by: needs)
        self.kept = kept
        groups = Self.groups(needs).map { $0.filter { !kept.contains($0) } }.filter { !$0.isEmpty }
    }

    /// The smallest closed set with some groups, and with what every run has.
    func closedSet(_ numbers: some Sequence<Int>) -> Set<Int> {
        Self.reached(from: Set(numbers.flatMap { groups[$0] }), by: needs).union(kept)
    }

    /// The groups of which no plug-in needs any of some plug-ins, and that are none of these.
    func groups(without places: Set<Int>) -> [Int] {
        let affected = Self.reached(from: places, by: neededBy)
        return groups.indices.filter { affected.isDisjoint(with: groups[$0]) }
    }

    private static func reversed(_ edges: [[Int]]) -> [[Int]] {
        var reversed = [[Int]](repeating: [], count: edges.count)
        for (place, targets) in edges.enumerated() { for target in targets { reversed[target].append(place) } }
        return reversed
    }

    private static func reached(from start: Set<Int>, by edges: [[Int]]) -> Set<Int> {
        var found = start
        var pending = Array(start)
        while let place = pending.popLast() {
            for target in edges[place] where found.insert(target).inserted { pending.append(target) }
        }
        return found
    }

    /// The groups of places that lead to each other, each after those that it leads to.
    ///
    /// Kosaraju's algorithm. It does not recurse, because a chain may be as long as there are plug-ins.
    private static func groups(_ edges: [[Int]]) -> [[Int]] {
        let reversed = reversed(edges)
        var isSeen = [Bool](repeating: false, count: edges.count)
        var finished: [Int] = []
        // From the end, so that groups that do not depend on each other keep their order.
        for start in edges.indices.reversed() where !isSeen[start] {
            isSeen[start] = true
            var path = [(place: start, next: 0)]
            while let (place, next) = path.last {
                guard next < reversed[place].count else {
                    finished.append(place)
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let target = reversed[place][next]
                if !isSeen[target] {
                    isSeen[target] = true
                    path.append((target, 0))
                }
            }
        }
        // The last one to finish leads to nothing outside of its group; the next one, to nothing but groups before it.
        var group = [Int?](repeating: nil, count: edges.count)
        var groups: [[Int]] = []
        for start in finished.reversed() where group[start] == nil {
            var members: [Int] = []
            var pending = [start]
            group[start] = groups.count
            while let place = pending.popLast() {
                members.append(place)
                for target in edges[place] where group[target] == nil {
                    group[target] = groups.count
                    pending.append(target)
                }
            }
            groups.append(members.sorted())
        }
        return groups
    }
}

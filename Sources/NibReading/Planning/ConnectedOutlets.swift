@_spi(PluginHost) internal import PluginABI

/// The outlets that a nib connects, with their destinations.
struct ConnectedOutlets {
    /// The outlets that are declared, and the last one for each object of the graph.
    private var connected: [ConnectedOutlet] = []
    private var lastConnected: [Int?]
    /// The destinations of outlets, for objects with more than ``NibPlanner/mostCompared`` of them.
    private var destinations: [OutletIdentity: Int] = [:]
    /// The destinations of outlets that no class declares, by source and name.
    private var undeclared: [OutletKey: Int] = [:]

    private struct ConnectedOutlet {
        let outlet: ObjectIdentifier
        let destination: Int
        /// The previous one of the same object.
        let previous: Int?
        /// The number of earlier ones of the same object.
        let place: Int
    }

    private struct OutletIdentity: Hashable {
        let object: Int
        let outlet: ObjectIdentifier
    }

    struct OutletKey: Hashable {
        let object: Int
        let name: String
    }

    init(_ graph: NibGraph) {
        lastConnected = Array(repeating: nil, count: graph.objects.count)
        connected.reserveCapacity(graph.connections.count)
    }

    /// Records the destination of a declared outlet; returns false if the outlet already has one.
    mutating func note(_ object: Int, _ outlet: ObjectIdentifier, to destination: Int) -> Bool {
        guard self.destination(of: outlet, of: object) == nil else { return false }
        let previous = lastConnected[object]
        let place = previous.map { connected[$0].place + 1 } ?? 0
        connected.append(
            ConnectedOutlet(outlet: outlet, destination: destination, previous: previous, place: place))
        lastConnected[object] = connected.count - 1
        if place == NibPlanner.mostCompared {
            var next = lastConnected[object]
            while let number = next {
                destinations[OutletIdentity(object: object, outlet: connected[number].outlet)] =
                    connected[number].destination
                next = connected[number].previous
            }
        } else if place > NibPlanner.mostCompared {
            destinations[OutletIdentity(object: object, outlet: outlet)] = destination
        }
        return true
    }

    /// Records the destination of an outlet that no class declares; returns false if the outlet already has one.
    mutating func noteUndeclared(_ object: Int, _ name: String, to destination: Int) -> Bool {
        undeclared.updateValue(destination, forKey: OutletKey(object: object, name: name)) == nil
    }

    /// The destination of an outlet by its name; nil if it is not connected.
    func destination(ofOutlet name: String, of object: Int, in nib: ResolvedNib) -> Int? {
        if let outlet = nib.table(ofObject: object)?.outlets[name] {
            return destination(of: ObjectIdentifier(outlet), of: object)
        }
        return undeclared[OutletKey(object: object, name: name)]
    }

    /// The destination of a declared outlet; nil if it is not connected.
    ///
    /// Most objects have few connected outlets, which are compared one by one.
    func destination(of outlet: ObjectIdentifier, of object: Int) -> Int? {
        guard let last = lastConnected[object] else { return nil }
        if connected[last].place >= NibPlanner.mostCompared {
            return destinations[OutletIdentity(object: object, outlet: outlet)]
        }
        var next: Int? = last
        while let number = next {
            if connected[number].outlet == outlet { return connected[number].destination }
            next = connected[number].previous
        }
        return nil
    }

    /// How many of the given outlets of an object are connected.
    func count(of object: Int, among outlets: Set<ObjectIdentifier>) -> Int {
        var count = 0
        var next = lastConnected[object]
        while let number = next {
            if outlets.contains(connected[number].outlet) { count += 1 }
            next = connected[number].previous
        }
        return count
    }
}

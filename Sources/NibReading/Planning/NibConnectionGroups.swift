internal import PropertyLists

/// The connections of an outlet collection or an event.
///
/// It is set once, after all outlets.
struct NibConnectionGroup {
    enum Kind {
        case collection, event
    }

    let object: Int
    let kind: Kind
    /// The attribute that names the collection or event; nil for the event of actions that name no event.
    let name: Int?
    /// The previous group of the same object.
    let previous: Int?
    /// The number of earlier groups of the same object.
    let place: Int
    /// The indices of its first and last connection.
    let first: Int
    var last: Int
}

/// The groups in the order of their first connections.
///
/// Groups refer to connections by index. Most groups have one connection, and an array for each would be copied
/// more often than it is used.
struct NibConnectionGroups {
    private(set) var all: [NibConnectionGroup] = []
    /// The last group of each object.
    ///
    /// Most objects have few groups, which are compared one by one.
    private var last: [Int?]
    /// The groups of objects that have at least ``NibPlanner/mostCompared`` groups.
    private var named: [Key: Int] = [:]
    /// The next connection of the same group, by the connection's index.
    private var next: [Int?]

    init(objects: Int, connections: Int) {
        last = Array(repeating: nil, count: objects)
        next = Array(repeating: nil, count: connections)
        all.reserveCapacity(connections)
    }

    private struct Key: Hashable {
        let object: Int
        let kind: NibConnectionGroup.Kind
        let name: String
    }

    mutating func append(
        _ connection: Int, _ kind: NibConnectionGroup.Kind, _ name: Int?, of object: Int, _ xml: XMLDocument
    ) {
        let place = last[object].map { all[$0].place + 1 } ?? 0
        let isNamed = place >= NibPlanner.mostCompared
        func key(_ name: Int?) -> Key {
            Key(object: object, kind: kind, name: name.map(xml.value(ofAttribute:)) ?? "")
        }
        if let known = isNamed ? named[key(name)] : group(kind, name, of: object, xml) {
            next[all[known].last] = connection
            all[known].last = connection
            return
        }
        all.append(
            NibConnectionGroup(
                object: object, kind: kind, name: name, previous: last[object], place: place, first: connection,
                last: connection))
        last[object] = all.count - 1
        if place + 1 == NibPlanner.mostCompared {
            var added = last[object]
            while let number = added {
                let name = all[number].name.map(xml.value(ofAttribute:)) ?? ""
                named[Key(object: object, kind: all[number].kind, name: name)] = number
                added = all[number].previous
            }
        } else if isNamed {
            named[key(name)] = all.count - 1
        }
    }

    private func group(_ kind: NibConnectionGroup.Kind, _ name: Int?, of object: Int, _ xml: XMLDocument) -> Int? {
        var group = last[object]
        while let number = group {
            if all[number].kind == kind, xml.haveEqualValues(all[number].name, name) { return number }
            group = all[number].previous
        }
        return nil
    }

    /// The indices of a group's connections.
    func connections(of group: NibConnectionGroup) -> NibGroupedConnections {
        NibGroupedConnections(numbers: next, following: group.first)
    }
}

struct NibGroupedConnections: Sequence, IteratorProtocol {
    let numbers: [Int?]
    var following: Int?

    mutating func next() -> Int? {
        defer { following = following.flatMap { numbers[$0] } }
        return following
    }
}

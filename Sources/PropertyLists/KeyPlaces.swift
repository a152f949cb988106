/// The positions of a list's keys, found by the keys that lead to them.
///
/// A path is a number, found by the number of its parent path and the name of its last key. So a key is hashed only
/// once, however many keys are below it.
public struct KeyPlaces: Sendable {
    private struct Step: Hashable, Sendable {
        let path: Int32
        let name: String
    }

    private static let root: Int32 = -1
    private var paths: [Step: Int32] = [:]
    /// For each path, the position of the last key, whose value is used.
    ///
    /// The position is negative for an array between two keys.
    private var offsets: [Int] = []
    /// The work of finding the paths, in bytes of keys.
    private(set) var hashedBytes = 0

    /// - Parameter keys: in the order of the text.
    init(_ keys: [KeyRecord]) {
        paths.reserveCapacity(keys.count)
        offsets.reserveCapacity(keys.count)
        var open: [Int32] = []
        for key in keys {
            while open.count >= key.depth, !open.isEmpty { open.removeLast() }
            // An array between two keys adds an empty name.
            while open.count < key.depth - 1 { open.append(path("", in: open.last)) }
            let path = path(key.name, in: open.last)
            offsets[Int(path)] = key.offset
            open.append(path)
        }
    }

    private mutating func path(_ name: String, in outer: Int32?) -> Int32 {
        let step = Step(path: outer ?? Self.root, name: name)
        hashedBytes += name.utf8.count
        if let known = paths[step] { return known }
        let path = Int32(offsets.count)
        paths[step] = path
        offsets.append(-1)
        return path
    }

    /// The position of a key, given the keys that lead to it; nil if it does not exist.
    func offset(of names: [String]) -> Int? {
        var path = Self.root
        for name in names {
            guard let next = paths[Step(path: path, name: name)] else { return nil }
            path = next
        }
        guard path >= 0, offsets[Int(path)] >= 0 else { return nil }
        return offsets[Int(path)]
    }
}

import Synchronization

/// How many objects of one kind, made by one plug-in, still live.
public struct LiveObjects: Sendable, Hashable {
    /// What made them: a provider, a factory of the C level, or the host from a class.
    public let kind: PluginBundle.Registration.Kind
    /// The provider's, factory's or class's name.
    public let name: String
    /// The extension point of the provider or factory; nil for none.
    public let extensionPoint: String?
    /// How many live; more than 0.
    public let count: Int
}

extension LiveObjects: CustomStringConvertible {
    /// As in “2 of the provider “uppercase” at “org.example.text-filter””.
    public var description: String {
        let made = kind == .pluginClass ? "class" : kind.rawValue
        return "\(count) of the \(made) \(quoted(name))" + (extensionPoint.map { " at \(quoted($0))" } ?? "")
    }
}

extension PluginBundle {
    /// What still holds objects of this plug-in: by provider, factory and class, how many of the objects live that were
    /// made by ``Provider/make()``, ``CProvider/make()`` and ``makePrincipal(as:)``, or as services. It goes on counting
    /// after the bundle was unloaded.
    ///
    /// Not counted are values that are no class instances (of a provider whose interface is a structure or a closure),
    /// and objects that the host makes itself from ``classNamed(_:)``. An object that is given several times counts once.
    ///
    /// - Returns: those of which objects live, sorted by extension point and name; empty if none do.
    ///
    /// **Cost.** A look at each object that lives or died lately.
    public var liveObjects: [LiveObjects] { mappedCode?.objects.live ?? [] }

    /// Whether it made a value that is no object: nobody can see when the last copy of one is gone.
    var hasMadeUncountedValues: Bool { mappedCode?.objects.hasUncounted ?? false }
}

/// The objects that were made by one plug-in's code, by what made them.
final class ObjectCensus: Sendable {
    private struct Key: Hashable {
        let kind: PluginBundle.Registration.Kind
        let name: String
        let point: String?
    }

    private let counts = Lock<[Key: ObjectCount]>([:])

    /// Whether any value was made that is no object.
    var hasUncounted: Bool { counts.withLock { $0.values.map { $0 } }.contains(where: \.hasUncounted) }

    /// Where the objects of one provider, factory or class are counted.
    func count(_ kind: PluginBundle.Registration.Kind, _ name: String, at point: String? = nil) -> ObjectCount {
        counts.withLock { counts in
            let key = Key(kind: kind, name: name, point: point)
            if let known = counts[key] { return known }
            let count = ObjectCount()
            counts[key] = count
            return count
        }
    }

    var live: [LiveObjects] {
        let counts = counts.withLock { $0.map { $0 } }
        return counts.map {
            LiveObjects(kind: $0.key.kind, name: $0.key.name, extensionPoint: $0.key.point, count: $0.value.value)
        }
        .filter { $0.count > 0 }
        .sorted { ($0.extensionPoint ?? "", $0.name) < ($1.extensionPoint ?? "", $1.name) }
    }
}

/// The objects of one provider, factory or class that live.
final class ObjectCount: Sendable {
    private struct Reference {
        let object: WeakReference<AnyObject>
        /// Counts up: tells an object from a later one at the same address.
        let number: Int
    }

    private struct State {
        /// By address: an object that is made once and given often is one, and a new one in a dead one's place takes its
        /// place here too.
        var references: [ObjectIdentifier: Reference] = [:]
        var added = 0
        /// How many references there may be before the dead ones are removed.
        var limit = 16
        /// Objects of the C level, whose end is told.
        var told = 0

        /// - Returns: whether the dead ones should be removed now.
        mutating func add(_ object: WeakReference<AnyObject>, at identifier: ObjectIdentifier) -> Bool {
            added += 1
            references[identifier] = Reference(object: object, number: added)
            guard references.count > limit else { return false }
            // Nobody else does it until this is done.
            limit = .max
            return true
        }
    }

    private let state = Lock(State())
    private let isUncounted = Atomic(false)

    var hasUncounted: Bool { isUncounted.load(ordering: .acquiring) }

    /// Counts a value, if it is an object, until it is destroyed.
    func add<Value>(_ value: Value) {
        // By its dynamic type: anything else would be put into a box by the conversion, and the box counted.
        guard type(of: value as Any) is AnyClass else { return isUncounted.store(true, ordering: .releasing) }
        let object = value as AnyObject
        let identifier = ObjectIdentifier(object)
        let reference = WeakReference(object)
        if state.withLock({ $0.add(reference, at: identifier) }) { removeDead() }
    }

    /// Looks at the objects without the lock: each look holds the object for a moment, and its owner may have dropped it
    /// by the end of that. Then it ends here, and runs the plug-in's code.
    private func removeDead() {
        let all = state.withLock { $0.references.map { $0 } }
        let dead = all.filter { !$0.value.object.isAlive }.map { ($0.key, $0.value.number) }
        state.withLock { state in
            for (identifier, number) in dead where state.references[identifier]?.number == number {
                state.references[identifier] = nil
            }
            // Twice what lives, so that each object pays for two looks, however many there are.
            state.limit = max(16, 2 * state.references.count)
        }
    }

    /// Counts an object whose end will be told by ``remove()``.
    func add() { state.withLock { $0.told += 1 } }

    func remove() { state.withLock { $0.told -= 1 } }

    var value: Int {
        removeDead()
        return state.withLock { $0.told + $0.references.count }
    }
}

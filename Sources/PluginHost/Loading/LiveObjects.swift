import HostBasics
import Synchronization

/// How many objects of one kind, created by one plug-in, still exist.
public struct LiveObjects: Sendable, Hashable {
    /// What created them: a provider, a C-level factory, or the host from a class.
    public let kind: PluginBundle.Registration.Kind
    /// The name of the provider, factory or class.
    public let name: String
    /// The extension point of the provider or factory; nil if there is none.
    public let extensionPoint: String?
    /// How many exist; more than 0.
    public let count: Int
}

extension LiveObjects: CustomStringConvertible {
    /// For example “2 of the provider “uppercase” at “org.example.text-filter””.
    public var description: String {
        let made = kind == .pluginClass ? "class" : kind.rawValue
        return "\(count) of the \(made) \(quoted(name))" + (extensionPoint.map { " at \(quoted($0))" } ?? "")
    }
}

extension PluginBundle {
    /// The objects of this plug-in that still exist, counted by provider, factory and class.
    ///
    /// Objects created by ``Provider/make()``, ``CProvider/make()`` and ``makePrincipal(as:)`` count, and so do
    /// services, also after the bundle was unloaded.
    ///
    /// Not counted are values that are not class instances (from a provider whose interface is a structure or a
    /// closure), and objects that the host creates from ``classNamed(_:)``. An object that is returned several times
    /// counts once.
    ///
    /// - Returns: one element for each kind with existing objects, sorted by extension point and name; empty if none
    ///   exist.
    ///
    /// **Cost.** Checks each object that exists or was destroyed recently.
    public var liveObjects: [LiveObjects] { mappedCode?.objects.live ?? [] }

    /// Whether it created a value that is not an object.
    ///
    /// Nothing reports when the last copy of such a value is gone.
    var hasMadeUncountedValues: Bool { mappedCode?.objects.hasUncounted ?? false }
}

/// The objects that one plug-in's code created, grouped by what created them.
final class ObjectCensus: Sendable {
    private struct Key: Hashable {
        let kind: PluginBundle.Registration.Kind
        let name: String
        let point: String?
    }

    private let counts = Lock<[Key: ObjectCount]>([:])

    /// Whether any value was created that is not an object.
    var hasUncounted: Bool { counts.withLock { $0.values.map { $0 } }.contains(where: \.hasUncounted) }

    /// The counter for the objects of one provider, factory or class.
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

/// The existing objects of one provider, factory or class.
final class ObjectCount: Sendable {
    private struct Reference {
        let object: WeakReference<AnyObject>
        /// A running number, which distinguishes an object from a later one at the same address.
        let number: Int
    }

    private struct State {
        /// By address.
        ///
        /// An object that is created once and returned often counts once. A new object replaces a destroyed one that
        /// had the same address.
        var references: [ObjectIdentifier: Reference] = [:]
        var added = 0
        /// How many references there may be before those to destroyed objects are removed.
        var limit = 16
        /// The number of objects whose end is reported: C-level objects, and objects that a nib's instance keeps.
        var instances = 0

        /// - Returns: whether references to destroyed objects should be removed now.
        mutating func add(_ object: WeakReference<AnyObject>, at identifier: ObjectIdentifier) -> Bool {
            added += 1
            references[identifier] = Reference(object: object, number: added)
            guard references.count > limit else { return false }
            // Prevents another removal until this one has finished.
            limit = .max
            return true
        }
    }

    private let state = Lock(State())
    private let isUncounted = Atomic(false)

    var hasUncounted: Bool { isUncounted.load(ordering: .acquiring) }

    /// Counts a value, if it is an object, until it is destroyed.
    func add<Value>(_ value: Value) {
        // Check the dynamic type: the conversion would wrap any other value in a box, and the box would be counted.
        guard type(of: value as Any) is AnyClass else { return isUncounted.store(true, ordering: .releasing) }
        let object = value as AnyObject
        let identifier = ObjectIdentifier(object)
        let reference = WeakReference(object)
        if state.withLock({ $0.add(reference, at: identifier) }) { removeDead() }
    }

    /// Forgets the objects that no longer exist.
    ///
    /// They are checked without the lock. Each check holds the object for a moment. If its owner releases the object
    /// during the check, the object is destroyed here, which runs the plug-in's code.
    private func removeDead() {
        let all = state.withLock { $0.references.map { $0 } }
        let dead = all.filter { !$0.value.object.isAlive }.map { ($0.key, $0.value.number) }
        state.withLock { state in
            for (identifier, number) in dead where state.references[identifier]?.number == number {
                state.references[identifier] = nil
            }
            // Twice the number of existing objects, so that the checks cost two per object on average, whatever the
            // number of objects.
            state.limit = max(16, 2 * state.references.count)
        }
    }

    /// Counts a C-level object until ``remove()`` is called.
    func add() { state.withLock { $0.instances += 1 } }

    func remove() { state.withLock { $0.instances -= 1 } }

    /// Counts objects that are kept until ``release(_:survivors:)``.
    func keep(_ count: Int) { state.withLock { $0.instances += count } }

    /// Ends ``keep(_:)``.
    ///
    /// The survivors, objects that still exist, count until they are destroyed.
    func release(_ count: Int, survivors: [(ObjectIdentifier, WeakReference<AnyObject>)]) {
        let isFull = state.withLock { state in
            state.instances -= count
            return survivors.reduce(false) { state.add($1.1, at: $1.0) || $0 }
        }
        if isFull { removeDead() }
    }

    var value: Int {
        removeDead()
        return state.withLock { $0.instances + $0.references.count }
    }
}

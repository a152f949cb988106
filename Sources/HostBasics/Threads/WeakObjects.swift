/// Objects that belong to others, in the order in which they were added.
///
/// **Cost.** Of many additions, each is constant on average: a removal of the destroyed objects looks at all of them, so it
/// happens only when their number has doubled.
package struct WeakObjects<Object: AnyObject>: Sendable {
    private var references: [ObjectIdentifier: (number: Int, object: WeakReference<Object>)] = [:]
    private var added = 0
    private var limit = 16

    package init() {}

    /// Adds an object as the last one, even if it was added before.
    package mutating func add(_ object: Object) {
        added += 1
        references[ObjectIdentifier(object)] = (added, WeakReference(object))
        guard references.count > limit else { return }
        references = references.filter(\.value.object.isAlive)
        limit = max(16, 2 * references.count)
    }

    /// The objects, with some that are destroyed.
    ///
    /// Under a lock, take only this list, and read the objects after the lock is released.
    package var all: [WeakReference<Object>] {
        references.values.sorted { $0.number < $1.number }.map(\.object)
    }
}

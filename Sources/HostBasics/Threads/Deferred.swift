/// Holds a closure, continuation or object of an application or plug-in inside the state of a ``Lock``.
///
/// Code that replaces or removes the box under the lock may release the last reference to its content there. The box
/// then keeps the content alive until the thread holds no lock.
package final class Deferred<Value: Sendable>: Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }

    deinit { HeldLocks.keep(value) }
}

/// A weak reference that may be read under a ``Lock``.
///
/// Reading creates a strong reference for a moment. If the owner releases its reference meanwhile, the strong reference
/// is the last one, and its release runs the deinitialiser. This type never lets that happen under a lock.
@usableFromInline package struct WeakReference<Object: AnyObject>: @unchecked Sendable {
    // @unchecked because an object of a plug-in need not be Sendable: for those, only the existence is checked.
    @usableFromInline weak var reference: Object?

    @inlinable package init(_ object: Object?) { reference = object }

    /// The object, if it still exists.
    ///
    /// **Cost.** Under a lock, each read adds an entry to a list. To read many, copy the references and read them after
    /// the lock is released.
    @inlinable package var object: Object? {
        let object = reference
        if let object { HeldLocks.keep(object) }
        return object
    }

    @inlinable package var isAlive: Bool { object != nil }
}

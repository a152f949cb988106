/// An object that belongs to others, inside the state of a ``Lock``: a closure of the application, a continuation, an
/// object.
///
/// Code that replaces or removes it under the lock releases the last reference there. The box then keeps the content
/// alive until the thread holds no lock.
package final class Deferred<Value: Sendable>: Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }

    deinit { HeldLocks.keep(value) }
}

/// A weak reference that may be read under a ``Lock``.
///
/// Reading creates a strong reference for a moment. If the owner releases its reference meanwhile, this one is the
/// last, and the deinitialiser runs where it is released. Here that never happens under a lock.
package struct WeakReference<Object: AnyObject>: @unchecked Sendable {
    // @unchecked because an object of a plug-in need not be Sendable: for those, only the existence is checked.
    private weak var reference: Object?

    package init(_ object: Object?) { reference = object }

    /// The object, if it still exists.
    ///
    /// **Cost.** Under a lock, an entry in a list. To read many, copy the references and read them after the lock is
    /// released.
    package var object: Object? {
        let object = reference
        if let object { HeldLocks.keep(object) }
        return object
    }

    package var isAlive: Bool { object != nil }
}

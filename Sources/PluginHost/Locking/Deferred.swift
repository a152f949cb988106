/// Something of others in the state of a ``Lock``: a closure of the application's, a continuation, an object.
///
/// Whoever replaces or removes it under the lock drops the last reference there; the box then keeps the content until the
/// thread holds no lock.
final class Deferred<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }

    deinit { HeldLocks.keep(value) }
}

/// A weak reference that may be read under a ``Lock``.
///
/// Reading gives a strong reference for a moment. If the owner drops its own meanwhile, that one is the last, and the
/// object's deinitialiser runs where it ends; here never under a lock.
struct WeakReference<Object: AnyObject>: @unchecked Sendable {
    // @unchecked because an object of a plug-in need not be Sendable: those are only asked whether they live.
    private weak var reference: Object?

    init(_ object: Object?) { reference = object }

    /// The object, if it lives.
    ///
    /// **Cost.** Under a lock, an entry in a list. Where many are read, copy the references and read them outside.
    var object: Object? {
        let object = reference
        if let object { HeldLocks.keep(object) }
        return object
    }

    var isAlive: Bool { object != nil }
}

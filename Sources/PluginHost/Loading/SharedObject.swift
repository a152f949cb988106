import HostBasics

/// An object that is shared as a service, of any type.
class AnyServiceBox: @unchecked Sendable {}
// @unchecked because a non-final class must be; its only subclass holds a constant Sendable value.

/// A service in its box.
///
/// Every service's interface is Sendable, but the compiler cannot see that where only the identity of the interface is
/// known.
final class ServiceBox<Interface>: AnyServiceBox, @unchecked Sendable {
    let value: Interface

    init(_ value: Interface) { self.value = value }

    deinit { HeldLocks.keep(value) }
}

/// One shared object, created at the first request.
final class SharedObject: Sendable {
    private enum State {
        case none
        case making(LoadTicket)
        case made(AnyServiceBox)
    }

    private let state = Lock(State.none)

    /// Returns the object, and creates it if there is none.
    ///
    /// Other threads wait until it is created; a thread that would wait for itself gets an error. `path`: the bundle
    /// that provides the object. `make`: creates it, with no lock held. After a failure, the next request tries again.
    func value<Interface: Sendable>(of path: String, _ point: String, _ make: () throws -> AnyServiceBox) throws
        -> Interface
    {
        // The box always has the right type, because the caller has compared the interfaces.
        unsafeDowncast(try box(of: path, point, make), to: ServiceBox<Interface>.self).value
    }

    /// The object in its box, for a caller that only has the identity of the interface.
    func box(of path: String, _ point: String, _ make: () throws -> AnyServiceBox) throws -> AnyServiceBox {
        while true {
            let ticket = LoadTicket(.service(point), of: path)
            let now: State = state.withLock { state in
                defer { if case .none = state { state = .making(ticket) } }
                return state
            }
            switch now {
            case .made(let box): return box
            case .making(let other): try LoadActivity.shared.wait(for: other, to: .service(point)).get()
            case .none: try fill(ticket, make)
            }
        }
    }

    private func fill(_ ticket: LoadTicket, _ make: () throws -> AnyServiceBox) throws {
        HeldLocks.preconditionNone(before: "the initialiser of a service")
        LoadActivity.shared.begin(ticket)
        let result = Result { try make() }.mapError { error in
            // Providers and factories throw this type; the application may throw any error.
            error as? PluginError
                ?? PluginBundle.main.pluginFailed(.instantiationFailed, "Making a service of the application", error)
        }
        LoadActivity.shared.end(ticket)
        state.withLock { state in
            if case .success(let box) = result { state = .made(box) } else { state = .none }
        }
        ticket.finish(result.map { _ in })
        _ = try result.get()
    }
}

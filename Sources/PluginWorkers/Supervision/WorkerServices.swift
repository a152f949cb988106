import HostBasics
@_spi(PluginHost) package import PluginABI

/// The objects of this process that one worker may use: services, whose code is in `PluginHost`.
package final class WorkerServices: Sendable {
    package typealias Source = @Sendable (_ number: UInt32, _ server: RemoteServer) throws -> RemoteServant

    private final class State: Sendable {
        let source = Lock<Deferred<Source>?>(nil)
        let server = Lock<WeakReference<RemoteServer>>(WeakReference(nil))
    }

    private let state: State
    package let server: RemoteServer

    init() {
        let state = State()
        server = RemoteServer { number in
            guard let source = state.source.withLock({ $0 }), let server = state.server.withLock({ $0 }).object else {
                throw RemoteFailure(.callRefused, "The application has no services for plug-ins in other processes.")
            }
            return try source.value(number, server)
        }
        self.state = state
        state.server.withLock { $0 = WeakReference(server) }
    }

    /// Sets the source of the objects.
    ///
    /// Only the first call has an effect.
    package func provide(_ source: @escaping Source) { state.source.withLock { $0 = $0 ?? Deferred(source) } }
}

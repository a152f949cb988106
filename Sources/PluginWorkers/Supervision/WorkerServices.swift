package import HostBasics
@_spi(PluginHost) package import PluginABI

/// What one worker may use of this process: services, and the settings of its plug-ins.
///
/// The code is in `PluginHost`.
package final class WorkerServices: Sendable {
    package typealias Source = @Sendable (_ number: UInt32, _ server: RemoteServer) throws -> RemoteServant
    /// Makes a change of a setting.
    ///
    /// Returns the values after it, or why nothing was changed; nil if the plug-in is not loaded.
    package typealias Store = @Sendable (StoreRequest) -> Result<SettingsUpdate, PluginError>?

    private final class State: Sendable {
        let source = Lock<Deferred<Source>?>(nil)
        let store = Lock<Deferred<Store>?>(nil)
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

    /// Sets the source of the objects, and what changes settings.
    ///
    /// Only the first call has an effect.
    package func provide(_ source: @escaping Source, store: @escaping Store) {
        state.source.withLock { $0 = $0 ?? Deferred(source) }
        state.store.withLock { $0 = $0 ?? Deferred(store) }
    }

    func store(_ request: StoreRequest) -> Result<SettingsUpdate, PluginError>? {
        state.store.withLock(\.self)?.value(request)
    }
}

import HostBasics
@_spi(PluginHost) internal import PluginABI

extension PluginWorker {
    /// Sends changed settings of a plug-in to the process.
    ///
    /// If the process does not read, they are collected, one value for each key, until it does. [any thread]
    ///
    /// - Parameters:
    ///   - update: the values.
    ///   - bundle: the number of the bundle in the process.
    package func send(_ update: SettingsUpdate, to bundle: UInt32) {
        guard !isForked else { return }
        unsentSettings.withLock { $0[bundle] = $0[bundle]?.merged(with: update) ?? update }
        sendSettings()
    }

    /// Sends the collected settings if the socket has room.
    func sendSettings() {
        guard !sender.isWaiting else { return }
        let updates = unsentSettings.withLock { updates in
            defer { updates = [:] }
            return updates.map { ($0.key, $0.value) }
        }
        for (bundle, update) in updates {
            // The limits of settings are below those of a message.
            if let sent = try? sender.send(.settings(bundle, update)), !sent { monitor.wake() }
        }
    }
}

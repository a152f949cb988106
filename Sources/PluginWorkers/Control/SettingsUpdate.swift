@_spi(PluginHost) package import PluginABI

/// Values of a plug-in's settings on their way from the host to a worker.
package struct SettingsUpdate: Sendable, Hashable {
    /// The most bytes of a message with values: all texts of a plug-in have a MiB at most.
    static let longest = 2 << 20

    /// Grows with each change in the host.
    ///
    /// An answer to a request and a message about a change come on different ways, so they may arrive in another order.
    package var version: UInt64
    package var values: [String: SettingScalar]

    package init(version: UInt64, values: [String: SettingScalar]) {
        self.version = version
        self.values = values
    }

    /// Both updates in one.
    func merged(with later: SettingsUpdate) -> SettingsUpdate {
        guard later.version >= version else { return later.merged(with: self) }
        return SettingsUpdate(version: later.version, values: values.merging(later.values) { $1 })
    }
}

extension SettingsUpdate: RemoteValue {
    package func write(to writer: inout RemoteWriter) throws {
        try writer.write(version)
        try writer.write(values)
    }

    package static func read(from reader: inout RemoteReader) throws -> SettingsUpdate {
        SettingsUpdate(version: try reader.next(), values: try reader.next())
    }
}

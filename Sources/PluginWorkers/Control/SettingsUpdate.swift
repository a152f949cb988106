@_spi(PluginHost) package import PluginABI

/// Values of a plug-in's settings on their way from the host to a worker.
package struct SettingsUpdate: Sendable, Hashable {
    /// The most bytes of a message with values: all texts of a plug-in have a MiB at most.
    static let longest = 2 << 20

    /// Grows with each change in the host.
    ///
    /// An answer to a request and a message about a change take different routes, so the later one may arrive first.
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

/// A change of a setting that a plug-in in a worker requests.
package struct StoreRequest: Sendable, Hashable {
    /// The worker's number for it, which is also that of the answer.
    package var number: UInt32
    /// The host's number for the bundle.
    package var bundle: UInt32
    package var key: String
    /// Nil removes the user's value.
    package var value: SettingScalar?

    package init(number: UInt32, bundle: UInt32, key: String, value: SettingScalar?) {
        self.number = number
        self.bundle = bundle
        self.key = key
        self.value = value
    }
}

extension StoreRequest: RemoteValue {
    package func write(to writer: inout RemoteWriter) throws {
        try writer.write(number)
        try writer.write(bundle)
        try writer.write(key)
        try writer.write(value)
    }

    package static func read(from reader: inout RemoteReader) throws -> StoreRequest {
        StoreRequest(
            number: try reader.next(), bundle: try reader.next(), key: try reader.next(), value: try reader.next())
    }
}

extension PluginVersion {
    /// The version of this library, and of the command `pluginhost` that comes with it.
    ///
    /// The one place where it is written. A release is tagged in git with the same text.
    @_spi(PluginHost) public static let ofThisLibrary = PluginVersion(reading: "0.1.0-dev")
}

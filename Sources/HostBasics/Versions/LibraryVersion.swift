extension PluginVersion {
    /// The version of this library and of its command `pluginhost`.
    ///
    /// The only place that defines it. A release is tagged in git with the same text.
    @_spi(Tools) public static let ofThisLibrary = PluginVersion(reading: "0.1.0-dev")
}

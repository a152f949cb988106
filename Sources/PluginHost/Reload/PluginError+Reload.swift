extension PluginError.Code {
    /// A directory cannot be watched for changes.
    public static let watchFailed = Self(rawValue: "watchFailed")
    /// No private copy of a bundle can be made to load its code from.
    public static let copyFailed = Self(rawValue: "copyFailed")
    /// A private copy of a bundle lacks what no copy has: a FIFO, socket or device. A warning.
    public static let copyIncomplete = Self(rawValue: "copyIncomplete")
    /// A newer generation of the bundle has taken its place.
    public static let superseded = Self(rawValue: "superseded")
}

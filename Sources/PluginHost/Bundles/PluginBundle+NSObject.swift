// What Foundation's Bundle has from being an NSObject, under the same names.

extension PluginBundle: CustomDebugStringConvertible {
    /// The same number for the same bundle, as long as the process runs.
    public var hash: Int { hashValue }

    /// Whether the object is this bundle. There is one object for each directory.
    public func isEqual(_ object: Any?) -> Bool { (object as? PluginBundle) === self }

    /// The same as the description.
    public var debugDescription: String { description }
}

// The members that Foundation's Bundle inherits from NSObject, under the same names.

extension PluginBundle: CustomDebugStringConvertible {
    /// The same number for the same bundle while the process runs.
    public var hash: Int { hashValue }

    /// Whether a value is this bundle object.
    ///
    /// Comparing identity is enough, because each directory has one object.
    public func isEqual(_ object: Any?) -> Bool { (object as? PluginBundle) === self }

    /// The same as the description.
    public var debugDescription: String { description }
}

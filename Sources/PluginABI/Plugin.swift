/// A class that a plug-in offers to its host.
///
/// An application's plug-in API refines this protocol (`public protocol TextFilter: Plugin`), and a plug-in's classes
/// conform to the refinement. The host makes objects through ``init(context:)``.
///
/// Its metatype is Sendable, so a class isolated to an actor cannot conform by isolated conformance.
///
/// **Threads.** The host calls the initialiser on the thread that asked for the object, and may make several at once.
/// **Lifetime.** Objects live as long as somebody holds them, also after the bundle was unloaded: code is never unmapped.
public protocol Plugin: AnyObject, SendableMetatype {
    /// Makes an object.
    ///
    /// - Parameter context: the plug-in's own bundle (resources, strings), its logger, and the host's name and version.
    /// - Throws: what keeps the object from being made; the host reports it with the bundle's path.
    init(context: PluginContext) throws
}

/// A failure with a remedy, for a plug-in to throw from the body of ``registerPlugin(with:_:)`` or an initialiser.
///
/// Any error may be thrown; this one gives the host a sentence for what happened and one for what to do.
public struct PluginFailure: Error, Sendable, CustomStringConvertible {
    /// What went wrong, as a sentence.
    public var message: String
    /// What the user can do about it, as a sentence; may be empty.
    public var remedy: String
    /// A number of the plug-in's choosing, for its own support.
    public var code: Int32

    /// - Parameters:
    ///   - message: what went wrong, as a sentence.
    ///   - remedy: what the user can do about it, as a sentence.
    ///   - code: a number of the plug-in's choosing.
    public init(_ message: String, remedy: String = "", code: Int32 = 0) {
        self.message = message
        self.remedy = remedy
        self.code = code
    }

    public var description: String { remedy.isEmpty ? message : message + " " + remedy }
}

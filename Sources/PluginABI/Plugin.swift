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

    /// Called when the class's bundle becomes active: after its entry, and again at each load after an unload, before
    /// the host offers anything that the bundle registered. Does nothing unless a class says otherwise.
    ///
    /// A static function, because the host makes objects of a class when somebody needs them, and may never make one.
    /// Of several registered classes it is called in the order of registration.
    ///
    /// - Parameter context: as for ``init(context:)``. It may be kept until ``deactivate(context:)``.
    /// - Throws: what keeps the plug-in from working. Then the classes that were activated before are deactivated,
    ///   nothing is offered, and the load fails with what was thrown; a later load tries again.
    ///
    /// **Threads.** The one that loads, with no lock held; never at the same time as another hook of the bundle. It may
    /// load other bundles; asking for its own gets an error, and waiting for another thread that does never ends.
    static func activate(context: PluginContext) throws

    /// Called when the class's bundle is unloaded, once for each ``activate(context:)`` that succeeded, in reverse order.
    /// Does nothing unless a class says otherwise.
    ///
    /// The bundle's offers are withdrawn already, and its names at extension points are free only afterwards. Objects
    /// that were made before may still live and be in use. It is not called at the end of the process.
    ///
    /// - Parameter context: as for ``init(context:)``.
    ///
    /// **Threads.** The one that unloads; as for ``activate(context:)``.
    static func deactivate(context: PluginContext)
}

extension Plugin {
    /// The default does nothing.
    public static func activate(context: PluginContext) throws {}
    /// The default does nothing.
    public static func deactivate(context: PluginContext) {}
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

    /// The message, and what to do.
    public var description: String { remedy.isEmpty ? message : message + " " + remedy }
}

/// A class that a plug-in offers to its host.
///
/// An application's plug-in API refines this protocol (`public protocol TextFilter: Plugin`), and a plug-in's classes
/// conform to the refinement. The host creates objects with ``init(context:)``.
///
/// The metatype is Sendable, so a class isolated to an actor cannot use an isolated conformance.
///
/// **Threads.** The host calls the initialiser on the thread that requested the object, possibly on several threads at
/// once.
/// **Lifetime.** An object lives as long as there is a reference to it, even after its bundle was unloaded: code is
/// never unmapped.
public protocol Plugin: AnyObject, SendableMetatype {
    /// Creates an object.
    ///
    /// - Parameter context: the plug-in's own bundle (resources, strings), its logger, and the host's name and version.
    /// - Throws: the reason why the object cannot be created; the host reports it with the bundle's path.
    init(context: PluginContext) throws

    /// Called when the class's bundle becomes active, before the host offers anything that the bundle registered.
    ///
    /// This is after the bundle's entry function, and again at each load after an unload. The default does nothing.
    ///
    /// It is a static function because the host creates objects only when somebody needs them, and may never create
    /// one. If several classes are registered, it is called in the order of registration.
    ///
    /// - Parameter context: as for ``init(context:)``. It may be kept until ``deactivate(context:)``.
    /// - Throws: the reason why the plug-in cannot work. Classes that were already activated are then deactivated,
    ///   nothing is offered, and the load fails with this error; a later load tries again.
    ///
    /// **Threads.** The thread that loads, with no lock held; never at the same time as another hook of the bundle. The
    /// hook may load other bundles. Loading its own bundle fails with an error, and waiting for another thread that
    /// does so never ends.
    static func activate(context: PluginContext) throws

    /// Called when the class's bundle is unloaded.
    ///
    /// It is called once for each successful ``activate(context:)``, in reverse order. The default does nothing.
    ///
    /// At this point the bundle's providers are already withdrawn, but their names become free only after this call.
    /// Objects that were created before may still exist and be in use. It is not called when the process ends.
    ///
    /// - Parameter context: as for ``init(context:)``.
    ///
    /// **Threads.** The thread that unloads; otherwise as for ``activate(context:)``.
    static func deactivate(context: PluginContext)
}

extension Plugin {
    /// The default does nothing.
    public static func activate(context: PluginContext) throws {}
    /// The default does nothing.
    public static func deactivate(context: PluginContext) {}
}

/// An error with a remedy, for a plug-in to throw from the body of ``registerPlugin(with:_:)`` or from an initialiser.
///
/// Any error may be thrown; this one gives the host one sentence about what happened and one about what to do.
public struct PluginFailure: Error, Sendable, CustomStringConvertible {
    /// What went wrong, as a sentence.
    public var message: String
    /// What the user can do about it, as a sentence; may be empty.
    public var remedy: String
    /// A number that the plug-in chooses, for its own support.
    public var code: Int32

    /// - Parameters:
    ///   - message: what went wrong, as a sentence.
    ///   - remedy: what the user can do about it, as a sentence.
    ///   - code: a number that the plug-in chooses.
    public init(_ message: String, remedy: String = "", code: Int32 = 0) {
        self.message = message
        self.remedy = remedy
        self.code = code
    }

    /// The message, followed by the remedy.
    public var description: String { remedy.isEmpty ? message : message + " " + remedy }
}

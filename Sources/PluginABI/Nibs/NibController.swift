/// The owner of a nib that is instantiated when its objects are first needed, like a window controller or view
/// controller.
///
/// A subclass declares its outlets with `inheriting: NibController.nibInterface`, and calls ``load()`` where it needs
/// them.
///
/// **Threads.** The thread of the first ``load()``. **Lifetime.** Owns the nib's objects until ``unload()``.
open class NibController: NibObject {
    private static let interface = NibInterface(for: NibController.self) { _ in }

    /// Declares nothing; subclasses override it with their own declarations.
    open class var nibInterface: NibInterface { interface }

    /// The nib.
    public let nib: Nib
    private var instance: NibInstance?

    /// Creates the owner of a nib.
    ///
    /// It makes no objects yet.
    public init(nib: Nib) { self.nib = nib }

    /// The placeholders for instantiating the nib; empty by default.
    ///
    /// Subclasses may override it.
    open var placeholders: [String: any NibObject] { [:] }

    /// The options for instantiating the nib; the defaults unless overridden.
    ///
    /// Subclasses may override it.
    open var options: NibOptions { NibOptions() }

    /// Instantiates the nib at the first call, with this object as File's Owner.
    ///
    /// Later calls return the same instance.
    ///
    /// - Throws: same errors as ``Nib/instantiate(owner:placeholders:options:)``; the next call tries again.
    @discardableResult
    public func load() throws -> NibInstance {
        if let instance { return instance }
        return try nib.services.instantiate(owner: self, placeholders: placeholders, options: options) { made in
            // Set before the objects wake, because they may call this function.
            self.instance = made
        }
    }

    /// Whether the nib's objects exist.
    public var isLoaded: Bool { instance != nil }

    /// Releases the nib's objects.
    ///
    /// Outlets keep the objects that they own; a subclass clears them in an override.
    open func unload() { instance = nil }

    /// The default does nothing.
    open func awakeFromNib() {}

    /// Called when the nib's objects are connected and awake.
    ///
    /// The default calls ``awakeFromNib()``.
    open func nibDidLoad(_ nib: NibInstance) { awakeFromNib() }
}

/// The owner of a nib that is instantiated when its objects are first needed, as those of a window or view controller are.
///
/// A subclass declares its outlets, `inheriting: NibController.nibInterface`, and calls ``load()`` where it needs them.
///
/// **Threads.** That of its first ``load()``. **Lifetime.** Owns the nib's objects until ``unload()``.
open class NibController: NibObject {
    private static let interface = NibInterface(for: NibController.self) { _ in }

    /// Nothing; a subclass declares its own.
    open class var nibInterface: NibInterface { interface }

    /// The nib.
    public let nib: Nib
    private var instance: NibInstance?

    /// The owner of a nib.
    ///
    /// Nothing is made yet.
    public init(nib: Nib) { self.nib = nib }

    /// What to hand to the nib when it is instantiated; empty.
    ///
    /// For subclasses.
    open var placeholders: [String: any NibObject] { [:] }

    /// How to instantiate; the defaults.
    ///
    /// For subclasses.
    open var options: NibOptions { NibOptions() }

    /// What the nib made; made at the first call, with this object as File's Owner.
    ///
    /// Later calls return the same.
    ///
    /// - Throws: as ``Nib/instantiate(owner:placeholders:options:)``; the next call tries again.
    @discardableResult
    public func load() throws -> NibInstance {
        if let instance { return instance }
        return try nib.services.instantiate(owner: self, placeholders: placeholders, options: options) { made in
            // Before the objects wake: they may call this function.
            self.instance = made
        }
    }

    /// Whether the nib's objects exist.
    public var isLoaded: Bool { instance != nil }

    /// Lets go of the nib's objects.
    ///
    /// Outlets keep what they own; a subclass clears them in an override.
    open func unload() { instance = nil }

    /// The default does nothing.
    open func awakeFromNib() {}

    /// Called when the nib's objects are connected and awake.
    ///
    /// The default calls ``awakeFromNib()``.
    open func nibDidLoad(_ nib: NibInstance) { awakeFromNib() }
}

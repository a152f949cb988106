/// A class whose objects a nib makes, connects or is given.
///
/// The class declares in ``nibInterface`` what nibs may set and connect. Objects that a nib makes also need an initialiser
/// that the host can call: that of ``Plugin``, or the closure that the application registers the class with. An object that
/// code makes and hands over, such as a File's Owner, needs the interface alone.
///
/// **Threads.** The host calls setters, actions and both functions on the thread that instantiates the nib or sends the
/// action.
public protocol NibObject: AnyObject, SendableMetatype {
    /// What nibs may set and connect. Declare it once, as a static constant; where subclasses add to it, as a class property
    /// that returns one.
    static var nibInterface: NibInterface { get }

    /// Called once for each object that a nib made, after all objects are made and connected. What an object contains comes
    /// before it.
    func awakeFromNib()

    /// Called for placeholders, and last for File's Owner, once for each instantiation, after every object that the nib made
    /// is awake. The default calls ``awakeFromNib()``. A class that owns a nib and instantiates it many times implements this
    /// one, and keeps ``awakeFromNib()`` for the nib that its own object came from.
    ///
    /// - Parameter nib: what the nib made.
    func nibDidLoad(_ nib: NibInstance)
}

extension NibObject {
    /// The default does nothing.
    public func awakeFromNib() {}
    /// The default calls ``awakeFromNib()``.
    public func nibDidLoad(_ nib: NibInstance) { awakeFromNib() }
}

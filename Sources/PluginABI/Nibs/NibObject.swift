/// A class whose objects a nib can make, connect or receive.
///
/// The class declares in ``nibInterface`` what nibs may set and connect. Objects that a nib makes also need an
/// initialiser that the host can call: the one of ``Plugin``, or the closure with which the application registers the
/// class. Objects that code creates and passes to the nib, such as a File's Owner, need only the interface.
///
/// **Threads.** The host calls setters, actions and both functions on the thread that instantiates the nib or sends the
/// action.
public protocol NibObject: AnyObject, SendableMetatype {
    /// What nibs may set and connect. Declare it once, as a static constant; if subclasses add to it, declare it as a
    /// class property that returns such a constant.
    static var nibInterface: NibInterface { get }

    /// Called once for each object that a nib made, after all objects are made and connected. It is called for
    /// contained objects before the objects that contain them.
    func awakeFromNib()

    /// Called once per instantiation for each placeholder, and last for File's Owner, after every object that the nib
    /// made is awake. The default calls ``awakeFromNib()``. A class that owns a nib and instantiates it several times
    /// implements this function, and keeps ``awakeFromNib()`` for the nib that made its own objects.
    ///
    /// - Parameter nib: the result of the instantiation.
    func nibDidLoad(_ nib: NibInstance)
}

extension NibObject {
    /// The default does nothing.
    public func awakeFromNib() {}
    /// The default calls ``awakeFromNib()``.
    public func nibDidLoad(_ nib: NibInstance) { awakeFromNib() }
}

/// An object in a nib that a C or C++ plug-in made.
///
/// Declare outlets for one C class with ``NibDeclarations/outlet(_:ofForeignClass:required:_:)``. Outlets of type
/// `NibForeignObject` or any `NibObject` accept objects of every C class: check ``className`` before you use
/// ``functions(as:)``.
///
/// **Threads.** As the plug-in's functions allow. **Lifetime.** The plug-in's object is released with the last
/// reference.
public final class NibForeignObject: NibObject {
    private static let interface = NibInterface(for: NibForeignObject.self) { _ in }

    /// Declares nothing: each object has the declarations of its C class.
    public static var nibInterface: NibInterface { interface }

    /// The plug-in's object, to pass to the functions of its table.
    public let pointer: UnsafeMutableRawPointer
    /// The declarations of its C class.
    @_spi(PluginHost) public let table: NibClassTable
    /// The function table from the plug-in.
    @_spi(PluginHost) public let functions: UnsafeRawPointer?
    /// Releases the plug-in's object when this reference goes away.
    private let instance: AnyObject?
    private let awake: (@Sendable (UnsafeMutableRawPointer) -> Void)?
    /// References of the host that the plug-in received; they stay valid as long as the object lives.
    @_spi(PluginHost) public var references: [AnyObject] = []

    /// For the host.
    ///
    /// `instance`: releases the plug-in's object when it is deallocated; nil if the plug-in owns the object.
    @_spi(PluginHost)
    public init(
        pointer: UnsafeMutableRawPointer, functions: UnsafeRawPointer?, table: NibClassTable, instance: AnyObject?,
        awake: (@Sendable (UnsafeMutableRawPointer) -> Void)?
    ) {
        self.pointer = pointer
        self.functions = functions
        self.table = table
        self.instance = instance
        self.awake = awake
    }

    /// The name of the C class.
    public var className: String { table.name }

    /// The function table, which the application's header defines for the class.
    ///
    /// - Parameter type: the table's type.
    /// - Returns: the table, or nil if the plug-in supplied none. Nothing checks that it is a `Table`: the C class
    ///   determines the table, so declare the outlet that holds the object for that class.
    public func functions<Table>(as type: Table.Type) -> UnsafePointer<Table>? {
        functions?.assumingMemoryBound(to: Table.self)
    }

    /// Calls the plug-in's `awake` function, if it has one.
    public func awakeFromNib() { awake?(pointer) }
}

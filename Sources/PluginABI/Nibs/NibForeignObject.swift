/// An object of a nib that a C or C++ plug-in made.
///
/// An outlet names its C class: ``NibDeclarations/outlet(_:ofForeignClass:required:_:)``. Outlets for `NibForeignObject` and for
/// any `NibObject` take objects of every C class: compare ``className`` before you use ``functions(as:)``.
///
/// **Threads.** As the plug-in's functions allow. **Lifetime.** The plug-in's object is released with the last reference.
public final class NibForeignObject: NibObject {
    private static let interface = NibInterface(for: NibForeignObject.self) { _ in }

    /// Nothing: each object has the declarations of its C class.
    public static var nibInterface: NibInterface { interface }

    /// The object, to hand to the functions of its table.
    public let pointer: UnsafeMutableRawPointer
    /// The declarations of its C class.
    @_spi(PluginHost) public let table: NibClassTable
    /// The table of functions that the plug-in gave.
    @_spi(PluginHost) public let functions: UnsafeRawPointer?
    /// What releases the plug-in's object when it ends.
    private let instance: AnyObject?
    private let awake: (@Sendable (UnsafeMutableRawPointer) -> Void)?
    /// What the plug-in was given of the host's, to use as long as the object lives.
    @_spi(PluginHost) public var references: [AnyObject] = []

    /// For the host.
    ///
    /// `instance`: what releases the plug-in's object when it ends; nil for one that is the plug-in's.
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

    /// The name of its C class.
    public var className: String { table.name }

    /// The table of functions, as the application's header defines it for the class.
    ///
    /// - Parameter type: the table's type.
    /// - Returns: the table, or nil if the plug-in gave none. Nothing checks that it is a `Table`: the C class decides it, so the
    ///   outlet that holds the object must be declared for that class.
    public func functions<Table>(as type: Table.Type) -> UnsafePointer<Table>? {
        functions?.assumingMemoryBound(to: Table.self)
    }

    /// Calls the plug-in's function of this name.
    public func awakeFromNib() { awake?(pointer) }
}

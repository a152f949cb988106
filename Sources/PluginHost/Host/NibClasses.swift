internal import NibReading
@_spi(PluginHost) public import PluginABI
import Synchronization

/// The classes of the application that nibs may name, and the elements that nibs leave out.
///
/// ```swift
/// HostEnvironment.current.nibClasses.register(Button.self, element: "button") { context in Button() }
/// HostEnvironment.current.nibClasses.leaveOut(elements: ["constraint", "constraints"])
/// ```
/// A nib searches for a class among those of its own bundle, then of the bundles that this bundle requires, then here.
///
/// **Threads.** A value.
public struct NibClasses: Sendable {
    /// By the name of the class.
    private(set) var named: [String: NibClass] = [:]
    /// By the name of the element.
    private(set) var byElement: [String: NibClass] = [:]
    /// The elements whose objects are left out.
    public private(set) var elementsLeftOut: Set<String> = []
    /// Identifies these classes.
    ///
    /// Each change sets another number.
    private(set) var version = 0

    private static let versions = Atomic(0)

    init() {}

    /// Lets nibs create objects of a class.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - name: its name in nibs, their `customClass`; nil for the class's own name without its module. A class that
    ///     is registered later with the same name replaces it.
    ///   - element: the name of the element that represents an object of the class where a nib gives no `customClass`,
    ///     such as `button`; nil for none. A class that is registered later with the same element replaces it there.
    ///   - make: creates an object; it receives the main bundle's context.
    public mutating func register<Object: NibObject>(
        _ type: Object.Type, as name: String? = nil, element: String? = nil,
        _ make: @escaping @Sendable (PluginContext) throws -> Object
    ) {
        let registration = NibRegistration(type, element: element, make: make)
        let aClass = NibClass(name: name ?? "\(type)", registration)
        if let old = named.updateValue(aClass, forKey: aClass.name), let element = old.registration.element,
            byElement[element] === old
        {
            byElement[element] = nil
        }
        if let element { byElement[element] = aClass }
        changed()
    }

    /// Leaves out the objects of some elements, and everything inside them.
    ///
    /// A nib that connects one of these objects has an error.
    ///
    /// - Parameter elements: the names of elements, also of collections: `constraints`.
    public mutating func leaveOut(elements: Set<String>) {
        elementsLeftOut.formUnion(elements)
        changed()
    }

    private mutating func changed() { version = Self.versions.add(1, ordering: .relaxed).newValue }
}

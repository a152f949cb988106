@_spi(PluginHost) public import PluginABI
import Synchronization

/// The classes of the application that nibs may name, and the elements that they may leave out.
///
/// ```swift
/// HostEnvironment.current.nibClasses.register(Button.self, element: "button") { context in Button() }
/// HostEnvironment.current.nibClasses.leaveOut(elements: ["constraint", "constraints"])
/// ```
/// A nib looks for a class among those of its own bundle, of the bundles that this one requires, and then here.
///
/// **Threads.** A value.
public struct NibClasses: Sendable {
    /// By the name of the class.
    private(set) var named: [String: NibClass] = [:]
    /// By the name of the element.
    private(set) var byElement: [String: NibClass] = [:]
    /// The elements whose objects are passed over.
    public private(set) var elementsLeftOut: Set<String> = []
    /// Which classes these are: another number for each change.
    private(set) var version = 0

    private static let versions = Atomic(0)

    init() {}

    /// Lets nibs make objects of a class.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - name: its name in nibs, their `customClass`; nil for the class's own without its module. One of the same name
    ///     replaces it.
    ///   - element: the name of the element that stands for an object of the class where a nib gives no `customClass`, such
    ///     as `button`; nil for none. One of the same element replaces it there.
    ///   - make: makes an object; it gets the main bundle's context.
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

    /// Passes over the objects of some elements, and what they contain.
    ///
    /// A nib that connects one of them has an error.
    ///
    /// - Parameter elements: the names of elements, also of collections: `constraints`.
    public mutating func leaveOut(elements: Set<String>) {
        elementsLeftOut.formUnion(elements)
        changed()
    }

    private mutating func changed() { version = Self.versions.add(1, ordering: .relaxed).newValue }
}

/// A class that nibs may name, by one of its names.
final class NibClass: Sendable {
    /// The name in nibs.
    let name: String
    let registration: NibRegistration

    /// The module of a class that only a list declares, nil where it states none; the outer nil stands for a class of
    /// code, whose type has a module.
    private let declaredModule: String??

    init(name: String, _ registration: NibRegistration, declaredModule: String?? = nil) {
        self.name = name
        self.registration = registration
        self.declaredModule = declaredModule
    }

    var table: NibClassTable { registration.table }

    /// The module that declares the class; nil if it is not known.
    var module: String? {
        if let declaredModule { return declaredModule }
        // C has no modules.
        if registration.type == NibForeignObject.self { return nil }
        return String(String(reflecting: registration.type).prefix { $0 != "." })
    }

    /// What is wrong with the class's interface.
    var faults: [String] { table.faults + [table.fault(for: registration.type)].compactMap(\.self) }
}

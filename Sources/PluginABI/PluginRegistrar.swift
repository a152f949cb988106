import CPluginSupport
import Glibc
import Synchronization

/// Collects what a plug-in offers, inside the body of ``registerPlugin(with:_:)``.
///
/// Nothing of it is visible before the entry returned success; then all of it is, at once.
///
/// **Threads.** Only the thread that the entry was called on. **Lifetime.** Only until the body returns: a later call,
/// or one from another thread, registers nothing, is logged, and inside the entry makes the load fail.
public final class PluginRegistrar: Sendable {
    private struct State {
        var registrations: [PluginRegistration] = []
        var misuse: String?
        var isOpen = true
    }

    /// The standard library's lock and not the host's, because this module stands below it. Under it values are moved in
    /// and copied out, nothing is removed, and nothing else is called: so no provider's closure, which is the plug-in's,
    /// ever ends under it.
    private let state = Mutex(State())
    private let thread = pthread_self()
    private let host: HostTable

    init(host: UnsafePointer<plugin_host>) {
        self.host = HostTable(pointer: host)
    }

    /// Offers a class by a name, for `classNamed(_:)` and `principalClass` of the host.
    ///
    /// The first class that is registered is the bundle's principal class unless Info.plist names another by
    /// `NSPrincipalClass`.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - name: its name for the host, unique in the bundle; nil for the class's own name without its module.
    public func register<P: Plugin>(_ type: P.Type, as name: String? = nil) {
        append(.pluginClass(name: name, type: type, nib: nil))
    }

    /// Offers a class by a name, as any plug-in class, and to nibs: as `customClass` under the same name.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - name: its name, unique in the bundle; nil for the class's own name without its module.
    public func register<P: Plugin & NibObject>(_ type: P.Type, as name: String? = nil) {
        append(.pluginClass(name: name, type: type, nib: NibRegistration(type, element: nil)))
    }

    /// Offers a class by a name, and to nibs: as `customClass` under the same name, and for the elements of a name that have
    /// no `customClass`.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - name: its name, unique in the bundle; nil for the class's own name without its module.
    ///   - element: the name of the element that stands for an object of the class, such as `textField`.
    public func register<P: Plugin & NibObject>(_ type: P.Type, as name: String? = nil, element: String) {
        append(.pluginClass(name: name, type: type, nib: NibRegistration(type, element: element)))
    }

    /// Offers something at an extension point of the application.
    ///
    /// - Parameters:
    ///   - point: the extension point, declared by the application's API.
    ///   - name: the provider's name, unique at the point among all plug-ins.
    ///   - displayName: what to show to the user; nil for the name. Localise it with the table `Providers`.
    ///   - order: lower comes first where the application lists several.
    ///   - make: makes the object; an initialiser such as `Uppercase.init` will do. The host calls it each time it
    ///     needs an object, on any thread.
    public func provide<Interface>(
        _ point: ExtensionPoint<Interface>, named name: String, displayName: String? = nil, order: Int = 0,
        _ make: @escaping @Sendable (PluginContext) throws -> Interface
    ) {
        append(
            .provider(
                TypedProvider<Interface>(point: point, name: name, displayName: displayName, order: order, make: make)))
    }

    private func append(_ registration: PluginRegistration) {
        if pthread_equal(thread, pthread_self()) == 0 { return refuse(registration) }
        let isOpen = state.withLock { state in
            if state.isOpen { state.registrations.append(registration) }
            return state.isOpen
        }
        if !isOpen { refuse(registration) }
    }

    /// Logs what is registered too late or on another thread; the second makes the load fail.
    private func refuse(_ registration: PluginRegistration) {
        let late = "registered \(registration) after its entry had returned; it is ignored."
        let elsewhere = "registered \(registration) on another thread than the one its entry was called on."
        let isOpen = state.withLock { state in
            if state.isOpen { state.misuse = elsewhere }
            return state.isOpen
        }
        host.log(.error, "The plug-in " + (isOpen ? elsewhere : late))
    }

    /// Ends the time in which registrations are taken.
    ///
    /// - Returns: the misuse that must make the load fail, if there was one.
    func close() -> String? {
        state.withLock { state in
            state.isOpen = false
            return state.misuse
        }
    }

    /// For the host: what was registered, in order.
    @_spi(PluginHost)
    public var registrations: [PluginRegistration] { state.withLock(\.registrations) }
}

/// One thing that a plug-in offers. Frozen, because it never leaves the library that this module and the host share.
@_spi(PluginHost)
@frozen
public enum PluginRegistration: Sendable, CustomStringConvertible {
    case pluginClass(name: String?, type: any Plugin.Type, nib: NibRegistration?)
    case provider(AnyProvider)

    /// The class or provider by its name, for messages.
    public var description: String {
        switch self {
        case .pluginClass(let name, let type, _): "the class “\(name ?? "\(type)")”"
        case .provider(let provider): "the provider “\(provider.name)”"
        }
    }
}

/// How nibs make objects of a class that was registered.
@_spi(PluginHost)
public struct NibRegistration: Sendable {
    /// The class.
    public let type: any NibObject.Type
    /// What nibs may set and connect.
    public let table: NibClassTable
    /// The element that stands for an object of the class; nil for none.
    public let element: String?
    /// Makes an object.
    public let make: @Sendable (PluginContext) throws -> any NibObject

    init<P: Plugin & NibObject>(_ type: P.Type, element: String?) {
        self.init(type, element: element) { try type.init(context: $0) }
    }

    /// A C class.
    public init(
        foreign table: NibClassTable, element: String?,
        make: @escaping @Sendable (PluginContext) throws -> NibForeignObject
    ) {
        type = NibForeignObject.self
        self.table = table
        self.element = element
        self.make = make
    }

    /// A class of the application's, which says how its objects are made.
    public init<Object: NibObject>(
        _ type: Object.Type, element: String?, make: @escaping @Sendable (PluginContext) throws -> Object
    ) {
        self.type = type
        table = type.nibInterface.table
        self.element = element
        self.make = make
    }
}

/// A provider whose interface is known by identity only.
@_spi(PluginHost)
open class AnyProvider: @unchecked Sendable {
    // @unchecked because an open class must be; every stored property is an immutable Sendable value.
    /// The name of the extension point.
    public let pointName: String
    /// The version of the extension point.
    public let pointVersion: UInt32
    /// The name that the provider was registered by.
    public let name: String
    /// The name for users, before it is translated; nil without one.
    public let displayName: String?
    /// The place among the providers of the point: lower comes first.
    public let order: Int
    /// The type that the plug-in converts to. Compared by identity before a downcast to ``TypedProvider``: two copies
    /// of an application's API module give two identities.
    public let interface: any Any.Type

    init(
        pointName: String, pointVersion: UInt32, name: String, displayName: String?, order: Int,
        interface: any Any.Type
    ) {
        self.pointName = pointName
        self.pointVersion = pointVersion
        self.name = name
        self.displayName = displayName
        self.order = order
        self.interface = interface
    }
}

/// A provider of one interface: the closure holds the conversion that was compiled in the plug-in.
@_spi(PluginHost)
public final class TypedProvider<Interface>: AnyProvider, @unchecked Sendable {
    // @unchecked because the superclass is; `make` is a @Sendable closure.
    /// Makes an object, converted in the plug-in.
    public let make: @Sendable (PluginContext) throws -> Interface

    init(
        point: ExtensionPoint<Interface>, name: String, displayName: String?, order: Int,
        make: @escaping @Sendable (PluginContext) throws -> Interface
    ) {
        self.make = make
        super.init(
            pointName: point.name, pointVersion: point.version, name: name, displayName: displayName, order: order,
            interface: Interface.self)
    }
}

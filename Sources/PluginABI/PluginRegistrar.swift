import CPluginSupport
import Glibc
import Synchronization

/// Collects what a plug-in registers, inside the body of ``registerPlugin(with:_:)``.
///
/// Nothing becomes visible until the entry function returns success; then everything does, at once.
///
/// **Threads.** Only the thread that called the entry function. **Lifetime.** Only until the body returns. A later
/// call, or one from another thread, registers nothing and is logged; a call from another thread while the entry runs
/// also makes the load fail.
public final class PluginRegistrar: Sendable {
    private struct State {
        var registrations: [PluginRegistration] = []
        var misuse: String?
        var isOpen = true
    }

    /// The registrations, under the standard library's lock.
    ///
    /// Why not the host's lock: the host imports this module, so that lock is not available here. Code under the lock
    /// only moves values in and copies them out; it removes nothing and calls nothing else. So a plug-in's closure is
    /// never released under it.
    private let state = Mutex(State())
    private let thread = pthread_self()
    private let host: HostTable

    init(host: UnsafePointer<plugin_host>) {
        self.host = HostTable(pointer: host)
    }

    /// Registers a class under a name, for `classNamed(_:)` and `principalClass` of the host.
    ///
    /// The first registered class is the bundle's principal class unless Info.plist names another with
    /// `NSPrincipalClass`.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - name: its name for the host, unique in the bundle; nil for the name of the class without its module.
    public func register<P: Plugin>(_ type: P.Type, as name: String? = nil) {
        append(.pluginClass(name: name, type: type, nib: nil))
    }

    /// Registers a class under a name, for the host as any plug-in class, and for nibs as `customClass` of the same
    /// name.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - name: its name, unique in the bundle; nil for the name of the class without its module.
    public func register<P: Plugin & NibObject>(_ type: P.Type, as name: String? = nil) {
        append(.pluginClass(name: name, type: type, nib: NibRegistration(type, element: nil)))
    }

    /// Registers a class under a name, for the host and for nibs: as `customClass` of the same name, and for every
    /// element named `element` that has no `customClass`.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - name: its name, unique in the bundle; nil for the name of the class without its module.
    ///   - element: the name of the XML element that represents an object of the class, such as `textField`.
    public func register<P: Plugin & NibObject>(_ type: P.Type, as name: String? = nil, element: String) {
        append(.pluginClass(name: name, type: type, nib: NibRegistration(type, element: element)))
    }

    /// Registers a provider for an extension point of the application.
    ///
    /// - Parameters:
    ///   - point: the extension point, declared in the application's API.
    ///   - name: the provider's name, unique at this point among all plug-ins.
    ///   - displayName: what to show to the user; nil for `name`. Translate it in the table `Providers`.
    ///   - order: where the application lists several providers, lower numbers come first.
    ///   - make: creates the object; an initialiser such as `Uppercase.init` is enough. The host calls it whenever it
    ///     needs an object, on any thread.
    public func provide<Interface>(
        _ point: ExtensionPoint<Interface>, named name: String, displayName: String? = nil, order: Int = 0,
        _ make: @escaping @Sendable (PluginContext) throws -> Interface
    ) {
        append(
            .provider(
                TypedProvider<Interface>(point: point, name: name, displayName: displayName, order: order, make: make)))
    }

    /// Registers a plain C function.
    ///
    /// The host calls it by its signature: `bundle.function("add", "(int32, int32) -> int32")`.
    ///
    /// ```swift
    /// @c func add(_ a: Int32, _ b: Int32) -> Int32 { a &+ b }
    /// …
    /// plugin.register(function: "add", "(int32, int32) -> int32", add as @convention(c) (Int32, Int32) -> Int32)
    /// ```
    /// - Parameters:
    ///   - name: the function's name for the host, unique in the bundle.
    ///   - signature: the types of its arguments and its result, by the grammar of docs/abi.md. It must be correct,
    ///     because nothing can check it against the function.
    ///   - code: a `@convention(c)` function. Any other value makes the load fail.
    public func register<Code>(function name: String, _ signature: String, _ code: Code) {
        // A Swift closure consists of code and a context, so it is not an address.
        let isCode =
            MemoryLayout<Code>.size == MemoryLayout<plugin_code>.size && "\(Code.self)".hasPrefix("@convention(c)")
        append(
            .function(name: name, signature: signature, code: isCode ? unsafeBitCast(code, to: plugin_code.self) : nil))
    }

    private func append(_ registration: PluginRegistration) {
        if pthread_equal(thread, pthread_self()) == 0 { return refuse(registration) }
        let isOpen = state.withLock { state in
            if state.isOpen { state.registrations.append(registration) }
            return state.isOpen
        }
        if !isOpen { refuse(registration) }
    }

    /// Logs a registration that comes too late or from another thread; one from another thread also makes the load
    /// fail.
    private func refuse(_ registration: PluginRegistration) {
        let late = "registered \(registration) after its entry returned; it is ignored."
        let elsewhere = "registered \(registration) on another thread than the one that called its entry."
        let isOpen = state.withLock { state in
            if state.isOpen { state.misuse = elsewhere }
            return state.isOpen
        }
        host.log(.error, "The plug-in " + (isOpen ? elsewhere : late))
    }

    /// Ends the period in which registrations are accepted.
    ///
    /// - Returns: the mistake that must make the load fail, if there was one.
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

/// One registration of a plug-in.
///
/// Frozen, because values of this type never leave the library that contains both this module and the host.
@_spi(PluginHost)
@frozen
public enum PluginRegistration: Sendable, CustomStringConvertible {
    case pluginClass(name: String?, type: any Plugin.Type, nib: NibRegistration?)
    case provider(AnyProvider)
    /// `code`: nil if what was registered is not a C function.
    case function(name: String, signature: String, code: plugin_code?)

    /// The class or provider with its name, for messages.
    public var description: String {
        switch self {
        case .pluginClass(let name, let type, _): "the class “\(name ?? "\(type)")”"
        case .provider(let provider): "the provider “\(provider.name)”"
        case .function(let name, _, _): "the function “\(name)”"
        }
    }
}

/// How nibs make objects of a registered class.
@_spi(PluginHost)
public final class NibRegistration: Sendable {
    /// The class.
    public let type: any NibObject.Type
    /// What nibs may set and connect.
    public let table: NibClassTable
    /// The XML element that represents an object of the class; nil for none.
    public let element: String?
    /// Makes an object.
    public let make: @Sendable (PluginContext) throws -> any NibObject

    convenience init<P: Plugin & NibObject>(_ type: P.Type, element: String?) {
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

    /// A class of the application, which supplies the closure that makes its objects.
    public init<Object: NibObject>(
        _ type: Object.Type, element: String?, make: @escaping @Sendable (PluginContext) throws -> Object
    ) {
        self.type = type
        table = type.nibInterface.table
        self.element = element
        self.make = make
    }
}

/// A provider whose interface type is known only by its identity.
@_spi(PluginHost)
open class AnyProvider: @unchecked Sendable {
    // @unchecked because an open class must be; every stored property is an immutable Sendable value.
    /// The name of the extension point.
    public let pointName: String
    /// The version of the extension point.
    public let pointVersion: UInt32
    /// The least safe place where the extension point lets the code run.
    public let pointExecution: PluginExecution
    /// The name under which the provider was registered.
    public let name: String
    /// The name for users, before translation; nil if there is none.
    public let displayName: String?
    /// The position among the providers of the point: lower comes first.
    public let order: Int
    /// The type to which the plug-in converts its objects.
    ///
    /// It is compared by identity before a downcast to ``TypedProvider``: if there are two copies of an application's
    /// API module, their types have different identities.
    public let interface: any Any.Type

    /// For the host's own kinds of providers.
    ///
    /// - Parameters:
    ///   - pointName: the name of the extension point.
    ///   - pointVersion: its version.
    ///   - pointExecution: the least safe place where it lets the code run.
    ///   - name: the name of the provider.
    ///   - displayName: the name for users; nil if there is none.
    ///   - order: the position among the providers.
    ///   - interface: the type to which its objects are converted.
    public init(
        pointName: String, pointVersion: UInt32, pointExecution: PluginExecution = .inProcess, name: String,
        displayName: String?, order: Int, interface: any Any.Type
    ) {
        self.pointName = pointName
        self.pointVersion = pointVersion
        self.pointExecution = pointExecution
        self.name = name
        self.displayName = displayName
        self.order = order
        self.interface = interface
    }

    /// The names of the remote interface's methods; nil if the extension point has no remote interface.
    public var remoteMethods: [String]? { nil }

    /// Creates an object for use by another process.
    ///
    /// - Throws: the error of the plug-in; ``RemoteFailure`` with code `notRemote`.
    public func makeServant(_ context: PluginContext) throws -> RemoteServant {
        throw RemoteFailure(
            .notRemote, "The extension point “\(pointName)” has no remote interface.",
            remedy: "Run the plug-in in the application's process, or use an application that declares one.")
    }
}

/// A provider of one interface: the closure contains the conversion that was compiled in the plug-in.
@_spi(PluginHost)
public final class TypedProvider<Interface>: AnyProvider, @unchecked Sendable {
    // @unchecked because the superclass is; `make` is a @Sendable closure.
    /// Creates an object and converts it; the conversion is code of the plug-in.
    public let make: @Sendable (PluginContext) throws -> Interface
    /// How other processes use the objects; nil if they cannot.
    public let makeRemote: @Sendable () -> RemoteInterface<Interface>?

    init(
        point: ExtensionPoint<Interface>, name: String, displayName: String?, order: Int,
        make: @escaping @Sendable (PluginContext) throws -> Interface
    ) {
        self.make = make
        makeRemote = point.makeRemote
        super.init(
            pointName: point.name, pointVersion: point.version, pointExecution: point.execution, name: name,
            displayName: displayName, order: order, interface: Interface.self)
    }

    public override var remoteMethods: [String]? { makeRemote()?.methodNames }

    public override func makeServant(_ context: PluginContext) throws -> RemoteServant {
        guard let remote = makeRemote() else { return try super.makeServant(context) }
        return remote.servant(for: try make(context))
    }
}

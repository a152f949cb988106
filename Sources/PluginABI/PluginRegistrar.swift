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
        append(.pluginClass(name: name, type: type))
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

    /// Offers a plain C function, which the host calls by its signature: `bundle.function("add", "(int32, int32) -> int32")`.
    ///
    /// ```swift
    /// @c func add(_ a: Int32, _ b: Int32) -> Int32 { a &+ b }
    /// …
    /// plugin.register(function: "add", "(int32, int32) -> int32", add as @convention(c) (Int32, Int32) -> Int32)
    /// ```
    /// - Parameters:
    ///   - name: its name for the host, unique in the bundle.
    ///   - signature: the types of its arguments and result, by the grammar of docs/abi.md. It must be the function's own:
    ///     nobody can check it.
    ///   - code: a `@convention(c)` function. Any other value makes the load fail.
    public func register<Code>(function name: String, _ signature: String, _ code: Code) {
        // A Swift closure has a context beside its code, and is no address.
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
    case pluginClass(name: String?, type: any Plugin.Type)
    case provider(AnyProvider)
    /// `code`: nil if what was registered is no C function.
    case function(name: String, signature: String, code: plugin_code?)

    /// The class or provider by its name, for messages.
    public var description: String {
        switch self {
        case .pluginClass(let name, let type): "the class “\(name ?? "\(type)")”"
        case .provider(let provider): "the provider “\(provider.name)”"
        case .function(let name, _, _): "the function “\(name)”"
        }
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

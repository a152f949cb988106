internal import CPluginSupport
internal import CPluginSupport.Shims
import HostBasics
internal import PluginABI

/// A factory that a C or C++ plug-in registered.
///
/// **Threads.** Any. **Lifetime.** May be kept; it also works after the bundle was unloaded.
public struct CProvider: Sendable {
    /// The name, unique in the bundle and at its extension point.
    public let name: String
    /// The extension point, or nil.
    public let extensionPoint: String?
    /// The version of the extension point.
    public let extensionVersion: UInt32
    /// Lower comes first.
    public let order: Int
    /// The bundle that registered it.
    public let bundle: PluginBundle
    let registration: Registrations.CProvider
    let table: HostTable
    let objects: ObjectCount

    /// Creates an object.
    ///
    /// - Throws: ``PluginError`` of code `instantiationFailed` with the reason that the plug-in passed to set_error().
    ///   For a plug-in in a worker process also the errors of starting the process, `notRemote` if
    ///   ``HostEnvironment/remoteTables`` has no description of the table, and `signatureInvalid` if that description
    ///   is wrong.
    public func make() throws -> CInstance {
        HeldLocks.preconditionNone(before: "the create function of a C factory")
        var instance: UnsafeMutableRawPointer?
        _ = table.takeReason()  // discards a reason that was set before this call
        var exception: UnsafeMutablePointer<CChar>?
        let status = phs_call_create(registration.pointer, table.pointer, &instance, &exception)
        if let exception {
            throw bundle.instantiationFailed(
                "the factory \(quoted(name))", CPlusPlusException(taking: exception).failure(in: "create()"))
        }
        guard status == PLUGIN_OK, let instance else {
            if IsolatedLoad.isElsewhere(registration) { return try makeElsewhere() }
            let reason = table.takeReason()
            throw bundle.instantiationFailed(
                "the factory \(quoted(name))",
                PluginFailure(
                    reason?.message
                        ?? (status == PLUGIN_OK ? "it returned no object" : "it returned \(status) and gave no reason"),
                    remedy: reason?.hint ?? ""))
        }
        return CInstance(pointer: instance, factory: registration.pointer, bundle: bundle, objects: objects)
    }
}

/// An object that a ``CProvider`` created; it is released when this Swift object is destroyed.
///
/// **Threads.** As the plug-in's table of functions allows; the final release may happen on any thread.
public final class CInstance: @unchecked Sendable {
    // @unchecked because of the pointers, which never change: the ABI allows release() on any thread.

    /// The object, to pass to the functions of its table.
    public let pointer: UnsafeMutableRawPointer
    private let factory: UnsafePointer<plugin_factory>
    private let bundle: PluginBundle
    private let objects: ObjectCount
    /// The object, if it is in a worker process.
    private let remote: RemoteCObject?

    init(
        pointer: UnsafeMutableRawPointer, factory: UnsafePointer<plugin_factory>, bundle: PluginBundle,
        objects: ObjectCount, remote: RemoteCObject? = nil
    ) {
        self.pointer = pointer
        self.remote = remote
        self.factory = factory
        self.bundle = bundle
        self.objects = objects
        objects.add()
    }

    deinit {
        if HeldLocks.areNone {
            Self.release(pointer, factory, objects)
        } else {
            HeldLocks.afterRelease { [pointer, factory, objects, bundle, remote] in
                withExtendedLifetime((bundle, remote)) { Self.release(pointer, factory, objects) }
            }
        }
    }

    private static func release(
        _ pointer: UnsafeMutableRawPointer, _ factory: UnsafePointer<plugin_factory>, _ objects: ObjectCount
    ) {
        HeldLocks.preconditionNone(before: "the release function of a C factory")
        factory.pointee.release(pointer)
        objects.remove()
    }

    var table: UnsafeRawPointer? { remote == nil ? factory.pointee.functions : remote?.table?.address }

    /// The first error of a table function that had no way to report it, such as the end of the worker process.
    ///
    /// Such a function returns zero, or a failure if it returns a `plugin_status`. Nil for an object in the
    /// application's process, which reports its own errors.
    public var failure: PluginError? { remote?.failure }

    /// The table of functions, as the application's API header defines it for this extension point.
    ///
    /// - Returns: the table, or nil if the plug-in has none. It must be a `Table`; the extension point's version
    ///   guarantees that. The table of an object in a worker process is valid as long as this object exists.
    public func functions<Table>(as type: Table.Type) -> UnsafePointer<Table>? {
        table?.assumingMemoryBound(to: Table.self)
    }
}

extension PluginBundle {
    /// The C factories of this bundle in order, after loading the bundle if necessary.
    ///
    /// - Parameters:
    ///   - extensionPoint: return only factories at this extension point; nil for all.
    ///   - version: return only factories of this version; nil for all.
    /// - Returns: the factories; empty if none match.
    /// - Throws: ``PluginError``: the errors of a load.
    public func cProviders(at extensionPoint: String? = nil, version: UInt32? = nil) throws -> [CProvider] {
        cProviders(at: extensionPoint, version: version, in: try loadedCode())
    }

    func cProviders(at extensionPoint: String?, version: UInt32?, in code: LoadedCode) -> [CProvider] {
        code.registrations.cProviders
            .filter {
                (extensionPoint == nil || $0.point == extensionPoint) && (version == nil || $0.version == version)
            }
            .map { cProvider($0, in: code) }
            .sorted { $0.order < $1.order }
    }
    func cProvider(_ factory: Registrations.CProvider, in code: LoadedCode) -> CProvider {
        let point = factory.point.isEmpty ? nil : factory.point
        return CProvider(
            name: factory.name, extensionPoint: point, extensionVersion: factory.version, order: factory.order,
            bundle: self, registration: factory, table: code.table,
            objects: code.objects.count(.cProvider, factory.name, at: point))
    }
}

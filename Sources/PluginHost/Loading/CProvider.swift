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
        return CInstance(pointer: instance, of: self)
    }
}

/// An object that a ``CProvider`` created; it is released when this Swift object is destroyed.
///
/// **Threads.** As the plug-in's table of functions allows; the final release may happen on any thread.
public final class CInstance: @unchecked Sendable {
    // @unchecked because of the pointers, which never change: the ABI allows release() on any thread.

    /// The object, to pass to the functions of its table.
    public let pointer: UnsafeMutableRawPointer
    private let provider: CProvider
    /// The object, if it is in a worker process.
    private let remote: RemoteCObject?

    init(pointer: UnsafeMutableRawPointer, of provider: CProvider, remote: RemoteCObject? = nil) {
        self.pointer = pointer
        self.remote = remote
        self.provider = provider
        provider.objects.add()
    }

    deinit {
        if HeldLocks.areNone {
            Self.release(pointer, provider)
        } else {
            HeldLocks.afterRelease { [pointer, provider, remote] in
                withExtendedLifetime(remote) { Self.release(pointer, provider) }
            }
        }
    }

    private static func release(_ pointer: UnsafeMutableRawPointer, _ provider: CProvider) {
        HeldLocks.preconditionNone(before: "the release function of a C factory")
        provider.registration.pointer.pointee.release(pointer)
        provider.objects.remove()
    }

    var table: UnsafeRawPointer? {
        remote == nil ? provider.registration.pointer.pointee.functions : remote?.table?.address
    }

    /// Removes and returns the reason why a table function failed on this thread.
    ///
    /// Call it on the thread of the failing call, right after it:
    /// `if divide(object.pointer, 1, 0, &result) != PLUGIN_OK { throw object.takeFailure() ?? … }`.
    ///
    /// - Returns: an error of code `functionFailed` with what the plug-in last passed to set_error() on this thread, also
    ///   for another of its objects; nil if it passed nothing since the last error was taken. For an object in a worker
    ///   process, the error of the latest call of this object on this thread that failed, with its function as the
    ///   subject; this is also `workerEnded` or another error of the process. A function that cannot report such an error
    ///   returned zero.
    public func takeFailure() -> PluginError? {
        if let remote { return remote.takeFailure() }
        return provider.table.takeReason().map { reason in
            PluginError(
                bundlePath: provider.bundle.bundlePath,
                PluginFinding(
                    .functionFailed, filePath: provider.bundle.executablePath, subject: provider.name,
                    message: """
                        A function of the table of \(quoted(provider.name)) failed\(reason.origin): \
                        \((reason.words ?? "it gave no reason").asSentence)
                        """,
                    remedy: reason.hint.asSentence, systemMessage: reason.words))
        }
    }

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

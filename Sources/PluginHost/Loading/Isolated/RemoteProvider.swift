import HostBasics
@_spi(PluginHost) internal import PluginABI
import PluginWorkers

/// A provider of a bundle whose code runs in a worker process.
///
/// It creates proxies.
final class RemoteProvider: AnyProvider, @unchecked Sendable {
    // @unchecked because the superclass is; every stored property is an immutable Sendable value.
    private let bundle: PluginBundle

    init(_ provider: LoadedReport.ReportedProvider, of bundle: PluginBundle) {
        self.bundle = bundle
        // No application uses this type as an interface, so a look-up detects that this is not a typed provider.
        super.init(
            pointName: provider.point, pointVersion: provider.pointVersion, name: provider.name,
            displayName: provider.text, order: provider.order, interface: RemoteProvider.self)
    }

    private var key: Registrations.Key { Registrations.Key(point: pointName, name: name) }

    /// The provider for a host's interface.
    ///
    /// - Throws: `notRemote` if the application declares no remote interface for the point.
    @inline(never)
    func typed<Interface>(for point: ExtensionPoint<Interface>, in code: LoadedCode) throws -> Provider<Interface> {
        guard let interface = point.remote else { throw notRemote("the application") }
        return Provider(
            name: name, order: order, bundle: bundle, text: displayName ?? name,
            create: { [self] _ in try make(interface) }, context: code.context,
            objects: code.objects.count(.provider, name, at: pointName))
    }

    /// An object whose interface the caller does not know.
    ///
    /// It exists as long as the result.
    func makeObject() throws -> RemoteObject {
        do {
            return try make(RemoteInterface<RemoteObject>(proxy: { $0 }, methods: []))
        } catch {
            if let failure = error as? HostFailure { throw failure.error }
            throw bundle.instantiationFailed("the provider \(quoted(name))", error)
        }
    }

    private func make<Interface>(_ interface: RemoteInterface<Interface>) throws -> Interface {
        let found = try find()
        // The connection has its own hold now, so the hold of find() may end.
        let connection = found.code.connection.connection(of: name, number: found.number)
        withExtendedLifetime(found.hold) {}
        do {
            return try interface.make(found.number, methods: found.methods, over: connection)
        } catch {
            // Every error except one of the plug-in is an error of the host.
            if error is PluginFailure || (error as? RemoteFailure)?.code == .callFailed { throw error }
            throw HostFailure(
                error: bundle.workerError(connection.error(error, from: "init(context:)", during: .make(name))))
        }
    }

    /// Finds the provider in the process that runs the code now.
    private func find() throws(HostFailure) -> (
        code: RunningCode, hold: WorkerHold, number: UInt32, methods: [String]
    ) {
        do throws(PluginError) {
            let (code, hold) = try bundle.isolatedCode().held()
            // The file may have been replaced since the bundle was loaded.
            guard let provider = code.provider(key), provider.pointVersion == pointVersion else { throw missing }
            guard let methods = provider.methods else { throw notRemote("the plug-in") }
            return (code, hold, provider.number, methods)
        } catch {
            throw HostFailure(error: error)
        }
    }

    private func notRemote(_ who: String) -> PluginError {
        PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                .notRemote, filePath: bundle.executablePath, subject: pointName,
                message: """
                    The plug-in runs in a process of its own, but the extension point \(quoted(pointName)) has no remote \
                    interface in \(who).
                    """,
                remedy: who == "the application"
                    ? """
                    Run “swift package remote-interfaces”, and name the result where the point is declared: \
                    ExtensionPoint(…, remote: PROTOCOLProxy.interface). Or let the plug-in run in the application's process.
                    """
                    : "Build the plug-in against the application's current API."))
    }

    private var missing: PluginError {
        PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                .superseded, filePath: bundle.executablePath, subject: name,
                message: """
                    The plug-in no longer registers the provider \(quoted(name)) for version \(pointVersion) of \
                    \(quoted(pointName)): its file was replaced after the bundle was loaded.
                    """,
                remedy: "Unload the bundle and load it again."))
    }
}

/// An error of the host during the creation of an object.
///
/// The caller gets the error inside unchanged.
struct HostFailure: Error {
    let error: PluginError
}

extension PluginBundle {
    /// The code in a worker process of a bundle that is loaded.
    ///
    /// Look this up at every use: a reload replaces the code.
    func isolatedCode() throws(PluginError) -> IsolatedCode {
        if let code = currentCode?.isolated { return code }
        throw PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .workerEnded, filePath: executablePath,
                message: "The bundle was unloaded or replaced, and the process that ran its code has ended.",
                remedy: "Load the bundle again, or get the provider from the bundle that replaced it."))
    }
}

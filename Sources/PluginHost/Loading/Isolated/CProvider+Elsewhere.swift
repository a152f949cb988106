internal import CPluginSupport
import ForeignCalls
import HostBasics
@_spi(PluginHost) internal import PluginABI

extension CProvider {
    /// Creates an object in the worker process that runs the plug-in's code.
    func makeElsewhere() throws -> CInstance {
        let point = extensionPoint ?? ""
        let known = HostEnvironment.current.remoteTables.first {
            $0.extensionPoint == point && $0.version == extensionVersion
        }
        guard let description = known else { throw undescribed }
        let (code, hold) = try bundle.isolatedCode().held()
        guard let number = code.cProvider(name, at: point, version: extensionVersion) else { throw missing }
        let desk: any CObjectDesk
        do {
            desk = try CObjectProxy.interface.make(
                number, methods: CObjectProxy.interface.methodNames,
                over: code.connection.connection(of: name, number: 0))
        } catch {
            if error is PluginFailure || (error as? RemoteFailure)?.code == .callFailed {
                throw bundle.instantiationFailed("the factory \(quoted(name))", error)
            }
            throw bundle.workerError(code.connection.error(error, from: "create", during: .make(name)))
        }
        let object = RemoteCObject(
            desk, try table(description, desk, in: code), over: code.connection, hold, of: name, bundle)
        return CInstance(pointer: object.pointer, of: self, remote: object)
    }

    /// The table of functions for the objects in one process; nil if the factory has none.
    private func table(
        _ description: CRemoteTable, _ desk: any CObjectDesk, in code: RunningCode
    ) throws -> RemoteCTable? {
        let layout: CTableLayout
        do throws(CTableLayout.Fault) { layout = try CTableLayout(description.fields) } catch {
            throw wrong(description, error)
        }
        let answer: CTableAnswer
        do {
            answer = try desk.describe(description.fields.map { [$0.name, $0.type] })
        } catch {
            throw bundle.workerError(code.connection.error(error, from: "create", during: .make(name)))
        }
        switch answer {
        case .none: return nil
        case .failed(let error): throw error.error(of: bundle)
        case .table(let contents):
            let key = Registrations.Key(point: extensionPoint ?? "", name: name)
            return try code.table(key, description) {
                do throws(ForeignFault) {
                    return try RemoteCTable(description, layout, contents, of: bundle)
                } catch {
                    throw bundle.instantiationFailed(
                        "the factory \(quoted(name))", PluginFailure("its table \(error.description)"))
                }
            }
        }
    }

    // MARK: Errors

    private var undescribed: PluginError {
        PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                .notRemote, filePath: bundle.executablePath, subject: name,
                message: """
                    The plug-in runs in a process of its own, and the application does not describe the table of the \
                    factory \(quoted(name))\(extensionPoint.map { " at \(quoted($0))" } ?? ""), so it cannot be used from \
                    another process.
                    """,
                remedy: """
                    Describe the table with a CRemoteTable in HostEnvironment.remoteTables, or let the plug-in run in the \
                    application's process.
                    """))
    }

    private func wrong(_ description: CRemoteTable, _ fault: CTableLayout.Fault) -> PluginError {
        PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                .signatureInvalid, subject: fault.field,
                message: """
                    The field \(quoted(fault.field)) in the application's CRemoteTable for \
                    \(quoted(description.extensionPoint)) \(fault.reason).
                    """,
                remedy: "Correct the description; the documentation of CRemoteTable lists what can cross."))
    }

    private var missing: PluginError {
        PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                .superseded, filePath: bundle.executablePath, subject: name,
                message: """
                    The plug-in no longer registers the factory \(quoted(name)): its file was replaced after the bundle was \
                    loaded.
                    """,
                remedy: "Unload the bundle and load it again."))
    }
}

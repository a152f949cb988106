import HostBasics
@_spi(PluginHost) internal import PluginABI
import PluginWorkers

/// The plug-ins of a worker process, which it serves to its host.
///
/// **Threads.** Any: control messages arrive on one thread, and calls on the threads of the lanes.
final class WorkerPlugins: Sendable {
    private struct Loaded {
        let bundle: PluginBundle
        let report: LoadedReport
        var functions: [String: ForeignFunction] = [:]
    }

    /// Makes an object of a provider or C factory.
    private typealias Source = @Sendable () throws -> RemoteServant

    private struct State {
        /// The bundles by the host's numbers.
        ///
        /// Nothing is removed, because code stays in the process.
        var bundles: [UInt32: Loaded] = [:]
        /// The providers in the order of their numbers, which begin after the desk's number.
        var providers: [Source] = []
    }

    private let state = Lock(State())

    /// The server that makes the objects for the host.
    func makeServer() -> RemoteServer { RemoteServer { [self] number in try servant(number) } }

    private func servant(_ number: UInt32) throws -> RemoteServant {
        if number == WorkerDeskProxy.number { return WorkerDeskProxy.interface.servant(for: self) }
        let source = state.withLock { state in
            number <= state.providers.count ? state.providers[Int(number) - 1] : nil
        }
        guard let source else {
            throw RemoteFailure.violation("A message refers to provider \(number), which does not exist.")
        }
        do {
            return try source()
        } catch let error as PluginError {
            // An error of the library itself, such as a missing service: pass as much of its text as a plug-in's error
            // can carry.
            throw PluginFailure(error.findings[0].message, remedy: error.findings[0].remedy)
        }
    }

    /// Opens the code of a bundle and calls its entry.
    ///
    /// - Returns: what the bundle registered; the same report again if it was loaded before.
    func load(_ bundle: PluginBundle, as number: UInt32) throws(PluginError) -> LoadedReport {
        let code = try bundle.enter()
        let known = state.withLock { state in
            let known = state.bundles.values.first { $0.bundle === bundle }
            if let known { state.bundles[number] = known }
            return known?.report
        }
        if let known { return known }
        let sources =
            code.registrations.providers.map { provider -> Source in { try provider.makeServant(code.context) } }
            + code.registrations.cProviders.map { factory -> Source in
                let factory = ServedCFactory(bundle.cProvider(factory, in: code), code)
                return { try factory.make() }
            }
        var report = LoadedReport(of: code, in: bundle)
        return state.withLock { state in
            for index in report.providers.indices {
                report.providers[index].number = UInt32(state.providers.count + index + 1)
            }
            for index in report.cProviders.indices {
                report.cProviders[index].number = UInt32(
                    state.providers.count + report.providers.count + index + 1)
            }
            state.providers += sources
            state.bundles[number] = Loaded(bundle: bundle, report: report)
            return report
        }
    }

    /// Lets the plug-in withdraw its registrations.
    func deactivate(_ bundle: UInt32) throws { try self.bundle(bundle).unloadAndReturnError() }

    /// Lets every plug-in that still has registrations withdraw them.
    func deactivateAll() {
        for bundle in Set(state.withLock { $0.bundles.values.map(\.bundle) }) { _ = try? bundle.unloadAndReturnError() }
    }

    func bundle(numbered number: UInt32) -> PluginBundle? { state.withLock { $0.bundles[number]?.bundle } }

    func number(of bundle: PluginBundle) -> UInt32? {
        state.withLock { $0.bundles.first { $0.value.bundle === bundle }?.key }
    }

    private func bundle(_ number: UInt32) throws -> PluginBundle {
        guard let bundle = bundle(numbered: number) else {
            throw RemoteFailure.violation("A message refers to bundle \(number), which does not exist.")
        }
        return bundle
    }
}

extension WorkerPlugins: WorkerDesk {
    func activate(_ bundle: UInt32) throws -> ActivationOutcome {
        do {
            let bundle = try self.bundle(bundle)
            try bundle.loadAndReturnError()
            return ActivationOutcome(warnings: bundle.loadWarnings)
        } catch let error as PluginError {
            return ActivationOutcome(failure: SentError(error))
        }
    }

    func makeObject(_ bundle: UInt32, _ name: String, _ point: String, _ isFactory: Bool) throws -> SentError? {
        let bundle = try self.bundle(bundle)
        let registration = bundle.registrations.first {
            $0.kind == (isFactory ? .cProvider : .provider) && $0.name == name && $0.extensionPoint ?? "" == point
        }
        guard let registration else {
            throw RemoteFailure.violation("A message refers to the provider “\(name)”, which does not exist.")
        }
        do {
            _ = try bundle.makeObject(of: registration)
            return nil
        } catch let error as PluginError {
            return SentError(error)
        }
    }

    func call(_ bundle: UInt32, _ function: String, _ arguments: [SentValue]) throws -> FunctionOutcome {
        do {
            return .returned(SentValue(try self.function(function, of: bundle).call(with: arguments.map(\.value))))
        } catch let error as PluginError {
            return .failed(SentError(error))
        }
    }

    private func function(_ name: String, of number: UInt32) throws -> ForeignFunction {
        let bundle = try bundle(number)
        if let known = state.withLock({ $0.bundles[number]?.functions[name] }) { return known }
        let function = try bundle.function(name)
        state.withLock { $0.bundles[number]?.functions[name] = function }
        return function
    }
}

extension LoadedReport {
    /// The registrations of code in this process, without numbers.
    fileprivate init(of code: LoadedCode, in bundle: PluginBundle) {
        let registrations = code.registrations
        self.init(
            providers: registrations.providers.map {
                ReportedProvider(
                    number: 0, name: $0.name, point: $0.pointName, pointVersion: $0.pointVersion, order: $0.order,
                    text: $0.displayName ?? $0.name, methods: $0.remoteMethods)
            },
            cProviders: registrations.cProviders.map {
                ReportedCProvider(number: 0, name: $0.name, point: $0.point, pointVersion: $0.version, order: $0.order)
            },
            functions: registrations.functions.values.sorted { $0.name < $1.name }.map {
                ReportedFunction(number: 0, name: $0.name, signature: $0.signature.description)
            },
            classes: registrations.classes.map(\.name), classNames: code.classNames,
            exports: bundle.manifest.functions.keys.sorted().filter {
                registrations.functions[$0] == nil && code.library?.code(of: $0) != nil
            },
            warnings: code.warnings)
    }
}

internal import CPluginSupport
@_spi(PluginHost) internal import PluginABI
import PluginWorkers

/// One attempt to load a bundle's code in a worker process.
///
/// The process inspects and opens the files. Here, only its list of registrations is checked, because it may state
/// anything.
struct IsolatedLoad {
    let bundle: PluginBundle

    /// Loads the code.
    ///
    /// Activates nothing.
    ///
    /// `table`: the table of an earlier load of the bundle, which has the same content.
    func run(table: HostTable?) throws(PluginError) -> LoadedCode {
        try bundle.requireUsableManifest()
        _ = try bundle.openExecutable()
        let running = try RunningCode.start(bundle, PoisonCalls())
        let report = running.report
        let registrations = try registrations(of: report, in: running.session.execution)
        let warnings = report.warnings.filter { $0.severity == .warning }
        let findings =
            bundle.differences(of: registrations, in: nil).filter { $0.severity == .error }
            + warnings.filter { $0.code != .processChanged }
        return LoadedCode(
            isolated: IsolatedCode(bundle, running), registrations: registrations, findings: findings,
            changes: warnings.filter { $0.code == .processChanged },
            table: table ?? HostTable(bundle: bundle))
    }

    private func registrations(
        of report: LoadedReport, in place: PluginExecution
    ) throws(PluginError) -> Registrations {
        var registrations = Registrations()
        for point in report.providers.map(\.point) + report.cProviders.map(\.point) {
            try require(ExecutionDemand(point, .inProcess, in: place, of: bundle).map { .demand($0) })
        }
        for provider in report.providers {
            try require(registrations.add(RemoteProvider(provider, of: bundle)))
        }
        for factory in report.cProviders {
            try require(
                registrations.add(
                    Registrations.CProvider(
                        pointer: Self.factoryElsewhere, name: factory.name, point: factory.point,
                        version: factory.pointVersion, order: factory.order)))
        }
        for function in report.functions {
            try require(
                registrations.add(function: function.name, signature: function.signature, code: Self.codeElsewhere))
        }
        return registrations
    }

    private func require(_ fault: Registrations.Fault?) throws(PluginError) {
        guard let fault else { return }
        throw PluginError(bundlePath: bundle.bundlePath, HostTable.finding(fault))
    }

    // MARK: What stands for code of another process

    /// A factory that never creates an object.
    ///
    /// `unsafe` only because the compiler cannot see that it never changes.
    nonisolated(unsafe) private static let factoryElsewhere: UnsafePointer<plugin_factory> = {
        let factory = UnsafeMutablePointer<plugin_factory>.allocate(capacity: 1)
        factory.initialize(
            to: plugin_factory(
                header: plugin_header(size: UInt32(MemoryLayout<plugin_factory>.size), version: 1),
                name: plugin_string(), extension_point: plugin_string(), extension_version: 0, order: 0,
                user_data: nil, functions: nil, create: { _, _, _ in plugin_status(PLUGIN_FAILED) }, retain: nil,
                release: { _ in }))
        return UnsafePointer(factory)
    }()

    /// Whether a factory is in another process, so that its functions cannot be called here.
    static func isElsewhere(_ factory: Registrations.CProvider) -> Bool { factory.pointer == factoryElsewhere }

    /// A function that is never called.
    static let codeElsewhere: plugin_code = {}
}

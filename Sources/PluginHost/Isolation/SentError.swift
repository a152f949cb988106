@_spi(PluginHost) internal import PluginABI
import PluginWorkers

/// An error of a bundle on its way from a worker process to the host.
struct SentError: RemoteValue {
    let findings: [PluginFinding]

    init(_ error: PluginError) { findings = error.findings }

    init(_ findings: [PluginFinding]) { self.findings = findings }

    /// The error, with the host's own path of the bundle, whatever the worker states.
    func error(of bundle: PluginBundle) -> PluginError {
        PluginError(bundlePath: bundle.bundlePath, findings: findings)
    }

    func write(to writer: inout RemoteWriter) throws { try writer.write(findings.map(SentFinding.init)) }

    static func read(from reader: inout RemoteReader) throws -> Self {
        let findings = try reader.next([SentFinding].self).map(\.finding)
        guard !findings.isEmpty else { throw RemoteFailure.violation("An error of a worker has no findings.") }
        return Self(findings)
    }
}

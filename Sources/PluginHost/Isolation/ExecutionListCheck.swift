public import HostBasics
import HostRecords

/// The administrator's lists of where plug-ins run, for a tool.
@_spi(Tools) public struct ExecutionListCheck {
    /// The identifiers in each file, sorted; `*` stands for every plug-in.
    @_spi(Tools) public let files: [(path: String, identifiers: [String])]
    /// Why files cannot be used; empty if nothing is wrong.
    @_spi(Tools) public let findings: [PluginFinding]

    /// Reads the lists for an application.
    @_spi(Tools) public init(_ application: String) {
        let read = ExecutionList.read(of: application)
        files = read.files.map { ($0.path, $0.content.identifiers) }
        findings = read.findings
    }
}

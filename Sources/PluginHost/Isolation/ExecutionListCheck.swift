public import HostBasics
import HostRecords

/// Checks the administrator's lists of where plug-ins run, for a tool.
@_spi(Tools) public enum ExecutionListCheck {
    /// Why files cannot be used; empty if nothing is wrong.
    @_spi(Tools) public static func findings(for application: String) -> [PluginFinding] {
        ExecutionList.read(of: application).findings
    }
}

public import HostBasics
public import InterfaceRecords

/// Compares records as a load does, for the fuzzer, which is another package.
@_spi(Tools) public enum RecordComparisonTrial {
    /// The findings for a plug-in that implements every protocol of its record, and then for one that only uses them.
    ///
    /// - Parameters:
    ///   - record: what the plug-in was compiled against.
    ///   - current: what the libraries have now; nil if they have no usable record.
    /// - Returns: the differences, as a load reports them.
    public static func findings(for record: InterfaceRecord, now current: InterfaceRecord?) -> [PluginFinding] {
        var findings: [PluginFinding] = []
        var implementing = RecordComparison(record)
        for module in record.modules.values {
            for (interface, entry) in module.interfaces {
                let use = RecordComparison.Use(type: { "Own.Type" }, interface: interface, library: "/libAPI.so")
                let finding = implementing.finding(for: use, current: current) {
                    entry.requirements.map { RequirementKind(of: $0) }
                }
                if let finding { findings.append(finding) }
            }
        }
        var using = RecordComparison(record)
        return findings + using.typeFindings { _, _ in current.map { ("/libAPI.so", $0) } }
    }
}

import InterfaceRecords
import PluginPacking
import PluginTranslating

extension InterfaceRecorder {
    /// The content of a section with a record.
    ///
    /// The functions are left out if the section would be too large: only forecasts need them.
    static func content(of record: InterfaceRecord) -> [UInt8] {
        let whole = BinaryListWriter.bytes(record.list)
        guard whole.count > InterfaceRecord.sizeLimit else { return whole }
        var smaller = record
        for name in record.modules.keys { smaller.modules[name]?.functionText = nil }
        return BinaryListWriter.bytes(smaller.list)
    }
}

import InterfaceRecords
import PluginPacking
import PluginTranslating

extension InterfaceRecorder {
    /// Writes a record into a library, unless it is empty.
    ///
    /// Throws the errors of ``write(_:into:)``; the library is then unchanged.
    static func write(_ record: InterfaceRecord, into path: String) throws(PackingError) {
        if !record.isEmpty { try write(content(of: record), into: path) }
    }

    /// The content of a section with a record.
    ///
    /// The functions are left out if the section would be too large: only forecasts need them.
    private static func content(of record: InterfaceRecord) -> [UInt8] {
        let whole = BinaryListWriter.bytes(record.list)
        guard whole.count > InterfaceRecord.sizeLimit else { return whole }
        var smaller = record
        for name in record.modules.keys { smaller.modules[name]?.functionText = nil }
        return BinaryListWriter.bytes(smaller.list)
    }
}

/// A candidate as a scan found it, ready for the index.
///
/// An object, because its record has many parts: to hand it on counts one reference. Records are read on all processors,
/// so all that can be made of one alone is made there, too.
final class ScannedBundle: Sendable {
    /// In its folder.
    let name: String
    let stamp: IndexStamp
    let record: PluginRecord
    /// The record's version.
    let version: PluginVersion
    /// The record as the index keeps it.
    let bytes: [UInt8]
    /// Whether it requires anything of the host or of others. Nearly all require nothing.
    let hasRequirements: Bool
    /// How long the reading took; nil for what was known.
    let nanoseconds: Int64?

    init(name: String, stamp: IndexStamp, record: PluginRecord, nanoseconds: Int64) {
        self.name = name
        self.stamp = stamp
        self.record = record
        version = record.pluginVersion
        hasRequirements = record.hasRequirements
        var writer = RecordWriter()
        writer.reserve(512)
        record.write(to: &writer)
        bytes = writer.bytes
        self.nanoseconds = nanoseconds
    }

    /// What an index knows of a candidate.
    init(_ entry: IndexEntry, in index: CatalogIndex) {
        name = index.name(entry)
        stamp = entry.stamp
        record = index.record(entry)
        version = record.pluginVersion
        hasRequirements = record.hasRequirements
        bytes = index.bytes.withUnsafeBytes { Array($0[entry.record.range]) }
        nanoseconds = nil
    }
}

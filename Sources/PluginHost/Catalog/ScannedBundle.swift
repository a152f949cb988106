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
    /// Whether it requires anything of the host or of others. Nearly all require nothing.
    let hasRequirements: Bool
    /// The record as the index keeps it: part of the bytes of many.
    let bytes: ArraySlice<UInt8>
    /// How long the reading took; nil for what was known.
    let nanoseconds: Int64?

    private init(_ found: consuming Writer.Found, bytes: ArraySlice<UInt8>) {
        version = found.record.pluginVersion
        hasRequirements = found.record.hasRequirements
        name = found.name
        stamp = found.stamp
        nanoseconds = found.nanoseconds
        record = found.record
        self.bytes = bytes
    }

    /// What an index knows of candidates.
    static func known(_ entries: [CandidateRow], in index: CatalogIndex) -> [ScannedBundle] {
        var writer = Writer(count: entries.count)
        for entry in entries { writer.add(entry, in: index) }
        return writer.bundles()
    }

    /// Puts the records of several bundles one after the other, in memory of all.
    struct Writer {
        fileprivate struct Found {
            let name: String
            let stamp: IndexStamp
            let record: PluginRecord
            let nanoseconds: Int64?
            let end: Int
        }

        private var found: [Found] = []
        private var records = RecordWriter()

        init(count: Int) {
            found.reserveCapacity(count)
            records.reserve(320 * count)
        }

        mutating func add(name: String, stamp: IndexStamp, record: PluginRecord, nanoseconds: Int64) {
            record.write(to: &records)
            found.append(
                Found(name: name, stamp: stamp, record: record, nanoseconds: nanoseconds, end: records.bytes.count))
        }

        mutating func add(_ entry: CandidateRow, in index: CatalogIndex) {
            index.bytes.withUnsafeBytes { records.append(UnsafeRawBufferPointer(rebasing: $0[entry.record.range])) }
            found.append(
                Found(
                    name: index.name(entry), stamp: entry.stamp, record: index.record(entry), nanoseconds: nil,
                    end: records.bytes.count))
        }

        /// What was written. From the last to the first, because what is taken from an array's end is not copied.
        consuming func bundles() -> [ScannedBundle] {
            var bundles: [ScannedBundle] = []
            bundles.reserveCapacity(found.count)
            while let last = found.popLast() {
                let place = (found.last?.end ?? 0)..<last.end
                bundles.append(ScannedBundle(last, bytes: records.bytes[place]))
            }
            bundles.reverse()
            return bundles
        }
    }
}

package import HostBasics

/// A candidate found by a scan, ready for the index.
///
/// It is an object because its record has many parts: passing it on retains only one reference. Records are read on all
/// processors, and everything that depends on a single record is also computed there.
package final class ScannedBundle: Sendable {
    /// The name in its folder.
    package let name: String
    package let stamp: IndexStamp
    package let record: PluginRecord
    /// The record's version.
    package let version: PluginVersion
    /// Whether it requires anything from the host or from other bundles.
    ///
    /// Nearly all bundles require nothing.
    package let hasRequirements: Bool
    /// The record in the form of the index: a slice of the bytes of many records.
    package let bytes: ArraySlice<UInt8>
    /// How long it took to read; nil if it was already known.
    package let nanoseconds: Int64?

    private init(_ found: consuming Writer.Found, bytes: ArraySlice<UInt8>) {
        version = found.record.pluginVersion
        hasRequirements = found.record.hasRequirements
        name = found.name
        stamp = found.stamp
        nanoseconds = found.nanoseconds
        record = found.record
        self.bytes = bytes
    }

    /// The candidates that an index already contains.
    package static func known(_ rows: [CandidateRow], in index: CatalogIndex) -> [ScannedBundle] {
        var writer = Writer(count: rows.count)
        for row in rows { writer.add(row, in: index) }
        return writer.bundles()
    }

    /// Writes the records of several bundles one after the other into shared memory.
    package struct Writer {
        fileprivate struct Found {
            package let name: String
            package let stamp: IndexStamp
            package let record: PluginRecord
            package let nanoseconds: Int64?
            package let end: Int
        }

        private var found: [Found] = []
        private var records = RecordWriter()

        package init(count: Int) {
            found.reserveCapacity(count)
            records.reserve(320 * count)
        }

        package mutating func add(name: String, stamp: IndexStamp, record: PluginRecord, nanoseconds: Int64) {
            record.write(to: &records)
            found.append(
                Found(name: name, stamp: stamp, record: record, nanoseconds: nanoseconds, end: records.bytes.count))
        }

        package mutating func add(_ row: CandidateRow, in index: CatalogIndex) {
            index.bytes.withUnsafeBytes { records.append(UnsafeRawBufferPointer(rebasing: $0[row.record.range])) }
            found.append(
                Found(
                    name: index.name(row), stamp: row.stamp, record: index.record(row), nanoseconds: nil,
                    end: records.bytes.count))
        }

        /// The bundles that were written.
        ///
        /// It begins with the last one, because removing elements from the end of an array copies nothing.
        package consuming func bundles() -> [ScannedBundle] {
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

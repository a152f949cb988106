package import HostBasics
internal import PropertyLists
import Synchronization

/// All data of a catalogue, as bytes: the result of a scan, the content of the index file, and the data for look-ups.
///
/// All three have the same form, so a start with an index file reads only that file: no data about a bundle is decoded
/// until something requests it. The parts are in this order; numbers are little-endian:
///
/// | part | content |
/// | --- | --- |
/// | header | ``IndexHeader`` |
/// | candidates | one ``CandidateRow`` for each candidate, by folder, by name |
/// | plug-ins | numbers of the candidates that are in use, by identifier |
/// | load order | the same numbers; each plug-in comes after those that it requires |
/// | extensionRows | one ``ExtensionRow`` for each extension at an extension point, by point, order and candidate |
/// | openings | one ``OpeningRow`` for each extension, MIME type or identifier of a plug-in's documents, by hash |
/// | texts | names and records (``PluginRecord``) of the rows; at ``IndexHeader/foldersOffset`` the rules, the folders, and which candidates replace older identifiers |
///
/// **Threads.** Immutable. **Cost.** About 400 bytes a bundle.
package final class CatalogIndex: Sendable {
    package let bytes: [UInt8]
    private let header: IndexHeader
    package let folders: [Folder]
    /// The other inputs of the verdicts, apart from the bundles: the host's version and capabilities.
    package let environment: String
    /// By an older identifier, the candidate in use that takes its place.
    package let replacing: [String: Int]
    /// The time in nanoseconds that it took to read each candidate, by the position of its name.
    ///
    /// Contains only the candidates that this process read. Not part of the bytes.
    package let readings: [Int: Int64]
    /// Whether the system temporarily refused to let a file or directory be read.
    ///
    /// Not part of the bytes.
    package let isPassing: Bool
    /// The types of documents, created at the first question.
    ///
    /// Not part of the bytes.
    let knownTypes = AtomicLazyReference<KnownTypes>()

    /// One search path.
    package struct Folder: Sendable, Equatable {
        /// The path as given, made absolute.
        package var path: String
        /// The path with its links resolved.
        package var realPath: String
        package var stamp: IndexStamp
        package var candidates: Range<Int>
        /// Why it could not be listed, or nil.
        package var finding: PluginFinding?
    }

    /// Why bytes are not a valid index.
    package struct Fault: Error, Equatable {
        /// The end of a sentence.
        package let reason: String
        /// Whether the bytes have no fault and another version of the library wrote them.
        package var isOfOtherFormat = false
    }

    /// Accepts bytes as an index after checking them for every possible fault.
    ///
    /// Afterwards, no look-up can read outside the bytes.
    ///
    /// **Cost.** One pass over the bytes for the checksum, and one over the rows.
    package init(bytes: [UInt8], readings: [Int: Int64] = [:], isPassing: Bool = false) throws(Fault) {
        self.isPassing = isPassing
        self.bytes = bytes
        self.readings = readings
        // A Result, because an array passes its bytes only to functions without typed errors.
        let header = try bytes.withUnsafeBytes { bytes in
            Result { () throws(Fault) in try IndexHeader(checking: bytes) }
        }.get()
        self.header = header
        var isCutOff = false
        let pairs: [(String, Int)]
        (environment, folders, pairs) = bytes.withUnsafeBytes { bytes in
            var reader = RecordReader(UnsafeRawBufferPointer(rebasing: bytes[header.foldersOffset...]))
            defer { isCutOff = reader.isDamaged }
            return (
                reader.text(), reader.list(Folder.smallest) { Folder(from: &$0) },
                reader.list(4 + 4) { ($0.text(), Int($0.number(UInt32.self))) }
            )
        }
        replacing = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        if isCutOff { throw Fault(reason: "its list of folders is cut off") }
        try checkRows()
    }

    private func checkRows() throws(Fault) {
        var next = 0
        for folder in folders {
            guard folder.candidates.lowerBound == next else { throw Fault(reason: "its folders overlap") }
            next = folder.candidates.upperBound
        }
        guard replacing.values.allSatisfy({ $0 < candidateCount }) else {
            throw Fault(reason: "an identifier is replaced by no candidate")
        }
        guard next == candidateCount else { throw Fault(reason: "its folders do not contain all of its candidates") }
        // Each record is decoded separately: in a damaged file, thousands of candidates could share one record and fill
        // the memory.
        var budget = ReadingBudget(inputSize: bytes.count)
        let damage: Fault? = bytes.withUnsafeBytes { bytes in
            for (number, folder) in folders.enumerated() {
                for candidate in folder.candidates {
                    let row = candidateRow(candidate)
                    if let fault = check(row, folder: number, bytes) { return fault }
                    let size =
                        row.name.length + row.identifier.length + row.record.length + row.findings.length
                    guard budget.take(bytes: size) else { return Fault(reason: "its candidates overlap") }
                }
            }
            for number in 0..<header.pluginCount
            where plugin(number) >= candidateCount || inLoadOrder(number) >= candidateCount {
                return Fault(reason: "plug-in \(number) is not one of its candidates")
            }
            for number in 0..<header.extensionCount {
                let row = self.extensionRow(number)
                guard row.point.isInside(bytes), row.name.isInside(bytes),
                    row.candidate < candidateCount
                else {
                    return Fault(reason: "extension \(number) points outside of the file")
                }
                guard budget.take(bytes: row.point.length + row.name.length) else {
                    return Fault(reason: "its rows of extensions overlap")
                }
            }
            for number in 0..<header.openingCount where openingRow(number).candidate >= candidateCount {
                return Fault(reason: "opening \(number) is of no candidate")
            }
            return nil
        }
        if let damage { throw damage }
    }

    private func check(_ row: CandidateRow, folder: Int, _ bytes: UnsafeRawBufferPointer) -> Fault? {
        guard row.name.isInside(bytes), row.record.isInside(bytes), row.findings.isInside(bytes),
            row.identifier.isInside(bytes), row.other < candidateCount || row.other == CandidateRow.none,
            row.folder == folder
        else { return Fault(reason: "a candidate points outside of the file") }
        guard row.other != CandidateRow.none || !row.verdict.namesAnother else {
            return Fault(reason: "a candidate is replaced by a candidate that does not exist")
        }
        return Self.isName(bytes[row.name.range]) ? nil : Fault(reason: "a candidate leads outside of its folder")
    }

    /// Whether this is the name of an item in a directory, and not a path that leads elsewhere.
    private static func isName(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
        let slash = UInt8(ascii: "/"), dot = UInt8(ascii: ".")
        return !name.isEmpty && !name.contains { $0 == slash || $0 == 0 } && !name.elementsEqual([dot])
            && !name.elementsEqual([dot, dot])
    }

    // MARK: Candidates

    package var candidateCount: Int { header.candidateCount }

    package func candidateRow(_ number: Int) -> CandidateRow {
        bytes.withUnsafeBytes { CandidateRow($0, at: header.candidatesOffset + number * CandidateRow.size) }
    }

    /// The candidate's name in its folder.
    package func name(_ row: CandidateRow) -> String { text(row.name) }

    /// The absolute path at which the candidate was found.
    package func path(_ row: CandidateRow) -> String { Path.join(folders[row.folder].realPath, name(row)) }

    package func record(_ row: CandidateRow) -> PluginRecord {
        bytes.withUnsafeBytes { bytes in
            var reader = RecordReader(UnsafeRawBufferPointer(rebasing: bytes[row.record.range]))
            return PluginRecord(from: &reader)
        }
    }

    /// The findings that explain the candidate's verdict, in addition to those in its record.
    package func findings(_ row: CandidateRow) -> [PluginFinding] {
        if row.findings.length == 0 { return [] }
        return bytes.withUnsafeBytes { bytes in
            var reader = RecordReader(UnsafeRawBufferPointer(rebasing: bytes[row.findings.range]))
            return reader.list(PluginFinding.smallest) { PluginFinding(from: &$0) }
        }
    }

    package func text(_ place: IndexPlace) -> String {
        bytes.withUnsafeBytes { String(decoding: $0[place.range], as: UTF8.self) }
    }

    // MARK: Plug-ins

    package var pluginCount: Int { header.pluginCount }

    /// The candidate of the plug-in at a position in the order of identifiers.
    package func plugin(_ number: Int) -> Int { word(header.pluginsOffset, number) }

    /// The candidate of the plug-in at a position in the load order.
    package func inLoadOrder(_ number: Int) -> Int { word(header.loadOrderOffset, number) }

    /// The candidate in use under an identifier, or the one that takes its place.
    ///
    /// **Cost.** A binary search.
    package func plugin(identifier: String) -> Int? { ownPlugin(identifier) ?? replacing[identifier] }

    /// The identifier that takes the place of another, or that one.
    package func inUse(_ identifier: String) -> String {
        if replacing.isEmpty { return identifier }
        return replacing[identifier].map { text(candidateRow($0).identifier) } ?? identifier
    }

    private func ownPlugin(_ identifier: String) -> Int? {
        let number = (0..<pluginCount).partitioningIndex { !precedes(candidateRow(plugin($0)).identifier, identifier) }
        guard number < pluginCount else { return nil }
        let found = plugin(number)
        return text(candidateRow(found).identifier) == identifier ? found : nil
    }

    // MARK: Extensions

    package func extensionRow(_ number: Int) -> ExtensionRow {
        bytes.withUnsafeBytes {
            ExtensionRow($0, at: header.extensionsOffset + number * ExtensionRow.size)
        }
    }

    package var extensionCount: Int { header.extensionCount }

    /// The rows of an extension point, in order.
    ///
    /// **Cost.** A binary search.
    package func extensionRows(at point: String) -> [ExtensionRow] {
        let first = (0..<extensionCount).partitioningIndex { !precedes(extensionRow($0).point, point) }
        return (first..<extensionCount).lazy.map(extensionRow).prefix { text(at: $0.point, is: point) }
    }

    // MARK: Openings

    func openingRow(_ number: Int) -> OpeningRow {
        bytes.withUnsafeBytes { OpeningRow($0, at: header.openingsOffset + number * OpeningRow.size) }
    }

    var openingCount: Int { header.openingCount }

    /// The rows with a hash, best rank first.
    ///
    /// **Cost.** A binary search.
    func openingRows(hash: UInt32) -> [OpeningRow] {
        let first = (0..<openingCount).partitioningIndex { openingRow($0).hash >= hash }
        return (first..<openingCount).lazy.map(openingRow).prefix { $0.hash == hash }
    }

    /// Whether a text equals another.
    ///
    /// Creates no String.
    package func text(at place: IndexPlace, is text: String) -> Bool {
        bytes.withUnsafeBytes { $0[place.range].elementsEqual(text.utf8) }
    }

    // MARK: Steps

    private func word(_ offset: Int, _ number: Int) -> Int {
        bytes.withUnsafeBytes {
            Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset + 4 * number, as: UInt32.self)))
        }
    }

    /// Byte order, in which the index is sorted.
    private func precedes(_ place: IndexPlace, _ text: String) -> Bool {
        bytes.withUnsafeBytes { $0[place.range].lexicographicallyPrecedes(text.utf8) }
    }
}

extension CatalogIndex.Folder {
    /// The minimum size in bytes: two texts, a stamp, two numbers, and no finding.
    package static let smallest = 2 * 4 + 5 * 8 + 2 * 4 + 1

    package func write(to writer: inout RecordWriter) {
        writer.put(path)
        writer.put(realPath)
        stamp.write(to: &writer)
        writer.put(UInt32(candidates.lowerBound))
        writer.put(UInt32(candidates.upperBound))
        writer.put(finding == nil ? UInt8(0) : 1)
        finding?.write(to: &writer)
    }

    package init(from reader: inout RecordReader) {
        path = reader.text()
        realPath = reader.text()
        stamp = IndexStamp(from: &reader)
        let start = Int(reader.number(UInt32.self))
        let end = Int(reader.number(UInt32.self))
        candidates = start..<max(start, end)
        finding = reader.number(UInt8.self) == 0 ? nil : PluginFinding(from: &reader)
    }
}

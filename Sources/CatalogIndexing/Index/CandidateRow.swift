/// One candidate, in 80 bytes.
package struct CandidateRow: Sendable {
    package static let size = 80
    /// The value of ``other`` if there is no other candidate.
    package static let none = Int(UInt32.max)

    /// How many folders a row can number.
    package static let mostFolders = 1 << 24

    /// The stamp of Info.plist.
    package var stamp: IndexStamp
    package var folder: Int
    /// Whether Info.plist is in the usual place, in Contents; otherwise the record contains its path.
    package var hasUsualList: Bool
    /// Whether the record has types of documents that the bundle declares.
    package var declaresTypes: Bool
    package var verdict: VerdictCode
    /// The candidate that is used instead of this one.
    package var other: Int
    package var name: IndexPlace
    package var identifier: IndexPlace
    package var record: IndexPlace
    package var findings: IndexPlace

    package func write(to writer: inout RecordWriter) {
        stamp.write(to: &writer)
        // The folder has 24 bits, the verdict 6.
        let kind =
            UInt64(folder) | UInt64(verdict.rawValue) << 24 | (declaresTypes ? 1 << 30 : 0)
            | (hasUsualList ? 1 << 31 : 0)
        writer.put(kind | UInt64(UInt32(other)) << 32)
        name.write(to: &writer)
        identifier.write(to: &writer)
        record.write(to: &writer)
        findings.write(to: &writer)
    }

    package init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        func word(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt32.self))
        }
        stamp = IndexStamp(bytes, at: start)
        folder = Int(word(40) & 0xFF_FFFF)
        hasUsualList = word(40) >> 31 != 0
        declaresTypes = word(40) >> 30 & 1 != 0
        verdict = VerdictCode(rawValue: UInt8(word(40) >> 24 & 0x3F)) ?? .malformed
        other = Int(word(44))
        name = IndexPlace(bytes, at: start + 48)
        identifier = IndexPlace(bytes, at: start + 56)
        record = IndexPlace(bytes, at: start + 64)
        findings = IndexPlace(bytes, at: start + 72)
    }
}

extension CandidateRow {
    package init(
        stamp: IndexStamp, folder: Int, hasUsualList: Bool, declaresTypes: Bool, verdict: VerdictCode, other: Int?,
        name: IndexPlace, identifier: IndexPlace, record: IndexPlace, findings: IndexPlace
    ) {
        self.stamp = stamp
        self.folder = folder
        self.hasUsualList = hasUsualList
        self.declaresTypes = declaresTypes
        self.verdict = verdict
        self.other = other ?? Self.none
        self.name = name
        self.identifier = identifier
        self.record = record
        self.findings = findings
    }
}

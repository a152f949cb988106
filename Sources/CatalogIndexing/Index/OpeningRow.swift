import BundleReading

/// One thing by which a plug-in's documents are found, in 12 bytes.
///
/// The rows are sorted by hash. Different keys may have the same hash, so the candidate's record decides.
struct OpeningRow: Sendable, Hashable {
    static let size = 12

    var hash: UInt32
    var candidate: Int
    /// The best rank of the candidate's document types with this key.
    var rank: UInt32

    init(hash: UInt32, candidate: Int, rank: Manifest.DocumentType.Rank) {
        self.hash = hash
        self.candidate = candidate
        self.rank = UInt32(rank.position)
    }

    init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        func word(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt32.self))
        }
        hash = word(0)
        candidate = Int(word(4))
        rank = word(8)
    }

    func write(to writer: inout RecordWriter) {
        writer.put(hash)
        writer.put(UInt32(candidate))
        writer.put(rank)
    }
}

extension OpeningRow {
    /// The rows of a candidate: one for each key, with the best rank.
    static func rows(of record: PluginRecord, candidate: Int) -> [OpeningRow] {
        var ranks: [OpeningKey: Manifest.DocumentType.Rank] = [:]
        for type in record.documentTypes {
            for key in type.keys { ranks[key] = min(ranks[key] ?? type.rank, type.rank) }
        }
        return ranks.map { OpeningRow(hash: $0.key.hash, candidate: candidate, rank: $0.value) }
    }
}

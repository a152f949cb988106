import Glibc

/// Where a text or a record stands in an index.
struct IndexPlace: Sendable, Equatable {
    var offset: Int
    var length: Int

    static let none = IndexPlace(offset: 0, length: 0)

    var range: Range<Int> { offset..<offset + length }

    /// Both are of 32 bits in the file, so that their sum cannot overflow.
    func isInside(_ bytes: UnsafeRawBufferPointer) -> Bool { offset + length <= bytes.count }

    init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        offset = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
        length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)))
    }

    init(offset: Int, length: Int) {
        self.offset = offset
        self.length = length
    }

    func write(to writer: inout RecordWriter) {
        writer.put(UInt64(UInt32(offset)) | UInt64(UInt32(length)) << 32)
    }
}

/// Which file or directory it was and which content it had, as far as its inode tells.
struct IndexStamp: Sendable, Hashable {
    var device: UInt64
    var inode: UInt64
    var size: UInt64
    var modified: Int64
    var changed: Int64

    /// Equal to no file: what has it is looked at again.
    static let none = IndexStamp(device: 0, inode: 0, size: 0, modified: 0, changed: 0)

    /// What can be relied on later: nothing, for a file that was changed so shortly before it was looked at that another
    /// change may leave its times as they are.
    ///
    /// - Parameter now: nanoseconds since 1970, taken before the file was looked at.
    init(_ identity: FileIdentity, at now: Int64) {
        self = identity.isSettled(at: now) ? IndexStamp(identity) : .none
    }

    init(_ identity: FileIdentity) {
        self.init(
            device: identity.device, inode: identity.inode, size: identity.size, modified: identity.modified,
            changed: identity.changed)
    }

    init(device: UInt64, inode: UInt64, size: UInt64, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    func write(to writer: inout RecordWriter) {
        writer.put(device)
        writer.put(inode)
        writer.put(size)
        writer.put(modified)
        writer.put(changed)
    }

    init(from reader: inout RecordReader) {
        device = reader.number()
        inode = reader.number()
        size = reader.number()
        modified = reader.number()
        changed = reader.number()
    }

    init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        func word(_ number: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8 * number, as: UInt64.self))
        }
        self.init(
            device: word(0), inode: word(1), size: word(2), modified: Int64(bitPattern: word(3)),
            changed: Int64(bitPattern: word(4)))
    }
}

/// One candidate, in 80 bytes.
struct IndexEntry: Sendable {
    static let size = 80
    /// For ``other``: there is none.
    static let none = Int(UInt32.max)

    /// Info.plist's.
    var stamp: IndexStamp
    var folder: Int
    /// Whether Info.plist stands where nearly all have it, in Contents; else the record tells where.
    var hasUsualList: Bool
    var verdict: VerdictCode
    /// The entry that is used in place of this one.
    var other: Int
    var name: IndexPlace
    var identifier: IndexPlace
    var record: IndexPlace
    var findings: IndexPlace

    func write(to writer: inout RecordWriter) {
        stamp.write(to: &writer)
        let kind = UInt64(UInt16(folder)) | (hasUsualList ? 1 << 16 : 0) | UInt64(verdict.rawValue) << 24
        writer.put(kind | UInt64(UInt32(other)) << 32)
        name.write(to: &writer)
        identifier.write(to: &writer)
        record.write(to: &writer)
        findings.write(to: &writer)
    }

    init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        func word(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt32.self))
        }
        stamp = IndexStamp(bytes, at: start)
        folder = Int(word(40) & 0xFFFF)
        hasUsualList = word(40) >> 16 & 1 != 0
        verdict = VerdictCode(rawValue: UInt8(word(40) >> 24)) ?? .malformed
        other = Int(word(44))
        name = IndexPlace(bytes, at: start + 48)
        identifier = IndexPlace(bytes, at: start + 56)
        record = IndexPlace(bytes, at: start + 64)
        findings = IndexPlace(bytes, at: start + 72)
    }
}

extension IndexEntry {
    init(
        stamp: IndexStamp, folder: Int, hasUsualList: Bool, verdict: VerdictCode, other: Int?, name: IndexPlace,
        identifier: IndexPlace, record: IndexPlace, findings: IndexPlace
    ) {
        self.stamp = stamp
        self.folder = folder
        self.hasUsualList = hasUsualList
        self.verdict = verdict
        self.other = other ?? Self.none
        self.name = name
        self.identifier = identifier
        self.record = record
        self.findings = findings
    }
}

/// One factory that a plug-in declares at an extension point, in 32 bytes.
struct IndexContribution: Sendable {
    static let size = 32

    var point: IndexPlace
    /// Of the factory: the record has it, too, and need not be read for it.
    var name: IndexPlace
    var version: UInt32
    var entry: Int
    /// Its place in the record's factories.
    var factory: Int

    func write(to writer: inout RecordWriter) {
        point.write(to: &writer)
        name.write(to: &writer)
        writer.put(version)
        writer.put(UInt32(entry))
        writer.put(UInt64(factory))
    }

    init(point: IndexPlace, name: IndexPlace, version: UInt32, entry: Int, factory: Int) {
        self.point = point
        self.name = name
        self.version = version
        self.entry = entry
        self.factory = factory
    }

    init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        func word(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt32.self))
        }
        point = IndexPlace(bytes, at: start)
        name = IndexPlace(bytes, at: start + 8)
        version = word(16)
        entry = Int(word(20))
        factory = Int(word(24))
    }
}

/// The first bytes of an index: what it is, and where its parts begin.
struct IndexHeader: Sendable {
    static let size = 64
    /// “PHINDEX” and a zero.
    private static let magic: UInt64 = 0x0058_4544_4E49_4850
    /// Raised when the form of the file changes, or the rules by which verdicts are given.
    static let format: UInt64 = 3

    let entryCount: Int
    let pluginCount: Int
    let contributionCount: Int
    let foldersOffset: Int

    var entriesOffset: Int { Self.size }
    var pluginsOffset: Int { entriesOffset + entryCount * IndexEntry.size }
    var loadOrderOffset: Int { pluginsOffset + pluginCount * 4 }
    var contributionsOffset: Int { loadOrderOffset + pluginCount * 4 }
    /// Where the texts begin.
    var textsOffset: Int { contributionsOffset + contributionCount * IndexContribution.size }

    init(entryCount: Int, pluginCount: Int, contributionCount: Int, foldersOffset: Int) {
        self.entryCount = entryCount
        self.pluginCount = pluginCount
        self.contributionCount = contributionCount
        self.foldersOffset = foldersOffset
    }

    /// - Throws: what keeps the bytes from being an index.
    init(checking bytes: UnsafeRawBufferPointer) throws(CatalogIndex.Damage) {
        guard bytes.count >= Self.size else {
            throw CatalogIndex.Damage(reason: "it is \(bytes.count) bytes long, shorter than its header")
        }
        func word(_ number: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * number, as: UInt64.self))
        }
        guard word(0) == Self.magic else { throw CatalogIndex.Damage(reason: "it does not begin as an index does") }
        guard word(1) == Self.format else {
            throw CatalogIndex.Damage(reason: "its format is \(word(1)), and this version reads \(Self.format)")
        }
        guard word(2) == UInt64(bytes.count) else {
            throw CatalogIndex.Damage(reason: "it is \(bytes.count) bytes long, where its header says \(word(2))")
        }
        guard word(3) == Self.checksum(UnsafeRawBufferPointer(rebasing: bytes[32...])) else {
            throw CatalogIndex.Damage(reason: "its checksum does not fit its content")
        }
        // None of the counts can be above the length, so that nothing of what follows overflows.
        guard (4...7).allSatisfy({ word($0) <= UInt64(bytes.count) }) else {
            throw CatalogIndex.Damage(reason: "it counts more parts than it has bytes")
        }
        self.init(
            entryCount: Int(word(4)), pluginCount: Int(word(5)), contributionCount: Int(word(6)),
            foldersOffset: Int(word(7)))
        guard textsOffset <= foldersOffset else {
            throw CatalogIndex.Damage(reason: "its parts do not fit into it")
        }
    }

    /// Writes the header and the parts of fixed size over the first bytes of an index, which were left free for them.
    ///
    /// - Parameter parts: entries, plug-ins, load order and contributions.
    func complete(_ bytes: inout [UInt8], with parts: [UInt8]) {
        precondition(Self.size + parts.count == textsOffset)
        let words = [
            Self.magic, Self.format, UInt64(bytes.count), 0, UInt64(entryCount), UInt64(pluginCount),
            UInt64(contributionCount), UInt64(foldersOffset),
        ]
        bytes.withUnsafeMutableBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: bytes[Self.size...]).copyBytes(from: parts)
            for (place, word) in words.enumerated() {
                bytes.storeBytes(of: word.littleEndian, toByteOffset: 8 * place, as: UInt64.self)
            }
            let sum = Self.checksum(UnsafeRawBufferPointer(rebasing: bytes[32...]))
            bytes.storeBytes(of: sum.littleEndian, toByteOffset: 24, as: UInt64.self)
        }
    }

    /// Tells damage, not forgery: the file is the user's own. Each step is a one-to-one change of the sum, so that one
    /// word that differs is always noticed; the rotation brings the highest bits to where they count.
    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        var offset = 0
        func add(_ word: UInt64) {
            sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
            sum = sum << 29 | sum >> 35
        }
        while offset + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var last: UInt64 = 0
        for byte in bytes[offset...] { last = last << 8 | UInt64(byte) }
        add(last)
        return sum
    }
}

/// A verdict as the index holds it.
enum VerdictCode: UInt8, Sendable {
    case usable
    /// Another bundle of the identifier has a higher version.
    case otherVersion
    /// A lower version is used, because others accept no higher one.
    case otherRequired
    /// A bundle of the identifier and version stands in an earlier search path.
    case laterFolder
    /// A bundle of the identifier and version stands in the same folder.
    case duplicate
    /// The host is not what it requires.
    case incompatible
    /// Another plug-in that it requires is missing or cannot be used.
    case unresolved
    case malformed
    case noBundle
    /// The same directory as another candidate's, reached by a link; it is no candidate of its own.
    case alias

    /// Whether the verdict is that another candidate is used.
    var namesAnother: Bool {
        switch self {
        case .otherVersion, .otherRequired, .laterFolder, .duplicate, .alias: true
        case .usable, .incompatible, .unresolved, .malformed, .noBundle: false
        }
    }
}

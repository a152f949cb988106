package import HostBasics
package import InterfaceRecords

/// The record of a library's interfaces, in a section of its file.
///
/// The section is not loaded into memory; `strip` and patchelf keep it. Nothing else in the file depends on it, so an
/// unusable section counts as absent, and only a check reports it.
package enum InterfaceSection {
    /// What a file has.
    package enum Content: Sendable, Hashable {
        case absent
        case record(InterfaceRecord)
        /// The reason as the end of a sentence about the section.
        case unusable(String)

        /// The record, if there is one.
        package var record: InterfaceRecord? { if case .record(let record) = self { record } else { nil } }
    }

    private static let noBits: UInt32 = 8
    private static let compressed: UInt64 = 0x800

    /// Reads the section of a file.
    ///
    /// **Cost.** Four reads: the header, the table of sections, their names, and the section.
    package static func read(_ file: borrowing OpenedFile) -> Content {
        guard let table = SectionTable(file) else { return .absent }
        let found = table.indices(named: InterfaceRecord.sectionName)
        guard let index = found.first else { return .absent }
        guard found.count == 1 else { return .unusable("is in the file \(found.count) times") }
        let header = table[index]
        guard header.flags & compressed == 0 else { return .unusable("is compressed") }
        guard header.type != noBits else { return .unusable("has no content in the file") }
        guard header.size <= UInt64(InterfaceRecord.sizeLimit) else {
            return .unusable("has \(header.size) bytes; the limit is \(InterfaceRecord.sizeLimit)")
        }
        guard let bytes = SectionTable.bytes(of: file, at: header.offset, count: header.size) else {
            return .unusable("ends after the end of the file")
        }
        do throws(InterfaceRecord.Fault) {
            return .record(try InterfaceRecord(bytes: bytes))
        } catch {
            switch error {
            case .damaged(let reason): return .unusable("is damaged: \(reason)")
            case .format(let format):
                return .unusable("has the format \(format); this version reads \(InterfaceRecord.format)")
            }
        }
    }

    /// The content in a file at a path; absent if the file cannot be opened.
    package static func read(path: String) -> Content {
        guard let file = try? OpenedFile(path: path) else { return .absent }
        return read(file)
    }
}

/// The table of a file's sections, with their names.
struct SectionTable {
    struct Header {
        var name: UInt32
        var type: UInt32
        var flags: UInt64
        var offset: UInt64
        var size: UInt64
    }

    private static let sectionLimit = 4096
    private static let namesLimit: UInt64 = 1 << 20

    /// The file's header.
    let head: [UInt8]
    /// The table's bytes.
    let table: [UInt8]
    /// The bytes of the section with the names.
    let names: [UInt8]
    let namesIndex: Int

    var count: Int { table.count / ELF.sectionHeaderSize }

    /// - Returns: nil if the file is not an ELF file of this machine, or has no valid table of sections.
    init?(_ file: borrowing OpenedFile) {
        guard let head = Self.bytes(of: file, at: 0, count: UInt64(ELF.headerSize)),
            head.withUnsafeBytes(ELF.beginsWithMagic), head[4] == ELF.class64, head[5] == ELF.hostByteOrder
        else { return nil }
        let header = head.withUnsafeBytes { ELFHeader($0) }
        let count = Int(header.sectionHeaderCount)
        guard Int(header.sectionHeaderSize) == ELF.sectionHeaderSize, count > 0, count <= Self.sectionLimit,
            Int(header.sectionNames) < count,
            let table = Self.bytes(
                of: file, at: header.sectionHeaders, count: UInt64(count * ELF.sectionHeaderSize))
        else { return nil }
        self.head = head
        self.table = table
        namesIndex = Int(header.sectionNames)
        let names = Self.header(in: table, namesIndex)
        guard names.size <= Self.namesLimit, let bytes = Self.bytes(of: file, at: names.offset, count: names.size)
        else { return nil }
        self.names = bytes
    }

    subscript(index: Int) -> Header { Self.header(in: table, index) }

    private static func header(in table: [UInt8], _ index: Int) -> Header {
        table.withUnsafeBytes { table in
            let start = index * ELF.sectionHeaderSize
            func number(_ offset: Int) -> UInt64 {
                table.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self)
            }
            return Header(
                name: table.loadUnaligned(fromByteOffset: start, as: UInt32.self),
                type: table.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self), flags: number(8),
                offset: number(24), size: number(32))
        }
    }

    /// The sections with a name.
    func indices(named name: String) -> [Int] {
        let wanted = Array(name.utf8) + [0]
        return (0..<count).filter { index in
            let header = self[index]
            return header.type != 0 && names.dropFirst(Int(header.name)).starts(with: wanted)
        }
    }

    /// - Returns: nil if the file does not have all of the bytes.
    static func bytes(of file: borrowing OpenedFile, at offset: UInt64, count: UInt64) -> [UInt8]? {
        let size = file.identity.size
        guard offset <= size, count <= size - offset else { return nil }
        if count == 0 { return [] }
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
            let target = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: Int(count))
            filled = (try? file.read(into: target, at: offset)) ?? 0
        }
        return bytes.count == Int(count) ? bytes : nil
    }
}

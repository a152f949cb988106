import HostBasics

/// One section of a file: a part that linkers and debuggers know by name.
///
/// Loading does not use sections.
package struct ELFSection {
    package var name: String
    package var address: UInt64
    package var offset: UInt64
    package var size: UInt64
}

extension ELFFile {
    private static let sectionLimit = 4096
    private static let namesLimit: UInt64 = 1 << 20
    /// The maximum length of a section name, in bytes; all names that are looked up are shorter.
    ///
    /// Many sections can share one long name, so reading each of them completely could be slow.
    private static let nameLimit = 256
    private static let noBits: UInt32 = 8

    package func section(named name: String) -> ELFSection? { sections.first { $0.name == name } }

    /// The content of a section, if it is no longer than `limit`.
    package func content(of section: ELFSection, limit: UInt64) -> [UInt8]? {
        section.size <= limit ? bytes(at: section.offset, count: section.size) : nil
    }

    /// All sections that have content in the file; empty if the table was removed or is invalid.
    func readSections() -> [ELFSection] {
        let count = Int(header.sectionHeaderCount)
        let namesIndex = Int(header.sectionNames)
        guard Int(header.sectionHeaderSize) == ELF.sectionHeaderSize, count > 0, count <= Self.sectionLimit,
            namesIndex < count,
            let table = bytes(at: header.sectionHeaders, count: UInt64(count * ELF.sectionHeaderSize))
        else { return [] }
        return table.withUnsafeBytes { table in
            func number(_ section: Int, _ offset: Int) -> UInt64 {
                table.loadUnaligned(fromByteOffset: section * ELF.sectionHeaderSize + offset, as: UInt64.self)
            }
            let namesSize = number(namesIndex, 32)
            guard namesSize <= Self.namesLimit, let names = bytes(at: number(namesIndex, 24), count: namesSize) else {
                return []
            }
            return (0..<count).compactMap { index -> ELFSection? in
                let start = index * ELF.sectionHeaderSize
                let name = Int(table.loadUnaligned(fromByteOffset: start, as: UInt32.self))
                let type = table.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)
                guard type != 0, type != Self.noBits, name < names.count,
                    let end = names[name...].prefix(Self.nameLimit).firstIndex(of: 0)
                else {
                    return nil
                }
                return ELFSection(
                    name: String(decoding: names[name..<end], as: UTF8.self), address: number(index, 16),
                    offset: number(index, 24), size: number(index, 32))
            }
        }
    }

    // MARK: - Swift

    /// Whether the Swift compiler produced a part of the file.
    package var isSwift: Bool {
        sections.contains { $0.name.hasPrefix("swift5_") && $0.size > 0 }
            || needed.contains { $0.hasPrefix("libswift") }
    }

    /// The Swift modules whose types or protocols the file defines, according to its sections.
    func readModules() -> Set<String> {
        let sections = ["swift5_type_metadata", "swift5_protocols"].compactMap { section(named: $0) }
            .filter { $0.size > 0 && $0.size <= FileMemory.sectionLimit }
        guard !sections.isEmpty else { return [] }
        return TypeContext.modules(in: FileMemory(self), sections: sections.map { ($0.address, $0.size) })
    }

    private static let classLimit = 10_000

    /// The classes that the file defines, in order, as ``LibraryClasses/names`` returns them for a loaded file; nil if
    /// they cannot be read.
    package var classNames: [String]? {
        // The table was removed, or the system has refused it.
        if sections.isEmpty { return nil }
        guard let section = section(named: "swift5_type_metadata"), section.size <= FileMemory.sectionLimit else {
            return []
        }
        var names: [String] = []
        let memory = FileMemory(self)
        TypeContext.each(in: memory, at: section.address, length: section.size) { context in
            if context.kind == .class, !context.isGeneric, let name = context.qualifiedName { names.append(name) }
            return names.count < Self.classLimit
        }
        return memory.hasFailed ? nil : names
    }

    /// The source revisions of the compilers that produced the file's parts, from the section `.comment`: each release
    /// of the Swift toolchain is built from a different revision of LLVM.
    var compilerRevisions: [String] {
        guard let section = section(named: ".comment"), let bytes = content(of: section, limit: 64 << 10) else {
            return []
        }
        return Self.revisions(in: String(decoding: bytes, as: UTF8.self))
    }

    /// Revisions are 40 hexadecimal digits.
    package static func revisions(in text: String) -> [String] {
        text.utf8.split {
            !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0)
        }
        .filter { $0.count == 40 }
        .compactMap { String($0) }
    }
}

/// The segments of a file as memory from which metadata is read, in pieces that are cached.
final class FileMemory: ELFMemory {
    private let file: ELFFile
    private var pieces: [UInt64: [UInt8]] = [:]
    /// Whether the system has refused to read a piece.
    private(set) var hasFailed = false

    private static let pieceSize: UInt64 = 64 << 10
    /// The maximum size of a section of 4-byte references; no library has as many types.
    static let sectionLimit: UInt64 = 1 << 20
    /// The maximum length of a text; every Swift name is shorter.
    private static let textLimit = 1024

    init(_ file: ELFFile) { self.file = file }

    package func byte(at address: UInt64) -> UInt8? {
        guard let offset = file.segments.fileOffset(ofAddress: address, count: 1) else { return nil }
        let start = offset & ~(Self.pieceSize - 1)
        guard let piece = pieces[start] ?? load(start), offset - start < UInt64(piece.count) else { return nil }
        return piece[Int(offset - start)]
    }

    package func int32(at address: UInt64) -> Int32? {
        guard let offset = file.segments.fileOffset(ofAddress: address, count: 4) else { return nil }
        let start = offset & ~(Self.pieceSize - 1)
        let index = Int(offset - start)
        if let piece = pieces[start] ?? load(start), index + 4 <= piece.count {
            return piece.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index, as: Int32.self) }
        }
        // The value crosses the end of a piece.
        var value: UInt32 = 0
        for index in 0..<4 {
            guard let byte = byte(at: address &+ UInt64(index)) else { return nil }
            value |= UInt32(byte) << (8 * UInt32(index))
        }
        return Int32(bitPattern: UInt32(littleEndian: value))
    }

    package func pointer(at address: UInt64) -> UInt64? { nil }

    package func text(at address: UInt64) -> String? {
        var bytes: [UInt8] = []
        while bytes.count < Self.textLimit {
            guard let byte = byte(at: address &+ UInt64(bytes.count)) else { return nil }
            if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    private func load(_ start: UInt64) -> [UInt8]? {
        guard start < file.file.identity.size else { return nil }
        guard let piece = file.bytes(at: start, count: min(Self.pieceSize, file.file.identity.size - start)) else {
            hasFailed = true
            return nil
        }
        pieces[start] = piece
        return piece
    }
}

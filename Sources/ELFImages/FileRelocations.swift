/// The values that the dynamic linker writes to addresses of a file.
struct FileRelocations {
    enum Target {
        /// An address in this file.
        case own(UInt64)
        case symbol(String)
    }

    private let file: ELFFile
    private let table: [UInt8]
    /// The position in the table of the relocation for each address.
    private var offsets: [UInt64: Int] = [:]

    /// - Returns: nil for a file with packed relocations, or with a table that cannot be read.
    init?(of file: ELFFile) {
        let size = file.dynamic.relocationsSize
        guard file.dynamic.packedRelocationsSize == 0, size % UInt64(ELF.relocationSize) == 0,
            let table = file.bytes(atAddress: file.dynamic.relocations, count: size)
        else { return nil }
        self.file = file
        self.table = table
        offsets.reserveCapacity(table.count / ELF.relocationSize)
        table.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: ELF.relocationSize) {
                offsets[bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)] = offset
            }
        }
    }

    subscript(address: UInt64) -> Target? {
        guard let offset = offsets[address] else { return nil }
        return table.withUnsafeBytes { bytes in
            let addend = bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self)
            switch RelocationKind(type: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self)) {
            case .relative: return .own(addend)
            case .address, .slot:
                let index = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                guard let symbols = file.symbols, index > 0, index < symbols.count else { return nil }
                return .symbol(symbols.name(of: symbols[index]))
            default: return nil
            }
        }
    }

    /// Whether the relocated value at an address points to code of the file.
    func leadsToCode(_ address: UInt64) -> Bool {
        guard case .own(let target)? = self[address] else { return false }
        return file.segments.contains { $0.flags & ELF.mayExecute != 0 && $0.holds(address: target) }
    }
}

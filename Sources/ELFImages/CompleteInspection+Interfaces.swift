import HostBasics
import PropertyLists

extension CompleteInspection {
    /// Checks protocols whose requirements have changed since the plug-in was compiled.
    ///
    /// ``InterfaceComparison`` refuses these at the entry.
    mutating func checkInterfaces() {
        var files: [ELFFile] = closure.newFiles
        for image in host.libraries {
            if let file = image.file, !files.contains(where: { $0 === file }) { files.append(file) }
        }
        // Like the check at the entry, this covers the conformances in the plug-in's file, not those in its libraries.
        add(InterfaceInspection(of: file, among: files).findings)
    }
}

/// The conformances of a file, compared with the protocols that other files define.
private struct InterfaceInspection {
    /// A position: an address in a file.
    private struct Place {
        let file: ELFFile
        let address: UInt64
    }

    /// The section with the conformances, as 32-bit distances.
    private static let section = "swift5_protocol_conformances"

    let findings: [PluginFinding]

    /// `files`: the files in which symbols are looked up, in order.
    init(of file: ELFFile, among files: [ELFFile]) {
        guard let section = file.section(named: Self.section), section.size <= FileMemory.sectionLimit,
            // Packed relocations do not show what a table points to.
            let relocations = FileRelocations(of: file)
        else {
            findings = []
            return
        }
        let memory = FileMemory(file)
        var memories: [ObjectIdentifier: FileMemory] = [:]
        var places: [String: Place?] = [:]
        func place(_ reference: Conformance<FileMemory>.Reference) -> Place? {
            guard case .pointer(let slot) = reference, case .symbol(let name)? = relocations[slot] else { return nil }
            if let known = places[name] { return known }
            let wanted = SymbolName(name)
            var found: Place?
            for other in files where found == nil {
                guard let symbols = other.symbols, let index = symbols.definitions(of: wanted).first else { continue }
                found = Place(file: other, address: symbols[index].value)
            }
            places[name] = .some(found)
            return found
        }
        var findings: [PluginFinding] = []
        var tables: [UInt64]?
        Conformance.each(in: memory, at: section.address, length: section.size) { conformance in
            guard findings.count < ReadingBudget.mostFindings,
                let interface = conformance.protocolReference.flatMap(place),
                interface.file !== file
            else { return }
            let other = memories[ObjectIdentifier(interface.file)] ?? FileMemory(interface.file)
            memories[ObjectIdentifier(interface.file)] = other
            guard let current = ProtocolRequirements(other, at: interface.address) else { return }
            let difference = InterfaceDifference(
                of: conformance, to: current,
                resolve: { place($0).flatMap { $0.file === interface.file ? $0.address : nil } },
                hasFunctions: { table in
                    let starts = tables ?? Conformance.tables(in: memory, at: section.address, length: section.size)
                    tables = starts
                    if Conformance<FileMemory>.endsEarly(table, count: current.count, among: starts) { return false }
                    return (0..<current.count).allSatisfy { index in
                        !current.isFunction(index) || relocations.leadsToCode(table &+ UInt64(index + 1) &* 8)
                    }
                })
            guard let difference else { return }
            findings.append(
                difference.finding(
                    type: conformance.typeName, path: file.path, interface: current.name ?? "a protocol",
                    library: interface.file.path, count: current.count))
        }
        self.findings = findings
    }
}

/// The values that the dynamic linker writes to addresses of a file.
private struct FileRelocations {
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

import HostBasics

/// Where a file names libraries, as offsets into its strings.
struct NameReferences {
    /// DT_NEEDED, DT_SONAME, and the names that its tables of versions give to libraries.
    var libraries: Set<UInt64> = []
    /// All other strings except the names of symbols.
    var others: Set<UInt64> = []
}

/// The parts of an inspected file that ``OwnNames`` changes.
extension QuickInspection {
    /// All strings that the dynamic section and the tables of versions name.
    ///
    /// - Precondition: the inspection found the tables sound.
    mutating func nameReferences(_ file: borrowing OpenedFile) throws(TableFault) -> NameReferences {
        var references = NameReferences()
        for name in dynamic.needed(in: dynamicBytes) { references.libraries.insert(name) }
        if let name = dynamic.ownName { references.libraries.insert(name) }
        for path in [dynamic.runPath, dynamic.rPath] { path.map { _ = references.others.insert($0) } }
        // The records were checked; their number is limited again because they may be read again.
        var left = 1 << 16
        if dynamic.neededVersions != 0 { try takeNeededVersions(&references, &left, file) }
        if dynamic.definedVersions != 0 { try takeDefinedVersions(&references, &left, file) }
        return references
    }

    private mutating func takeNeededVersions(
        _ references: inout NameReferences, _ left: inout Int, _ file: borrowing OpenedFile
    ) throws(TableFault) {
        var address = dynamic.neededVersions
        for _ in 0..<dynamic.neededVersionCount {
            let record = try words(4, at: address, &left, file)
            references.libraries.insert(UInt64(record[1]))
            var version = address &+ UInt64(record[2])
            for _ in 0..<(UInt16(truncatingIfNeeded: record[0] >> 16)) {
                let entry = try words(4, at: version, &left, file)
                references.others.insert(UInt64(entry[2]))
                version &+= UInt64(entry[3])
            }
            address &+= UInt64(record[3])
        }
    }

    private mutating func takeDefinedVersions(
        _ references: inout NameReferences, _ left: inout Int, _ file: borrowing OpenedFile
    ) throws(TableFault) {
        var address = dynamic.definedVersions
        for _ in 0..<dynamic.definedVersionCount {
            let record = try words(5, at: address, &left, file)
            // VER_FLG_BASE: the record names the file itself.
            let isBase = record[0] >> 16 & 1 != 0
            var name = address &+ UInt64(record[3])
            for _ in 0..<(UInt16(truncatingIfNeeded: record[1] >> 16)) {
                let entry = try words(2, at: name, &left, file)
                if isBase {
                    references.libraries.insert(UInt64(entry[0]))
                } else {
                    references.others.insert(UInt64(entry[0]))
                }
                // The inspection checked only the first name, which is the only one that the dynamic linker reads.
                guard entry[1] != 0 else { break }
                name &+= UInt64(entry[1])
            }
            address &+= UInt64(record[4])
        }
    }

    private mutating func words(
        _ count: Int, at address: UInt64, _ left: inout Int, _ file: borrowing OpenedFile
    ) throws(TableFault) -> [UInt32] {
        left -= 1
        guard left > 0, let bytes = fewBytes(atAddress: address, count: count * 4, file) else {
            throw TableFault(what: "its tables of versions do not end where they should")
        }
        return (0..<count).map { word(bytes, $0) }
    }

    /// The name of a library that a symbol's name would change with.
    func symbolName(in parts: ChangedParts) -> String? {
        for index in 0..<(tables.symbols.count / ELF.symbolSize) {
            let symbol = ELFSymbol(tables.symbols, at: index &* ELF.symbolSize)
            if symbol.name != 0, let name = parts.name(changedWith: Int(symbol.name)) { return name }
        }
        return nil
    }

    /// The symbol table with weak symbols in place of unique ones; nil if the file defines no unique symbol.
    func weakenedSymbols() -> OwnNames.Edit? {
        var table: [UInt8] = []
        for index in 0..<(tables.symbols.count / ELF.symbolSize) {
            let symbol = ELFSymbol(tables.symbols, at: index &* ELF.symbolSize)
            guard symbol.binding == ELF.uniqueBinding, symbol.isDefined else { continue }
            if table.isEmpty { table = Array(tables.symbols) }
            // st_info is the byte after the name.
            table[index * ELF.symbolSize + 4] = ELF.weakBinding << 4 | symbol.type
        }
        guard !table.isEmpty, let offset = fileOffset(ofAddress: dynamic.symbols, count: UInt64(table.count)) else {
            return nil
        }
        return OwnNames.Edit(offset: offset, bytes: table)
    }
}

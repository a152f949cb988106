extension QuickInspection {
    /// Whether the entry symbol is there, exported, and code (faults 81, 82).
    mutating func checkEntry(_ file: borrowing OpenedFile) {
        let found: Lookup
        if dynamic.gnuHash != 0 {
            found = findInGNUHash(file)
        } else if dynamic.systemVHash != 0 {
            found = findInSystemVHash(file)
        } else {
            found = .damaged("it has no hash table of its symbols")
        }
        switch found {
        case .symbol(let symbol): checkEntry(symbol)
        case .missing: refuseMissingEntry()
        case .damaged(let what): refuseDamaged(what)
        }
    }

    private enum Lookup {
        case symbol(ELFSymbol)
        case missing
        case damaged(String)
    }

    private mutating func checkEntry(_ symbol: ELFSymbol) {
        guard symbol.isExported else { return refuseMissingEntry() }
        let isCode = segments.contains { $0.holds(address: symbol.value) && $0.flags & ELF.mayExecute != 0 }
        switch symbol.type {
        case ELF.functionType, ELF.indirectFunctionType:
            if !isCode { refuseDamaged("its function \(quoted(ImageInspector.entrySymbol)) lies outside of its code") }
        // Assembly code often leaves the type out.
        case ELF.noType where isCode: break
        default:
            refuse(
                code: .symbolMissing, subject: ImageInspector.entrySymbol,
                "defines \(quoted(ImageInspector.entrySymbol)) as data, not as a function.", Self.entryRemedy)
        }
    }

    private mutating func refuseMissingEntry() {
        refuse(
            code: .symbolMissing, subject: ImageInspector.entrySymbol,
            "does not export the function \(quoted(ImageInspector.entrySymbol)), so it is no plug-in of this host.",
            Self.entryRemedy)
    }

    private static let entryRemedy =
        "Define it in Swift as: @c(plugin_entry) public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> "
        + "plugin_status; in C as: PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host)."

    /// No table of a real file has a chain this long; a table made to be slow has.
    private static var chainLimit: Int { 4096 }

    /// The GNU hash of ``ImageInspector/entrySymbol``, as a number because each load needs it.
    static let entryHash: UInt32 = 0x9CA0_5A05

    // MARK: - Tables

    /// A number of a table at an address, or nil if it lies outside of the file.
    private mutating func word(_ base: UInt64, _ index: UInt64, _ file: borrowing OpenedFile) -> UInt32? {
        let (offset, overflow) = index.multipliedReportingOverflow(by: 4)
        let (address, overflow2) = base.addingReportingOverflow(offset)
        guard !overflow, !overflow2 else { return nil }
        return bytes(atAddress: address, count: 4, file)?.loadUnaligned(as: UInt32.self)
    }

    /// The symbol at an index if it has the entry's name.
    private mutating func symbolIfEntry(_ index: UInt64, _ file: borrowing OpenedFile) -> Lookup {
        let (offset, overflow) = index.multipliedReportingOverflow(by: UInt64(ELF.symbolSize))
        let (address, overflow2) = dynamic.symbols.addingReportingOverflow(offset)
        guard !overflow, !overflow2, let bytes = bytes(atAddress: address, count: ELF.symbolSize, file) else {
            return .damaged("symbol \(index) lies outside of the file")
        }
        let symbol = ELFSymbol(bytes)
        let length = ImageInspector.entrySymbol.utf8.count
        let name = UInt64(symbol.name)
        guard name < dynamic.stringsSize else {
            return .damaged("the name of symbol \(index) lies outside of its strings")
        }
        guard UInt64(length) < dynamic.stringsSize - name else { return .missing }
        guard let text = window.bytes(at: stringsOffset + name, count: length + 1, of: file) else {
            return .damaged("the name of symbol \(index) lies outside of the file")
        }
        guard text[length] == 0, UnsafeRawBufferPointer(rebasing: text[..<length]).holds(ImageInspector.entrySymbol)
        else {
            return .missing
        }
        return .symbol(symbol)
    }

    /// The table that every linker writes: a filter of one bit each, buckets, and chains of hashes that run alongside
    /// the symbols, the last of a chain marked by its lowest bit.
    private mutating func findInGNUHash(_ file: borrowing OpenedFile) -> Lookup {
        let table = dynamic.gnuHash
        guard let head = bytes(atAddress: table, count: 16, file) else {
            return .damaged("its GNU hash table is cut off")
        }
        let bucketCount = UInt64(head.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
        let firstSymbol = UInt64(head.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        let filterCount = UInt64(head.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        guard bucketCount > 0, filterCount > 0, filterCount & (filterCount - 1) == 0 else {
            return .damaged("its GNU hash table has \(bucketCount) buckets and a filter of \(filterCount) words")
        }
        // The filter is skipped: the entry is nearly always there, so that reading the filter saves nothing.
        let (buckets, overflow) = table.addingReportingOverflow(16 + filterCount * 8)
        let (chains, overflow2) = buckets.addingReportingOverflow(bucketCount * 4)
        guard !overflow, !overflow2 else { return .damaged("its GNU hash table has impossible sizes") }
        let hash = Self.entryHash
        guard let first = word(buckets, UInt64(hash) % bucketCount, file) else {
            return .damaged("its GNU hash table is cut off")
        }
        guard first != 0 else { return .missing }
        guard UInt64(first) >= firstSymbol else {
            return .damaged("its GNU hash table names symbols that it does not hold")
        }
        var index = UInt64(first)
        for _ in 0..<Self.chainLimit {
            guard let entry = word(chains, index - firstSymbol, file) else {
                return .damaged("its GNU hash table is cut off")
            }
            if entry | 1 == hash | 1 {
                let found = symbolIfEntry(index, file)
                if case .missing = found {} else { return found }
            }
            if entry & 1 == 1 { return .missing }
            index += 1
        }
        return .damaged("its GNU hash table has a chain of more than \(Self.chainLimit) symbols")
    }

    /// The older table: buckets, and chains of symbol numbers, which a hostile file can bend into a circle.
    private mutating func findInSystemVHash(_ file: borrowing OpenedFile) -> Lookup {
        let table = dynamic.systemVHash
        guard let bucketCount = word(table, 0, file), let chainCount = word(table, 1, file), bucketCount > 0 else {
            return .damaged("its hash table is cut off or has no buckets")
        }
        let hash = systemVHash(of: ImageInspector.entrySymbol.utf8)
        guard var index = word(table, 2 + UInt64(hash % bucketCount), file) else {
            return .damaged("its hash table is cut off")
        }
        for _ in 0..<Self.chainLimit {
            guard index != 0 else { return .missing }
            guard index < chainCount else { return .damaged("its hash table names symbols that do not exist") }
            let found = symbolIfEntry(UInt64(index), file)
            if case .missing = found {} else { return found }
            guard let next = word(table, 2 + UInt64(bucketCount) + UInt64(index), file) else {
                return .damaged("its hash table is cut off")
            }
            index = next
        }
        return .damaged("its hash table has a chain of more than \(Self.chainLimit) symbols, or a circle")
    }
}

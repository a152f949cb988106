import HostBasics

extension QuickInspection {
    /// Reads the hashed symbols or, if there are none, the symbols that relocations name.
    ///
    /// A file that defines nothing has no hashed symbols, and nothing else shows the end of the symbol table.
    /// `highest`: the highest symbol number in a relocation.
    mutating func readSymbols(highest: UInt64, _ file: borrowing OpenedFile) throws(TableFault) {
        if let count = tables.hashedCount, highest >= count { throw wrongSymbol(of: count) }
        let count = tables.hashedCount ?? highest + 1
        guard fileOffset(ofAddress: dynamic.symbols, count: count * UInt64(ELF.symbolSize)) != nil else {
            throw TableFault(what: "its symbols (DT_SYMTAB) are \(count) by its own count, but the file ends before")
        }
        tables.symbols = try table("symbols (DT_SYMTAB)", dynamic.symbols, count * UInt64(ELF.symbolSize), file)
    }

    @inline(never)
    private func wrongSymbol(of count: UInt64) -> TableFault {
        for bytes in [tables.relocations, tables.pltRelocations] {
            for number in 0..<(bytes.count / ELF.relocationSize) {
                let symbol = bytes.loadUnaligned(fromByteOffset: number * ELF.relocationSize + 12, as: UInt32.self)
                if symbol >= count {
                    return TableFault(what: "relocation \(number) names symbol \(symbol) of \(count)")
                }
            }
        }
        return TableFault(what: "its relocations name symbols that it does not have")
    }

    /// Checks the names, and the addresses that the dynamic linker calls or passes on.
    mutating func checkSymbols() throws(TableFault) {
        let symbols = tables.symbols
        var hasUnique = false
        let stringsSize = UInt32(clamping: tables.strings.count)
        let firstAddress = firstLoaded?.address ?? 0
        let end = endAddress
        for index in 0..<(symbols.count / ELF.symbolSize) {
            let symbol = ELFSymbol(symbols, at: index &* ELF.symbolSize)
            guard symbol.name < stringsSize else {
                throw TableFault(what: "the name of symbol \(index) lies outside of its strings")
            }
            guard symbol.isDefined, symbol.type != ELF.sectionType else { continue }
            if symbol.binding == ELF.uniqueBinding { hasUnique = true }
            switch symbol.type {
            case ELF.indirectFunctionType:
                guard symbol.section != ELF.absoluteSection, isCode(symbol.value) else {
                    throw TableFault(what: "the function that chooses symbol \(index) lies outside of its code")
                }
            case ELF.functionType where symbol.section != ELF.absoluteSection && symbol.isExported:
                guard isCode(symbol.value) else {
                    throw TableFault(what: "symbol \(index) is a function that lies outside of its code")
                }
            case ELF.threadLocalType:
                guard let threadLocal, symbol.value <= threadLocal.memorySize else {
                    throw TableFault(what: "symbol \(index) lies outside of its thread-local storage")
                }
            default:
                guard symbol.section == ELF.absoluteSection || symbol.value >= firstAddress && symbol.value <= end
                else {
                    throw TableFault(what: "symbol \(index) lies outside of the segments that are loaded")
                }
            }
        }
        if hasUnique { takeUniqueSymbols() }
    }

    /// Hashes the names of unique symbols, of which other bundles may have the same.
    @inline(never)
    private mutating func takeUniqueSymbols() {
        var left = Int(clamping: fileSize)
        for index in 0..<(tables.symbols.count / ELF.symbolSize) {
            let symbol = ELFSymbol(tables.symbols, at: index &* ELF.symbolSize)
            guard symbol.binding == ELF.uniqueBinding, symbol.isDefined,
                let name = string(at: UInt64(symbol.name), limit: max(left, 0))
            else { continue }
            // Names that overlap are not longer in total than the file, or they are left out.
            left -= name.count
            // FNV-1a: a collision only makes a private copy that is not needed.
            result.uniqueSymbols.append(
                name.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        }
    }

    /// The end of the last loaded segment; ``checkSegments(_:)`` has verified their order.
    private var endAddress: UInt64 {
        segments.reduce(0) { $1.type == ELF.load ? $1.address &+ $1.memorySize : $0 }
    }

    /// Whether an address is in code.
    package func isCode(_ address: UInt64) -> Bool {
        segments.contains { $0.holds(address: address) && $0.flags & ELF.mayExecute != 0 }
    }

    // MARK: - The dynamic linker's time

    /// Limits the time in which the dynamic linker compares the names of symbols.
    ///
    /// For each relocation, it reads the whole name of the symbol and compares it along a chain of the hash table. Both
    /// are limited to what a linker would write for a file of this size. Nearly all files are too small to be slow;
    /// their names are not counted.
    func checkNames() throws(TableFault) {
        let count = (tables.relocations.count + tables.pltRelocations.count) / ELF.relocationSize
        if count.multipliedReportingOverflow(by: tables.longestChain).partialValue > Self.stepLimit {
            throw TableFault(
                what: "its hash table has a chain of \(tables.longestChain) symbols, for \(count) relocations")
        }
        let most = count.multipliedReportingOverflow(by: tables.strings.count)
        guard most.overflow || most.partialValue > Self.stepLimit else { return }
        var left = Int(clamping: fileSize) * 16 + 1 << 20
        for bytes in [tables.relocations, tables.pltRelocations] {
            for number in 0..<(bytes.count / ELF.relocationSize) {
                let symbol = bytes.loadUnaligned(fromByteOffset: number * ELF.relocationSize + 12, as: UInt32.self)
                guard symbol != 0, let name = tables.symbol(UInt64(symbol))?.name else { continue }
                let tail = UnsafeRawBufferPointer(rebasing: tables.strings[Int(name)...])
                left -= tail.offset(of: 0) ?? tail.count
                guard left >= 0 else {
                    throw TableFault(what: "the names of its symbols overlap and are read again and again")
                }
            }
        }
    }

    private static var stepLimit: Int { 1 << 27 }
}

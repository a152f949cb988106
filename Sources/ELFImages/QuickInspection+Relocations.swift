import HostBasics

extension QuickInspection {
    /// The highest symbol that a relocation names: the dynamic linker reads the symbol, its name and its version.
    func highestSymbolOfRelocations() throws(TableFault) -> UInt64 {
        var highest: UInt32 = 0
        for bytes in [tables.relocations, tables.pltRelocations] {
            var offset = 12
            while offset < bytes.count {
                highest = max(highest, bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                offset += ELF.relocationSize
            }
        }
        return UInt64(highest)
    }

    /// Checks every relocation, and the resulting addresses in the arrays of initialisers (fault 80).
    ///
    /// It checks the target, the kind, and the called function of each relocation. A wrong number there crashes the
    /// process inside dlopen().
    mutating func checkRelocations(_ file: borrowing OpenedFile) throws(TableFault) {
        var initialisers = try Initialisers(of: &self, file)
        let targets = RelocationTargets(of: self)
        try checkPacked(targets, &initialisers)
        try check(tables.relocations, relativeCount: dynamic.relativeCount, targets, &initialisers)
        try check(tables.pltRelocations, relativeCount: 0, targets, &initialisers)
        try initialisers.check(in: self, targets)
        for address in [dynamic.initFunction, dynamic.finiFunction] where address != 0 && targets.isTable(address) {
            throw TableFault(what: "its initialiser or finaliser (DT_INIT, DT_FINI) is in one of its tables")
        }
    }

    private func check(
        _ bytes: UnsafeRawBufferPointer, relativeCount: UInt64, _ targets: borrowing RelocationTargets,
        _ initialisers: inout Initialisers
    ) throws(TableFault) {
        var last = targets.usual
        for number in 0..<(bytes.count / ELF.relocationSize) {
            let start = number &* ELF.relocationSize
            let target = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            let type = bytes.loadUnaligned(fromByteOffset: start &+ 8, as: UInt32.self)
            let kind = RelocationKind(type: type)
            // The linker puts relocations without a look-up first, and the dynamic linker asserts that.
            if number < relativeCount, kind != .relative {
                throw TableFault(what: "relocation \(number) is not of the kind that DT_RELACOUNT promises")
            }
            if kind == .none { continue }
            // Nearly all relocations write to the same range as the previous one.
            if target < last.lowerBound || target >= last.upperBound || last.upperBound - target < kind.width {
                guard let found = targets.range(holding: target, count: kind.width) else {
                    throw TableFault(what: "relocation \(number) writes outside of its writable segments")
                }
                last = found
            }
            if kind != .relative {
                let symbol = bytes.loadUnaligned(fromByteOffset: start &+ 12, as: UInt32.self)
                let addend = bytes.loadUnaligned(fromByteOffset: start &+ 16, as: UInt64.self)
                try check(kind, type: type, number, symbol: symbol, addend: addend, targets)
                if initialisers.overlap(target, kind.width) {
                    let symbol = tables.symbol(UInt64(symbol))
                    initialisers.write(
                        target, kind.width, kind == .address ? symbol.flatMap { Self.value($0, addend) } : nil)
                }
            } else if initialisers.overlap(target, 8) {
                initialisers.write(target, 8, bytes.loadUnaligned(fromByteOffset: start &+ 16, as: UInt64.self))
            }
        }
    }

    /// The address of a symbol of this file; nil for a symbol of another file.
    private static func value(_ symbol: ELFSymbol, _ addend: UInt64) -> UInt64? {
        symbol.isDefined && symbol.section != ELF.absoluteSection ? symbol.value &+ addend : nil
    }

    /// Checks the conditions of a kind, except the target, which is already checked.
    @inline(__always)
    private func check(
        _ kind: RelocationKind, type: UInt32, _ number: Int, symbol: UInt32, addend: UInt64,
        _ targets: borrowing RelocationTargets
    ) throws(TableFault) {
        switch kind {
        case .none, .relative, .address, .slot, .narrow: return
        case .size:
            let symbol = tables.symbol(UInt64(symbol))
            guard let symbol, symbol.isDefined || symbol.binding != ELF.weakBinding else {
                throw TableFault(what: "relocation \(number) needs the size of a symbol that may be missing")
            }
        case .threadLocal, .threadLocalDescriptor: try checkThreadLocal(number, symbol: symbol)
        case .indirect:
            guard isCode(addend), !targets.isTable(addend) else {
                throw TableFault(what: "relocation \(number) calls a function that lies outside of its code")
            }
        case .copy: throw TableFault(what: "relocation \(number) copies a variable, which only programs do")
        case .unknown:
            throw TableFault(what: "relocation \(number) has the kind \(type), which this machine does not have")
        }
    }

    /// Checks that a thread-local variable exists.
    ///
    /// The dynamic linker divides by the alignment of the file's thread-local storage, which is 0 if there is none.
    @inline(never)
    private func checkThreadLocal(_ number: Int, symbol index: UInt32) throws(TableFault) {
        guard let symbol = tables.symbol(UInt64(index)) else { return }
        let isOwn = index == 0 || symbol.isDefined
        let isThreadLocal = index == 0 || symbol.type == ELF.threadLocalType || symbol.type == ELF.sectionType
        guard isThreadLocal, !isOwn || threadLocal != nil else {
            throw TableFault(what: "relocation \(number) is for a thread-local variable, but there is none")
        }
    }

    /// Checks the packed relocations (DT_RELR): addresses, and bitmaps for the words after the last address.
    ///
    /// The dynamic linker adds the base address to each word.
    private func checkPacked(
        _ targets: borrowing RelocationTargets, _ initialisers: inout Initialisers
    ) throws(TableFault) {
        let bytes = tables.packedRelocations
        // Without an address before it, a bitmap would apply to the words at address 0 of the process, not of the file.
        if !bytes.isEmpty, bytes[0] & 1 == 1 {
            throw TableFault(what: "its packed relocations (DT_RELR) begin with a bitmap, before any address")
        }
        var next: UInt64 = 0
        var last = targets.usual
        func take(_ target: UInt64) throws(TableFault) {
            if !(last.contains(target) && last.upperBound - target >= 8) {
                guard let found = targets.range(holding: target, count: 8) else {
                    throw TableFault(what: "a packed relocation (DT_RELR) writes outside of its writable segments")
                }
                last = found
            }
            if initialisers.overlap(target, 8) { initialisers.addBase(target) }
        }
        for offset in stride(from: 0, to: bytes.count & ~7, by: 8) {
            let entry = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if entry & 1 == 0 {
                try take(entry)
                next = entry &+ 8
                continue
            }
            var bits = entry >> 1
            while bits != 0 {
                try take(next &+ UInt64(bits.trailingZeroBitCount) * 8)
                bits &= bits - 1
            }
            next &+= 63 * 8
        }
    }
}

/// Where relocations may write: to the writable segments, but not over data that the dynamic linker reads.
struct RelocationTargets: ~Copyable {
    private let ranges: [Range<UInt64>]
    private let tables: [Range<UInt64>]

    init(of inspection: borrowing QuickInspection) {
        tables = inspection.tableRanges
        var ranges: [Range<UInt64>] = []
        for segment in inspection.segments
        where segment.type == ELF.load && segment.flags & (ELF.mayRead | ELF.mayWrite) == ELF.mayRead | ELF.mayWrite {
            ranges.append(segment.address..<(segment.address &+ segment.memorySize))
        }
        for table in tables where ranges.contains(where: { $0.overlaps(table) }) {
            ranges = ranges.flatMap { range -> [Range<UInt64>] in
                guard range.overlaps(table) else { return [range] }
                let before = range.lowerBound..<max(range.lowerBound, table.lowerBound)
                let after = min(range.upperBound, table.upperBound)..<range.upperBound
                return [before, after].filter { !$0.isEmpty }
            }
        }
        self.ranges = ranges
    }

    /// Whether a called address is among the headers or tables, which old linkers put into one segment with code.
    package func isTable(_ address: UInt64) -> Bool {
        tables.contains { $0.contains(address) }
    }

    /// The range to try first.
    package var usual: Range<UInt64> { ranges.first ?? 0..<0 }

    package func range(holding target: UInt64, count: UInt64) -> Range<UInt64>? {
        for range in ranges where range.contains(target) && range.upperBound - target >= count { return range }
        return nil
    }
}

extension QuickInspection {
    /// The data that the dynamic linker reads during relocation or later: PT_DYNAMIC, the tables, and the program
    /// headers.
    fileprivate var tableRanges: [Range<UInt64>] {
        func range(_ address: UInt64, _ size: Int) -> Range<UInt64> { address..<(address &+ UInt64(size)) }
        // Each of these was read from its segment, so no sum overflows.
        var found = [
            range(dynamic.strings, tables.strings.count),
            range(dynamic.symbols, tables.symbols.count),
            range(dynamic.relocations, tables.relocations.count),
            range(dynamic.pltRelocations, tables.pltRelocations.count),
            range(dynamic.packedRelocations, tables.packedRelocations.count),
            range(dynamic.symbolVersions, tables.symbols.count / ELF.symbolSize * 2),
            range(dynamic.gnuHash != 0 ? dynamic.gnuHash : dynamic.systemVHash, Int(tables.hashSize)),
            tables.neededVersions, tables.definedVersions,
        ]
        if let segment = dynamicSegment { found.append(range(segment.address, Int(segment.fileSize))) }
        if let first = firstLoaded, first.offset == 0 { found.append(range(first.address, ELF.headerSize)) }
        for segment in segments where segment.type == ELF.programHeaders {
            found.append(range(segment.address, segments.count * ELF.programHeaderSize))
        }
        return found
    }
}

package import HostBasics

/// The tables of a file that the dynamic linker reads, as bytes that were read and found valid.
package struct ELFTables {
    /// DT_STRTAB; its last byte is 0, so every name that begins in it also ends in it.
    package var strings = UnsafeRawBufferPointer(start: nil, count: 0)
    /// DT_SYMTAB, up to the last symbol that the hash table contains or a relocation names.
    package var symbols = UnsafeRawBufferPointer(start: nil, count: 0)
    /// How many symbols the hash table contains; nil if there are none, as in a file that defines nothing.
    var hashedCount: UInt64?
    package var hash = Hash.none
    /// The size of the hash table including its head.
    var hashSize: UInt64 = 0
    /// The addresses of the version records.
    var neededVersions: Range<UInt64> = 0..<0
    var definedVersions: Range<UInt64> = 0..<0
    /// The number of symbols in the longest chain; a large number shows that no linker wrote the file.
    var longestChain = 0
    /// DT_RELA, DT_JMPREL and DT_RELR.
    package var relocations = UnsafeRawBufferPointer(start: nil, count: 0)
    var pltRelocations = UnsafeRawBufferPointer(start: nil, count: 0)
    var packedRelocations = UnsafeRawBufferPointer(start: nil, count: 0)

    /// The hash table without its head.
    package enum Hash {
        case none
        case gnu(buckets: UnsafeRawBufferPointer, chains: UnsafeRawBufferPointer, firstSymbol: UInt64)
        case systemV(buckets: UnsafeRawBufferPointer, chains: UnsafeRawBufferPointer)
    }

    package func symbol(_ index: UInt64) -> ELFSymbol? {
        guard index < UInt64(symbols.count / ELF.symbolSize) else { return nil }
        return ELFSymbol(symbols, at: Int(index) * ELF.symbolSize)
    }
}

extension QuickInspection {
    /// Reads the tables and checks everything in them that the dynamic linker uses without a check (fault 80).
    ///
    /// - Returns: whether they are valid; a fault is added to the findings.
    mutating func checkTables(_ file: borrowing OpenedFile) -> Bool {
        do throws(TableFault) {
            try readTables(file)
            try checkHashes(file)
            let highest = try highestSymbolOfRelocations()
            try readSymbols(highest: highest, file)
            try checkVersions(file)
            try checkSymbols()
            try checkNames()
            try checkRelocations(file)
            return true
        } catch {
            refuseDamaged(error.what)
            return false
        }
    }

    private mutating func readTables(_ file: borrowing OpenedFile) throws(TableFault) {
        readTogether(file)
        tables.strings = try table("strings (DT_STRTAB)", dynamic.strings, dynamic.stringsSize, file)
        guard tables.strings.last == 0 else { throw TableFault(what: "its strings (DT_STRTAB) do not end with NUL") }
        tables.relocations = try table("relocations (DT_RELA)", dynamic.relocations, dynamic.relocationsSize, file)
        tables.pltRelocations = try table(
            "relocations (DT_JMPREL)", dynamic.pltRelocations, dynamic.pltRelocationsSize, file)
        tables.packedRelocations = try table(
            "relocations (DT_RELR)", dynamic.packedRelocations, dynamic.packedRelocationsSize, file)
        if let name = dynamic.ownName, name >= UInt64(tables.strings.count) {
            throw TableFault(what: "its own name (DT_SONAME) is not in its strings")
        }
    }

    /// Reads the tables at once if they are next to each other.
    private mutating func readTogether(_ file: borrowing OpenedFile) {
        guard let first = firstLoaded else { return }
        var start = UInt64.max
        var end: UInt64 = 0
        var sum: UInt64 = 0
        func take(_ address: UInt64, _ size: UInt64) {
            guard address != 0, let offset = first.fileOffset(ofAddress: address, count: size) else { return }
            start = min(start, offset)
            end = max(end, offset + size)
            sum &+= size
        }
        take(dynamic.strings, dynamic.stringsSize)
        take(dynamic.symbols, 0)
        take(dynamic.gnuHash, 16)
        take(dynamic.systemVHash, 8)
        take(dynamic.symbolVersions, 2)
        take(dynamic.neededVersions, 16)
        take(dynamic.definedVersions, 20)
        take(dynamic.relocations, dynamic.relocationsSize)
        take(dynamic.pltRelocations, dynamic.pltRelocationsSize)
        take(dynamic.packedRelocations, dynamic.packedRelocationsSize)
        guard start < end, end > UInt64(window.head.count), end - start <= sum &* 4 &+ Self.gapLimit else { return }
        tableBytes.readMain(start, end, through: &window, file)
    }

    /// How many bytes of other data may be between tables that are read at once.
    private static var gapLimit: UInt64 { 32 << 10 }

    /// The bytes of a table; ``checkAddresses()`` has verified that the file contains them.
    package mutating func table(
        _ name: StaticString, _ address: UInt64, _ size: UInt64, _ file: borrowing OpenedFile
    ) throws(TableFault) -> UnsafeRawBufferPointer {
        guard size > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        guard let offset = fileOffset(ofAddress: address, count: size),
            let bytes = tableBytes.bytes(at: offset, count: Int(size), through: &window, file)
        else { throw TableFault(what: "its \(name) cannot be read") }
        return bytes
    }

    /// A few bytes of a table whose end is not known yet; valid until the next call.
    mutating func fewBytes(
        atAddress address: UInt64, count: Int, _ file: borrowing OpenedFile
    ) -> UnsafeRawBufferPointer? {
        guard let offset = fileOffset(ofAddress: address, count: UInt64(count)) else { return nil }
        return tableBytes.fewBytes(at: offset, count: count, through: &window, file)
    }

    package func word(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt32 {
        bytes.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self)
    }
}

import HostBasics

/// The dynamic symbols of a file, with the hash table for finding them.
package struct ELFSymbols {
    /// The number of symbols, including the empty first one.
    package let count: Int
    private let symbols: [UInt8]
    /// The strings that contain the names.
    package let strings: [UInt8]
    private let table: HashTable

    private static let tableLimit: UInt64 = 16 << 20
    /// No table of a real file has a chain this long; only a table designed to be slow has.
    private static let chainLimit = 4096
    /// The maximum length of a name in bytes: Swift and C++ names have some hundred bytes, rarely some thousand.
    private static let nameLimit = 32 << 10

    /// The hash table, with the numbers from its head.
    private enum HashTable {
        case none
        case gnu(bytes: [UInt8], bucketCount: Int, firstSymbol: Int, filterCount: Int, shift: UInt32)
        case systemV(bytes: [UInt8], bucketCount: Int, chainCount: Int)
    }

    init?(of file: ELFFile, strings: [UInt8]) {
        self.strings = strings
        guard file.dynamic.symbols != 0, file.dynamic.symbolSize == UInt64(ELF.symbolSize) else { return nil }
        table = Self.readTable(file)
        guard let counted = Self.count(table) ?? Self.countBySections(file),
            let bytes = file.bytes(atAddress: file.dynamic.symbols, count: UInt64(counted) * UInt64(ELF.symbolSize))
        else { return nil }
        count = counted
        symbols = bytes
    }

    /// The numbers of the symbols, without the empty first one.
    package func numbers(atMost limit: Int) -> Range<Int> { 1..<max(min(count, limit), 1) }

    subscript(index: Int) -> ELFSymbol {
        symbols.withUnsafeBytes { ELFSymbol($0, at: index * ELF.symbolSize) }
    }

    package func name(of symbol: ELFSymbol) -> String {
        ELFSymbols.bytes(in: strings, at: Int(symbol.name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The indices of all definitions of a name that other files can use.
    package func definitions(of name: SymbolName) -> [Int] {
        switch table {
        case .none: []
        case .gnu(let bytes, let bucketCount, let firstSymbol, let filterCount, let shift):
            gnuDefinitions(name, bytes, bucketCount, firstSymbol, filterCount, shift)
        case .systemV(let bytes, let bucketCount, let chainCount):
            systemVDefinitions(name, bytes, bucketCount, chainCount)
        }
    }

    private func isDefinition(_ index: Int, of name: SymbolName) -> Bool {
        guard index > 0, index < count else { return false }
        let symbol = self[index]
        guard symbol.isExported else { return false }
        let start = Int(symbol.name)
        guard start < strings.count, name.bytes.count < strings.count - start else { return false }
        return strings[start + name.bytes.count] == 0
            && strings[start..<(start + name.bytes.count)].elementsEqual(name.bytes)
    }

    private static func bytes(in strings: [UInt8], at index: Int) -> ArraySlice<UInt8>? {
        guard index < strings.count else { return nil }
        let tail = strings[index...].prefix(nameLimit)
        return tail[..<(tail.firstIndex(of: 0) ?? tail.endIndex)]
    }

    // MARK: - Tables

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }

    /// Reads the hash table of the symbols.
    ///
    /// The size of the table is not stored. So the bytes after it are read too, up to the limit, but never used.
    private static func readTable(_ file: ELFFile) -> HashTable {
        let address = file.dynamic.gnuHash != 0 ? file.dynamic.gnuHash : file.dynamic.systemVHash
        guard address != 0,
            let head = file.bytes(atAddress: address, count: 16) ?? file.bytes(atAddress: address, count: 8)
        else { return .none }
        if file.dynamic.gnuHash != 0 {
            guard head.count == 16 else { return .none }
            let bucketCount = Int(word(head, 0))
            let filterCount = Int(word(head, 8))
            guard bucketCount > 0, filterCount > 0, filterCount & (filterCount - 1) == 0 else { return .none }
            // Chains have one word for each symbol, and each symbol has 24 bytes in the same file.
            let most: UInt64 = 16 + UInt64(filterCount) * 8 + UInt64(bucketCount) * 4 + file.file.identity.size / 6
            let size = file.available(atAddress: address, limit: min(most, tableLimit))
            guard size >= 16 + UInt64(filterCount) * 8 + UInt64(bucketCount) * 4,
                let bytes = file.bytes(atAddress: address, count: size)
            else { return .none }
            return .gnu(
                bytes: bytes, bucketCount: bucketCount, firstSymbol: Int(word(head, 4)), filterCount: filterCount,
                shift: word(head, 12))
        }
        let bucketCount = Int(word(head, 0))
        let chainCount = Int(word(head, 4))
        let size = 8 + (UInt64(bucketCount) + UInt64(chainCount)) * 4
        guard bucketCount > 0, size <= tableLimit, let bytes = file.bytes(atAddress: address, count: size) else {
            return .none
        }
        return .systemV(bytes: bytes, bucketCount: bucketCount, chainCount: chainCount)
    }

    /// The number of symbols, or nil if it cannot be found.
    ///
    /// Only the older kind of table contains the number; in the newer one, the end of the last chain shows it.
    private static func count(_ table: HashTable) -> Int? {
        switch table {
        case .none: return nil
        case .systemV(_, _, let chainCount): return chainCount
        case .gnu(let bytes, let bucketCount, let firstSymbol, let filterCount, _):
            let buckets = 16 + filterCount * 8
            let chains = buckets + bucketCount * 4
            var last = 0
            for bucket in 0..<bucketCount { last = max(last, Int(word(bytes, buckets + bucket * 4))) }
            guard last >= firstSymbol, last > 0 else { return nil }
            while chains + (last - firstSymbol) * 4 + 4 <= bytes.count {
                if word(bytes, chains + (last - firstSymbol) * 4) & 1 == 1 { return last + 1 }
                last += 1
            }
            return nil
        }
    }

    private static func countBySections(_ file: ELFFile) -> Int? {
        guard let section = file.section(named: ".dynsym"), section.address == file.dynamic.symbols else { return nil }
        return Int(exactly: section.size / UInt64(ELF.symbolSize))
    }

    private func gnuDefinitions(
        _ name: SymbolName, _ bytes: [UInt8], _ bucketCount: Int, _ firstSymbol: Int, _ filterCount: Int,
        _ shift: UInt32
    ) -> [Int] {
        bytes.withUnsafeBytes { bytes in
            let filter = bytes.loadUnaligned(
                fromByteOffset: 16 + (Int(name.gnuHash) / 64 & (filterCount - 1)) * 8, as: UInt64.self)
            let bits: UInt64 = 1 << UInt64(name.gnuHash & 63) | 1 << UInt64((name.gnuHash >> (shift & 31)) & 63)
            guard filter & bits == bits else { return [] }
            let buckets = 16 + filterCount * 8
            let chains = buckets + bucketCount * 4
            let first = Int(
                bytes.loadUnaligned(fromByteOffset: buckets + Int(name.gnuHash) % bucketCount * 4, as: UInt32.self))
            guard first >= firstSymbol, first > 0 else { return [] }
            var found: [Int] = []
            for index in first..<(first + Self.chainLimit) {
                let offset = chains + (index - firstSymbol) * 4
                guard offset <= bytes.count - 4 else { break }
                let entry = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                if entry | 1 == name.gnuHash | 1, isDefinition(index, of: name) { found.append(index) }
                if entry & 1 == 1 { break }
            }
            return found
        }
    }

    private func systemVDefinitions(_ name: SymbolName, _ bytes: [UInt8], _ bucketCount: Int, _ chainCount: Int)
        -> [Int]
    {
        var index = Int(Self.word(bytes, 8 + Int(name.systemVHash) % bucketCount * 4))
        var found: [Int] = []
        for _ in 0..<Self.chainLimit {
            guard index > 0, index < chainCount else { break }
            if isDefinition(index, of: name) { found.append(index) }
            index = Int(Self.word(bytes, 8 + (bucketCount + index) * 4))
        }
        return found
    }
}

/// A symbol's name with its hashes, computed once for all files that are searched for it.
package struct SymbolName {
    package let text: String
    package let bytes: [UInt8]
    package let gnuHash: UInt32
    let systemVHash: UInt32

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
        gnuHash = ELFImages.gnuHash(of: bytes)
        systemVHash = ELFImages.systemVHash(of: bytes)
    }
}

import HostBasics

extension QuickInspection {
    /// Checks the hash table that the dynamic linker uses: the GNU one if there is one (fault 80).
    ///
    /// The dynamic linker follows a chain to its end mark. Without a mark, it would never stop, or read beyond the
    /// file.
    mutating func checkHashes(_ file: borrowing OpenedFile) throws(TableFault) {
        if dynamic.gnuHash != 0 {
            try checkGNUHash(file)
        } else if dynamic.systemVHash != 0 {
            try checkSystemVHash(file)
        } else if role == .plugin {
            throw TableFault(what: "it has no hash table of its symbols")
        }
    }

    /// No table of a real file has a chain this long; only a table designed to be slow has.
    private static var chainLimit: Int { 4096 }

    /// The table that every linker writes: a bloom filter, buckets, and chains of hashes parallel to the symbols; the
    /// lowest bit marks the last element of a chain.
    private mutating func checkGNUHash(_ file: borrowing OpenedFile) throws(TableFault) {
        let address = dynamic.gnuHash
        guard let head = fewBytes(atAddress: address, count: 16, file) else {
            throw TableFault(what: "its GNU hash table is cut off")
        }
        let bucketCount = UInt64(word(head, 0))
        let firstSymbol = UInt64(word(head, 1))
        let filterCount = UInt64(word(head, 2))
        guard bucketCount > 0, filterCount > 0, filterCount & (filterCount - 1) == 0, firstSymbol > 0 else {
            throw TableFault(
                what: "its GNU hash table has \(bucketCount) buckets and a filter of \(filterCount) words")
        }
        let bucketsOffset = 16 + filterCount * 8
        let chainsOffset = bucketsOffset + bucketCount * 4
        guard fileOffset(ofAddress: address, count: chainsOffset) != nil else {
            throw TableFault(what: "its GNU hash table is cut off")
        }
        let buckets = try table("GNU hash table", address + bucketsOffset, bucketCount * 4, file)
        var last: UInt32 = 0
        var isBelow = false
        for index in 0..<Int(bucketCount) {
            let first = word(buckets, index)
            last = max(last, first)
            if first != 0, UInt64(first) < firstSymbol { isBelow = true }
        }
        if isBelow { throw TableFault(what: "its GNU hash table names symbols that it does not contain") }
        tables.hashSize = chainsOffset
        guard last > 0 else {
            tables.hash = .gnu(
                buckets: buckets, chains: UnsafeRawBufferPointer(start: nil, count: 0), firstSymbol: firstSymbol)
            return
        }
        try readChains(atAddress: address + chainsOffset, buckets, firstSymbol, UInt64(last), file)
    }

    /// `last`: the symbol with which the last chain begins; the end of this chain is the end of the table.
    private mutating func readChains(
        atAddress address: UInt64, _ buckets: UnsafeRawBufferPointer, _ firstSymbol: UInt64, _ last: UInt64,
        _ file: borrowing OpenedFile
    ) throws(TableFault) {
        var end = last - firstSymbol
        while true {
            guard let entry = fewBytes(atAddress: address &+ end * 4, count: 4, file) else {
                throw TableFault(what: "its GNU hash table is cut off")
            }
            end += 1
            if word(entry, 0) & 1 == 1 { break }
            guard end - (last - firstSymbol) <= UInt64(Self.chainLimit) else {
                throw TableFault(what: "its GNU hash table has a chain of more than \(Self.chainLimit) symbols")
            }
        }
        let chains = try table("GNU hash table", address, end * 4, file)
        var longest = 0
        var length = 0
        for index in 0..<Int(end) {
            length += 1
            if word(chains, index) & 1 == 1 {
                longest = max(longest, length)
                length = 0
            }
        }
        guard longest <= Self.chainLimit else {
            throw TableFault(what: "its GNU hash table has a chain of more than \(Self.chainLimit) symbols")
        }
        tables.longestChain = longest
        tables.hashSize += end * 4
        tables.hashedCount = firstSymbol + end
        tables.hash = .gnu(buckets: buckets, chains: chains, firstSymbol: firstSymbol)
    }

    /// The older table: buckets, and chains of symbol numbers, which a hostile file can form into a circle.
    private mutating func checkSystemVHash(_ file: borrowing OpenedFile) throws(TableFault) {
        let address = dynamic.systemVHash
        guard let head = fewBytes(atAddress: address, count: 8, file), word(head, 0) > 0 else {
            throw TableFault(what: "its hash table is cut off or has no buckets")
        }
        let bucketCount = UInt64(word(head, 0))
        let chainCount = UInt64(word(head, 1))
        guard fileOffset(ofAddress: address, count: 8 + (bucketCount + chainCount) * 4) != nil else {
            throw TableFault(what: "its hash table is cut off")
        }
        tables.hashSize = 8 + (bucketCount + chainCount) * 4
        let buckets = try table("hash table", address + 8, bucketCount * 4, file)
        let chains = try table("hash table", address + 8 + bucketCount * 4, chainCount * 4, file)
        // Each symbol is in one chain, so all chains together are not longer than the number of symbols.
        var left = Int(chainCount)
        for bucket in 0..<Int(bucketCount) {
            var index = word(buckets, bucket)
            var length = 0
            while index != 0 {
                guard index < chainCount else {
                    throw TableFault(what: "its hash table names symbols that do not exist")
                }
                length += 1
                left -= 1
                guard left >= 0, length <= Self.chainLimit else {
                    throw TableFault(
                        what: "its hash table has a chain of more than \(Self.chainLimit) symbols, or a circle")
                }
                index = word(chains, Int(index))
            }
            tables.longestChain = max(tables.longestChain, length)
        }
        tables.hashedCount = chainCount
        tables.hash = .systemV(buckets: buckets, chains: chains)
    }
}

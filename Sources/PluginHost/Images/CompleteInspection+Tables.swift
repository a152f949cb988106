extension CompleteInspection {
    /// Tables whose content the dynamic linker believes: where relocations write, the symbols they name, the
    /// libraries that versions are asked of. A wrong number there ends the process inside dlopen() (fault 80).
    mutating func checkTables() {
        if let fault = relocationFault() ?? versionFault() {
            add(.notLoadable, "\(quoted(file.path)) is damaged: \(fault).", QuickInspection.rebuild)
        }
    }

    // MARK: - Relocations

    private func relocationFault() -> String? {
        let table = file.dynamic
        for (address, size) in [
            (table.relocations, table.relocationsSize), (table.pltRelocations, table.pltRelocationsSize),
        ] where address != 0 && size > 0 {
            guard let bytes = file.bytes(atAddress: address, count: size) else { continue }
            let relativeCount = address == table.relocations ? table.relativeCount : 0
            if let fault = relocationFault(bytes, relativeCount: relativeCount) { return fault }
        }
        return nil
    }

    private func relocationFault(_ bytes: [UInt8], relativeCount: UInt64) -> String? {
        let symbolCount = file.symbols.map { UInt64($0.count) } ?? .max
        let writable = file.segments.filter { $0.type == ELF.load && $0.flags & ELF.mayWrite != 0 }
        return bytes.withUnsafeBytes { bytes in
            for number in 0..<(bytes.count / ELF.relocationSize) {
                let offset = number * ELF.relocationSize
                let target = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                let info = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
                // The linker puts those first that need no look-up, and the dynamic linker asserts that it did.
                if number < relativeCount, UInt32(truncatingIfNeeded: info) != ELF.relativeRelocation {
                    return "relocation \(number) is of another kind than DT_RELACOUNT says"
                }
                guard info != 0 else { continue }  // no relocation
                if !writable.contains(where: { target >= $0.address && target - $0.address < $0.memorySize }) {
                    return "relocation \(number) writes outside of its writable segments"
                }
                if info >> 32 >= symbolCount {
                    return "relocation \(number) names symbol \(info >> 32) of \(symbolCount)"
                }
            }
            return nil
        }
    }

    // MARK: - Versions

    private func versionFault() -> String? {
        let versions = file.versions
        if versions.hasDamagedNeeds { return "its list of needed versions (DT_VERNEED) does not end where it should" }
        if versions.hasDamagedDefinitions { return "its list of versions (DT_VERDEF) does not end where it should" }
        let libraries = Set(versions.needed.values.map(\.library)).subtracting(file.needed)
        let known = Set(versions.needed.keys).union(versions.defined.keys).union([0, 1])
        for symbol in 0..<(file.symbols?.count ?? 0) {
            let index = versions.index(ofSymbol: symbol).index
            guard !known.contains(index) else { continue }
            return "symbol \(symbol) has the version number \(index), which stands for none (DT_VERSYM)"
        }
        return libraries.min().map { "it asks for a version of \(quoted($0)), which it does not need" }
    }
}

import HostBasics

extension QuickInspection {
    /// Checks that the entry symbol exists, is exported, and is code (faults 81, 82).
    mutating func checkEntry() {
        let found =
            switch tables.hash {
            case .gnu(let buckets, let chains, let firstSymbol): findInGNUHash(buckets, chains, firstSymbol)
            case .systemV(let buckets, let chains): findInSystemVHash(buckets, chains)
            case .none: ELFSymbol?.none
            }
        if let found { checkEntry(found) } else { refuseMissingEntry() }
    }

    private mutating func checkEntry(_ symbol: ELFSymbol) {
        guard symbol.isExported else { return refuseMissingEntry() }
        let isCode = isCode(symbol.value)
        switch symbol.type {
        case ELF.functionType, ELF.indirectFunctionType:
            if !isCode { refuseDamaged("its function \(quoted(ELFInspector.entrySymbol)) lies outside of its code") }
        // Assembly code often omits the type.
        case ELF.noType where isCode: break
        default:
            refuse(
                code: .symbolMissing, subject: ELFInspector.entrySymbol,
                "defines \(quoted(ELFInspector.entrySymbol)) as data, not as a function.", Self.entryRemedy)
        }
    }

    private mutating func refuseMissingEntry() {
        refuse(
            code: .symbolMissing, subject: ELFInspector.entrySymbol,
            "does not export the function \(quoted(ELFInspector.entrySymbol)), so it is not a plug-in for this host.",
            Self.entryRemedy)
    }

    private static let entryRemedy =
        "Define it in Swift as: @c(plugin_entry) public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> "
        + "plugin_status; in C as: PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host)."

    /// The GNU hash of ``ELFInspector/entrySymbol``, as a constant because each load needs it.
    package static let entryHash: UInt32 = 0x9CA0_5A05

    // MARK: - Tables

    /// The symbol at an index if it has the entry's name.
    private func symbolIfEntry(_ index: UInt64) -> ELFSymbol? {
        guard let symbol = tables.symbol(index) else { return nil }
        let length = ELFInspector.entrySymbol.utf8.count
        let name = Int(symbol.name)
        guard length < tables.strings.count - name, tables.strings[name + length] == 0,
            UnsafeRawBufferPointer(rebasing: tables.strings[name..<(name + length)]).holds(ELFInspector.entrySymbol)
        else { return nil }
        return symbol
    }

    /// This skips the filter: the entry is nearly always present, so reading the filter would save nothing.
    private func findInGNUHash(
        _ buckets: UnsafeRawBufferPointer, _ chains: UnsafeRawBufferPointer, _ firstSymbol: UInt64
    ) -> ELFSymbol? {
        let hash = Self.entryHash
        var index = UInt64(word(buckets, Int(UInt64(hash) % UInt64(buckets.count / 4))))
        guard index != 0 else { return nil }
        // checkHashes() has verified that each chain has an end.
        while true {
            let entry = word(chains, Int(index - firstSymbol))
            if entry | 1 == hash | 1, let found = symbolIfEntry(index) { return found }
            if entry & 1 == 1 { return nil }
            index += 1
        }
    }

    private func findInSystemVHash(
        _ buckets: UnsafeRawBufferPointer, _ chains: UnsafeRawBufferPointer
    ) -> ELFSymbol? {
        let hash = systemVHash(of: ELFInspector.entrySymbol.utf8)
        var index = word(buckets, Int(hash) % (buckets.count / 4))
        while index != 0 {
            if let found = symbolIfEntry(UInt64(index)) { return found }
            index = word(chains, Int(index))
        }
        return nil
    }
}

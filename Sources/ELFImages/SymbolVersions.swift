/// The versions of symbols that a file defines and needs (the GNU extension: `.gnu.version`, `_d` and `_r`).
package struct SymbolVersions {
    /// A version that the file needs another library to define.
    package struct Needed: Hashable {
        /// The library, by its DT_NEEDED name.
        package var library: String
        package var name: String
        /// Whether the dynamic linker accepts that the version is missing.
        var isWeak: Bool
    }

    /// The versions by the index that `.gnu.version` assigns to symbols.
    package private(set) var needed: [UInt16: Needed] = [:]
    package private(set) var defined: [UInt16: String] = [:]
    /// Whether the list of needed versions ends too early or too late.
    private(set) var hasDamagedNeeds = false
    private(set) var hasDamagedDefinitions = false
    /// One number for each symbol: an index, with the highest bit set if the definition is hidden.
    private var indices: [UInt8] = []

    private static let limit = 4096
    private static let tableLimit: UInt64 = 256 << 10
    private static let weakFlag: UInt16 = 2
    private static let baseFlag: UInt16 = 1

    init(of file: ELFFile) {
        let table = file.dynamic
        if table.symbolVersions != 0, let symbols = file.symbols {
            indices = file.bytes(atAddress: table.symbolVersions, count: UInt64(symbols.count) * 2) ?? []
        }
        if table.neededVersions != 0 { readNeeded(file, table.neededVersionCount) }
        if table.definedVersions != 0 { readDefined(file, table.definedVersionCount) }
    }

    var isDefiner: Bool { !defined.isEmpty }

    /// The index of a symbol's version: 0 for a local symbol, 1 for a global one without a version.
    package func index(ofSymbol symbol: Int) -> (index: UInt16, isHidden: Bool) {
        guard symbol * 2 + 2 <= indices.count else { return (1, false) }
        let value = indices.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: symbol * 2, as: UInt16.self) }
        return (value & 0x7FFF, value & 0x8000 != 0)
    }

    /// Records of 16 bytes, one for each library, each followed by records of 16 bytes, one for each version; all are
    /// linked by offsets, which can be too small, too large or zero in a hostile file.
    private mutating func readNeeded(_ file: ELFFile, _ count: UInt64) {
        let bytes = table(of: file, at: file.dynamic.neededVersions)
        var record = 0
        var budget = Self.limit
        for number in 0..<count {
            guard record <= bytes.count - 16, let library = file.string(at: UInt64(word(bytes, record + 4))) else {
                hasDamagedNeeds = true
                return
            }
            var version = record + Int(word(bytes, record + 8))
            let versionCount = half(bytes, record + 2)
            for versionNumber in 0..<versionCount {
                budget -= 1
                guard budget > 0, version <= bytes.count - 16,
                    let name = file.string(at: UInt64(word(bytes, version + 8)))
                else {
                    hasDamagedNeeds = true
                    return
                }
                let isWeak = half(bytes, version + 4) & Self.weakFlag != 0
                needed[half(bytes, version + 6) & 0x7FFF] = Needed(library: library, name: name, isWeak: isWeak)
                let next = Int(word(bytes, version + 12))
                if next == 0, versionNumber + 1 < versionCount { hasDamagedNeeds = true }
                guard next > 0 else { break }
                version += next
            }
            let next = Int(word(bytes, record + 12))
            if (next == 0) != (number + 1 == count) { hasDamagedNeeds = true }
            guard next > 0 else { return }
            record += next
        }
    }

    /// Records of 20 bytes, each followed by its name and the names of its parents.
    private mutating func readDefined(_ file: ELFFile, _ count: UInt64) {
        let bytes = table(of: file, at: file.dynamic.definedVersions)
        var record = 0
        for number in 0..<min(count, UInt64(Self.limit)) {
            guard record <= bytes.count - 20, record + Int(word(bytes, record + 12)) <= bytes.count - 8,
                let name = file.string(at: UInt64(word(bytes, record + Int(word(bytes, record + 12)))))
            else {
                hasDamagedDefinitions = true
                return
            }
            if half(bytes, record + 2) & Self.baseFlag == 0 { defined[half(bytes, record + 4) & 0x7FFF] = name }
            let next = Int(word(bytes, record + 16))
            if (next == 0) != (number + 1 == count) { hasDamagedDefinitions = true }
            guard next > 0 else { return }
            record += next
        }
    }

    // MARK: - Bytes

    /// The table's size is not stored, so the bytes after it are read too.
    private func table(of file: ELFFile, at address: UInt64) -> [UInt8] {
        file.bytes(atAddress: address, count: file.available(atAddress: address, limit: Self.tableLimit)) ?? []
    }

    private func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }

    private func half(_ bytes: [UInt8], _ offset: Int) -> UInt16 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt16.self) }
    }
}

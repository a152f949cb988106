/// What PT_DYNAMIC tells: addresses and sizes, each 0 where the entry is missing.
struct DynamicTable {
    var symbols: UInt64 = 0
    var symbolSize: UInt64 = 0
    var strings: UInt64 = 0
    var stringsSize: UInt64 = 0
    var gnuHash: UInt64 = 0
    var systemVHash: UInt64 = 0
    /// Offsets into the strings, or nil where the entry is missing.
    var ownName: UInt64?
    var runPath: UInt64?
    var rPath: UInt64?
    var flags: UInt64 = 0
    var flags1: UInt64 = 0
    var hasTextRelocations = false
    /// DT_DEBUG: linkers write it into programs only.
    var hasDebug = false
    var symbolVersions: UInt64 = 0
    var neededVersions: UInt64 = 0
    var neededVersionCount: UInt64 = 0
    var definedVersions: UInt64 = 0
    var definedVersionCount: UInt64 = 0
    var relocations: UInt64 = 0
    var relocationsSize: UInt64 = 0
    var relocationSize: UInt64 = 0
    var pltRelocations: UInt64 = 0
    var pltRelocationsSize: UInt64 = 0
    /// What a DT_JMPREL's entries are: DT_REL or DT_RELA.
    var pltRelocationKind: UInt64 = 0
    /// How many of the first relocations only add the image's base.
    var relativeCount: UInt64 = 0
    var initFunction: UInt64 = 0
    var finiFunction: UInt64 = 0
    var initArray: UInt64 = 0
    var initArraySize: UInt64 = 0
    var finiArray: UInt64 = 0
    var finiArraySize: UInt64 = 0
    /// How many libraries are needed.
    var neededCount = 0
    /// Whether the table has its end mark.
    var isTerminated = false

    /// DT_RELA as a value of DT_PLTREL.
    static let relocationsWithAddend: UInt64 = 7
    static let flag1NoDefaultLibraries: UInt64 = 0x800
    static let flag1NoOpen: UInt64 = 0x40
    static let flag1PositionIndependentProgram: UInt64 = 0x0800_0000
    static let flagTextRelocations: UInt64 = 4

    /// Reads the entries up to the end mark or the end of the bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset <= bytes.count - ELF.dynamicEntrySize {
            let tag = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if tag == 0 {
                isTerminated = true
                return
            }
            take(tag, bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
            offset += ELF.dynamicEntrySize
        }
    }

    /// Calls `body` with the offset in the strings of each needed library's name, in order.
    static func eachNeeded(in bytes: UnsafeRawBufferPointer, _ body: (UInt64) -> Void) {
        var offset = 0
        while offset <= bytes.count - ELF.dynamicEntrySize {
            let tag = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if tag == 0 { return }
            if tag == 1 { body(bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)) }
            offset += ELF.dynamicEntrySize
        }
    }

    // The names of the tags are those of <elf.h>.
    private mutating func take(_ tag: UInt64, _ value: UInt64) {
        switch tag {
        case 1: neededCount += 1  // DT_NEEDED
        case 2: pltRelocationsSize = value  // DT_PLTRELSZ
        case 4: systemVHash = value  // DT_HASH
        case 5: strings = value  // DT_STRTAB
        case 6: symbols = value  // DT_SYMTAB
        case 7: relocations = value  // DT_RELA
        case 8: relocationsSize = value  // DT_RELASZ
        case 9: relocationSize = value  // DT_RELAENT
        case 10: stringsSize = value  // DT_STRSZ
        case 11: symbolSize = value  // DT_SYMENT
        case 12: initFunction = value  // DT_INIT
        case 13: finiFunction = value  // DT_FINI
        case 14: ownName = value  // DT_SONAME
        case 15: rPath = value  // DT_RPATH
        case 20: pltRelocationKind = value  // DT_PLTREL
        case 21: hasDebug = true  // DT_DEBUG
        case 22: hasTextRelocations = true  // DT_TEXTREL
        case 23: pltRelocations = value  // DT_JMPREL
        case 25: initArray = value  // DT_INIT_ARRAY
        case 26: finiArray = value  // DT_FINI_ARRAY
        case 27: initArraySize = value  // DT_INIT_ARRAYSZ
        case 28: finiArraySize = value  // DT_FINI_ARRAYSZ
        case 29: runPath = value  // DT_RUNPATH
        case 30: flags = value  // DT_FLAGS
        case 0x6FFF_FEF5: gnuHash = value  // DT_GNU_HASH
        case 0x6FFF_FFF0: symbolVersions = value  // DT_VERSYM
        case 0x6FFF_FFF9: relativeCount = value  // DT_RELACOUNT
        case 0x6FFF_FFFB: flags1 = value  // DT_FLAGS_1
        case 0x6FFF_FFFC: definedVersions = value  // DT_VERDEF
        case 0x6FFF_FFFD: definedVersionCount = value  // DT_VERDEFNUM
        case 0x6FFF_FFFE: neededVersions = value  // DT_VERNEED
        case 0x6FFF_FFFF: neededVersionCount = value  // DT_VERNEEDNUM
        default: break
        }
    }
}

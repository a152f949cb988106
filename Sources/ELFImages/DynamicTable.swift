/// The content of PT_DYNAMIC: addresses and sizes, each 0 if the entry is missing.
///
/// If a tag occurs twice, the last entry counts.
package struct DynamicTable {
    /// The values of the tags below 40, and of 0x6FFFFFF0 to 0x6FFFFFFF, stored at the tag's index: the processor would
    /// mispredict a switch with thirty cases at nearly every entry.
    private var standard = InlineArray<40, UInt64>(repeating: 0)
    private var versioning = InlineArray<16, UInt64>(repeating: 0)
    /// Which tags exist, one bit each: the tags below 40, and above them those from 0x6FFFFFF0.
    private var present: UInt64 = 0
    /// DT_GNU_HASH.
    package private(set) var gnuHash: UInt64 = 0
    private var hasGNUHash = false
    /// Whether there is a tag that makes the dynamic linker load more code than DT_NEEDED names: DT_FILTER,
    /// DT_AUXILIARY, DT_AUDIT or DT_DEPAUDIT.
    private(set) var hasFilter = false
    private(set) var hasAudit = false
    /// Whether the table ends with its end mark.
    private(set) var isTerminated = false
    /// The range of bytes from the first to the last DT_NEEDED entry.
    private var neededPart = 0..<0

    // The names of the tags are those of <elf.h>.
    var pltRelocationsSize: UInt64 { standard[2] }  // DT_PLTRELSZ
    var systemVHash: UInt64 { standard[4] }  // DT_HASH
    package var strings: UInt64 { standard[5] }  // DT_STRTAB
    package var symbols: UInt64 { standard[6] }  // DT_SYMTAB
    package var relocations: UInt64 { standard[7] }  // DT_RELA
    var relocationsSize: UInt64 { standard[8] }  // DT_RELASZ
    var relocationSize: UInt64 { standard[9] }  // DT_RELAENT
    var stringsSize: UInt64 { standard[10] }  // DT_STRSZ
    var symbolSize: UInt64 { standard[11] }  // DT_SYMENT
    var initFunction: UInt64 { standard[12] }  // DT_INIT
    var finiFunction: UInt64 { standard[13] }  // DT_FINI
    /// Offsets into the strings, or nil if the entry is missing.
    package var ownName: UInt64? { value(14) }  // DT_SONAME
    var rPath: UInt64? { value(15) }  // DT_RPATH
    package var runPath: UInt64? { value(29) }  // DT_RUNPATH
    /// Whether the entries of DT_JMPREL are DT_REL or DT_RELA.
    var pltRelocationKind: UInt64 { standard[20] }  // DT_PLTREL
    /// Linkers write it only into programs.
    var hasDebug: Bool { value(21) != nil }  // DT_DEBUG
    var hasTextRelocations: Bool { value(22) != nil }  // DT_TEXTREL
    var pltRelocations: UInt64 { standard[23] }  // DT_JMPREL
    var initArray: UInt64 { standard[25] }  // DT_INIT_ARRAY
    var finiArray: UInt64 { standard[26] }  // DT_FINI_ARRAY
    var initArraySize: UInt64 { standard[27] }  // DT_INIT_ARRAYSZ
    var finiArraySize: UInt64 { standard[28] }  // DT_FINI_ARRAYSZ
    package var flags: UInt64 { standard[30] }  // DT_FLAGS
    /// Whether there are functions that run before all others: only programs have them, but the dynamic linker would
    /// also call them in an opened library.
    var hasPreinitialisers: Bool { value(32) != nil || value(33) != nil }  // DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ
    var packedRelocationsSize: UInt64 { standard[35] }  // DT_RELRSZ
    var packedRelocations: UInt64 { standard[36] }  // DT_RELR
    var packedRelocationSize: UInt64 { standard[37] }  // DT_RELRENT
    var symbolVersions: UInt64 { versioning[0] }  // DT_VERSYM
    /// How many relocations at the start of the table only add the base address.
    var relativeCount: UInt64 { versioning[9] }  // DT_RELACOUNT
    var flags1: UInt64 { versioning[11] }  // DT_FLAGS_1
    var definedVersions: UInt64 { versioning[12] }  // DT_VERDEF
    var definedVersionCount: UInt64 { versioning[13] }  // DT_VERDEFNUM
    var neededVersions: UInt64 { versioning[14] }  // DT_VERNEED
    var neededVersionCount: UInt64 { versioning[15] }  // DT_VERNEEDNUM

    private func value(_ tag: Int) -> UInt64? { present & 1 << UInt64(tag) != 0 ? standard[tag] : nil }

    /// Whether an entry that the dynamic linker follows has the address 0, the address of the file's header.
    var hasNullAddress: Bool {
        // DT_HASH, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_INIT, DT_FINI, DT_JMPREL, DT_INIT_ARRAY, DT_FINI_ARRAY, DT_RELR
        let followed: UInt64 = 0x10_0680_30F0  // a bit for each of these tags
        var rest = present & followed
        while rest != 0 {
            if standard[rest.trailingZeroBitCount] == 0 { return true }
            rest &= rest - 1
        }
        if hasGNUHash && gnuHash == 0 { return true }
        // DT_VERSYM, DT_VERDEF, DT_VERNEED
        return isNull(0) || isNull(12) || isNull(14)
    }

    private func isNull(_ tag: Int) -> Bool { present & 1 << UInt64(40 + tag) != 0 && versioning[tag] == 0 }

    /// DT_RELA as a value of DT_PLTREL.
    static let relocationsWithAddend: UInt64 = 7
    /// Whether the file's own definitions come first when its symbols are looked up: DF_SYMBOLIC or DT_SYMBOLIC.
    var isSymbolic: Bool { flags & 2 != 0 || value(16) != nil }
    /// DF_STATIC_TLS: thread-local variables are addressed directly, so their memory must be next to the program's.
    static let flagStaticThreadLocals: UInt64 = 0x10
    static let flag1NoDefaultLibraries: UInt64 = 0x800
    static let flag1NoOpen: UInt64 = 0x40
    static let flag1PositionIndependentProgram: UInt64 = 0x0800_0000
    static let flagTextRelocations: UInt64 = 4

    /// Reads the entries up to the end mark or the end of the bytes into an empty table.
    ///
    /// This is not an initialiser, which would copy the table.
    package mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset <= bytes.count - ELF.dynamicEntrySize {
            let tag = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if tag == 0 {
                isTerminated = true
                return
            }
            let value = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
            if tag == Self.needed {
                neededPart = (neededPart.isEmpty ? offset : neededPart.lowerBound)..<(offset + ELF.dynamicEntrySize)
            } else {
                take(tag, value)
            }
            offset += ELF.dynamicEntrySize
        }
    }

    private static let needed: UInt64 = 1  // DT_NEEDED

    /// The offset in the strings of each needed library's name, in order.
    ///
    /// `bytes`: the bytes that were read.
    package func needed(in bytes: UnsafeRawBufferPointer) -> Needed {
        Needed(in: UnsafeRawBufferPointer(rebasing: bytes[neededPart]))
    }

    package struct Needed: Sequence, IteratorProtocol {
        private let bytes: UnsafeRawBufferPointer
        private var offset = 0

        fileprivate init(in bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        package mutating func next() -> UInt64? {
            while offset < bytes.count {
                let tag = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                defer { offset += ELF.dynamicEntrySize }
                guard tag == DynamicTable.needed else { continue }
                return bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
            }
            return nil
        }
    }

    private mutating func take(_ tag: UInt64, _ value: UInt64) {
        if tag < 40 {
            standard[Int(tag)] = value
            present |= 1 << tag
        } else if tag &- 0x6FFF_FFF0 < 16 {
            versioning[Int(tag - 0x6FFF_FFF0)] = value
            present |= 1 << (tag - 0x6FFF_FFF0 + 40)
        } else if tag == 0x6FFF_FEF5 {
            gnuHash = value
            hasGNUHash = true
        } else if tag == 0x7FFF_FFFD || tag == 0x7FFF_FFFF {
            hasFilter = true
        } else if tag == 0x6FFF_FEFB || tag == 0x6FFF_FEFC {
            hasAudit = true
        }
    }
}

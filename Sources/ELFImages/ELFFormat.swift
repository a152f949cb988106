import Glibc

/// The constants of the ELF format that this module uses (System V ABI, chapters 4 and 5; `<elf.h>`).
///
/// Only the 64-bit format in the host's own byte order is read; any other file is recognised by its first six bytes and
/// refused.
package enum ELF {
    static let headerSize = 64
    package static let programHeaderSize = 56
    static let sectionHeaderSize = 64
    static let symbolSize = 24
    static let relocationSize = 24
    static let dynamicEntrySize = 16

    // e_ident
    package static let class32: UInt8 = 1
    static let class64: UInt8 = 2
    package static let littleEndian: UInt8 = 1
    package static let bigEndian: UInt8 = 2

    // e_ident[EI_OSABI]
    static let systemV: UInt8 = 0
    package static let linux: UInt8 = 3

    // e_type
    static let relocatable: UInt16 = 1
    package static let executable: UInt16 = 2
    package static let sharedObject: UInt16 = 3
    package static let core: UInt16 = 4

    // p_type, p_flags
    package static let load: UInt32 = 1
    package static let dynamic: UInt32 = 2
    package static let interpreter: UInt32 = 3
    package static let note: UInt32 = 4
    package static let programHeaders: UInt32 = 6
    static let threadLocal: UInt32 = 7
    static let gnuStack: UInt32 = 0x6474_E551
    static let relocatedReadOnly: UInt32 = 0x6474_E552
    static let unwindTable: UInt32 = 0x6474_E550
    static let gnuProperty: UInt32 = 0x6474_E553
    package static let mayExecute: UInt32 = 1
    package static let mayWrite: UInt32 = 2
    static let mayRead: UInt32 = 4

    // e_phnum: the number of program headers is stored elsewhere
    static let manyProgramHeaders: UInt16 = 0xFFFF

    // st_shndx, st_info, st_other
    static let undefinedSection: UInt16 = 0
    static let absoluteSection: UInt16 = 0xFFF1
    static let localBinding: UInt8 = 0
    static let globalBinding: UInt8 = 1
    static let weakBinding: UInt8 = 2
    /// One definition for the process, whatever the scope (a GNU extension).
    static let uniqueBinding: UInt8 = 10
    static let noType: UInt8 = 0
    static let functionType: UInt8 = 2
    static let sectionType: UInt8 = 3
    static let threadLocalType: UInt8 = 6
    static let indirectFunctionType: UInt8 = 10
    static let defaultVisibility: UInt8 = 0
    static let internalVisibility: UInt8 = 1
    static let hiddenVisibility: UInt8 = 2

    /// Whether the bytes begin like every ELF file: 0x7F, “ELF”.
    static func beginsWithMagic(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 4 && bytes[0] == 0x7F && bytes[1] == 0x45 && bytes[2] == 0x4C && bytes[3] == 0x46
    }

    /// `e_machine` of this process.
    package static var hostMachine: UInt16 {
        #if arch(x86_64)
        62
        #elseif arch(arm64)
        183
        #elseif arch(riscv64)
        243
        #elseif arch(powerpc64) || arch(powerpc64le)
        21
        #elseif arch(s390x)
        22
        #elseif arch(loongarch64)
        258
        #else
        #error("give the e_machine of this architecture")
        #endif
    }

    package static var hostByteOrder: UInt8 {
        #if _endian(little)
        littleEndian
        #else
        bigEndian
        #endif
    }

    /// Whether the kernel and glibc make the stack executable for a file without PT_GNU_STACK (glibc, stackinfo.h:
    /// DEFAULT_STACK_PERMS).
    package static var stackIsExecutableByDefault: Bool {
        #if arch(arm64) || arch(riscv64) || arch(loongarch64)
        false
        #else
        true
        #endif
    }

    /// A machine's name for messages.
    package static func name(ofMachine machine: UInt16) -> String {
        switch machine {
        case 2: "sparc"
        case 3: "i386"
        case 8: "mips"
        case 20: "powerpc"
        case 21: "powerpc64"
        case 22: "s390x"
        case 40: "arm (32-bit)"
        case 43: "sparc64"
        case 62: "x86-64"
        case 183: "aarch64"
        case 243: "riscv"
        case 247: "bpf"
        case 258: "loongarch"
        default: "machine number \(machine)"
        }
    }

    package static func name(ofByteOrder order: UInt8) -> String {
        switch order {
        case littleEndian: "little-endian"
        case bigEndian: "big-endian"
        default: "of the unknown byte order \(order)"
        }
    }
}

/// The file header: the system in `e_ident`, and the fields after `e_ident`.
package struct ELFHeader {
    /// EI_OSABI.
    package var system: UInt8
    package var type: UInt16
    package var machine: UInt16
    package var programHeaders: UInt64
    var sectionHeaders: UInt64
    package var programHeaderSize: UInt16
    package var programHeaderCount: UInt16
    var sectionHeaderSize: UInt16
    var sectionHeaderCount: UInt16
    var sectionNames: UInt16

    /// - Precondition: `bytes` has at least ``ELF/headerSize`` bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        system = bytes[7]
        type = bytes.loadUnaligned(fromByteOffset: 16, as: UInt16.self)
        machine = bytes.loadUnaligned(fromByteOffset: 18, as: UInt16.self)
        programHeaders = bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
        sectionHeaders = bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
        programHeaderSize = bytes.loadUnaligned(fromByteOffset: 54, as: UInt16.self)
        programHeaderCount = bytes.loadUnaligned(fromByteOffset: 56, as: UInt16.self)
        sectionHeaderSize = bytes.loadUnaligned(fromByteOffset: 58, as: UInt16.self)
        sectionHeaderCount = bytes.loadUnaligned(fromByteOffset: 60, as: UInt16.self)
        sectionNames = bytes.loadUnaligned(fromByteOffset: 62, as: UInt16.self)
    }

    /// The end of the table of section headers, or nil if there is no table or the end overflows.
    var sectionHeadersEnd: UInt64? {
        guard sectionHeaders > 0 else { return nil }
        let size = UInt64(sectionHeaderCount) * UInt64(sectionHeaderSize)
        let (end, overflow) = sectionHeaders.addingReportingOverflow(size)
        return overflow ? nil : end
    }
}

/// One program header: a segment of the file.
package struct ELFSegment {
    package var type: UInt32
    package var flags: UInt32
    package var offset: UInt64
    package var address: UInt64
    package var fileSize: UInt64
    package var memorySize: UInt64
    package var alignment: UInt64

    /// - Precondition: `bytes` has at least ``ELF/programHeaderSize`` bytes starting at `offset`.
    package init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        type = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        flags = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        self.offset = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
        address = bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self)
        fileSize = bytes.loadUnaligned(fromByteOffset: offset + 32, as: UInt64.self)
        memorySize = bytes.loadUnaligned(fromByteOffset: offset + 40, as: UInt64.self)
        alignment = bytes.loadUnaligned(fromByteOffset: offset + 48, as: UInt64.self)
    }

    /// The end of the segment's part of the file, or nil if it overflows.
    var fileEnd: UInt64? {
        let (end, overflow) = offset.addingReportingOverflow(fileSize)
        return overflow ? nil : end
    }

    /// The offset in the file of `count` bytes at an address, or nil if the segment's part of the file does not contain
    /// all of them.
    package func fileOffset(ofAddress wanted: UInt64, count: UInt64) -> UInt64? {
        guard type == ELF.load, wanted >= address else { return nil }
        let distance = wanted - address
        guard distance <= fileSize, count <= fileSize - distance else { return nil }
        let (sum, overflow) = offset.addingReportingOverflow(distance)
        return overflow ? nil : sum
    }

    /// Whether the segment's memory contains the address.
    package func holds(address wanted: UInt64) -> Bool {
        type == ELF.load && wanted >= address && wanted - address < memorySize
    }
}

/// The program headers of a file, in the bytes into which they were read.
package struct ELFSegments: RandomAccessCollection {
    private let bytes: UnsafeRawBufferPointer

    /// - Parameter bytes: all headers; they must live as long as this value.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var startIndex: Int { 0 }
    package var endIndex: Int { bytes.count / ELF.programHeaderSize }
    package subscript(index: Int) -> ELFSegment { ELFSegment(bytes, at: index * ELF.programHeaderSize) }
}

extension Collection<ELFSegment> {
    /// The offset in the file of `count` bytes at an address, or nil if no segment contains them.
    package func fileOffset(ofAddress address: UInt64, count: UInt64) -> UInt64? {
        for segment in self {
            if let offset = segment.fileOffset(ofAddress: address, count: count) { return offset }
        }
        return nil
    }
}

/// One entry of the dynamic symbol table.
package struct ELFSymbol {
    package var name: UInt32
    package var info: UInt8
    package var other: UInt8
    package var section: UInt16
    package var value: UInt64

    /// - Precondition: `bytes` has at least ``ELF/symbolSize`` bytes starting at `offset`.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
        name = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        info = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt8.self)
        other = bytes.loadUnaligned(fromByteOffset: offset + 5, as: UInt8.self)
        section = bytes.loadUnaligned(fromByteOffset: offset + 6, as: UInt16.self)
        value = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
    }

    package var binding: UInt8 { info >> 4 }
    package var type: UInt8 { info & 15 }
    package var visibility: UInt8 { other & 3 }
    var isDefined: Bool { section != ELF.undefinedSection }

    /// Whether another file can use the definition.
    var isExported: Bool {
        isDefined && binding != ELF.localBinding && visibility != ELF.internalVisibility
            && visibility != ELF.hiddenVisibility
    }
}

/// The hash of a symbol's name in a GNU hash table.
package func gnuHash(of name: some Sequence<UInt8>) -> UInt32 {
    var hash: UInt32 = 5381
    for byte in name { hash = hash &* 33 &+ UInt32(byte) }
    return hash
}

/// The hash of a symbol's or a version's name, as defined in the System V ABI.
func systemVHash(of name: some Sequence<UInt8>) -> UInt32 {
    var hash: UInt32 = 0
    for byte in name {
        hash = (hash << 4) &+ UInt32(byte)
        let top = hash & 0xF000_0000
        hash ^= top >> 24
        hash &= ~top
    }
    return hash
}

extension UnsafeRawBufferPointer {
    /// The first position of a byte.
    ///
    /// It uses libc, which examines 32 bytes at a time; the standard library's search examines only one.
    package func offset(of byte: UInt8) -> Int? {
        guard let start = baseAddress, let found = memchr(start, CInt(byte), count) else { return nil }
        return UnsafeRawPointer(found) - start
    }
}

/// The action of the dynamic linker for a relocation of this machine (glibc, sysdeps/…/dl-machine.h,
/// `elf_machine_rela`).
enum RelocationKind {
    /// It does nothing.
    case none
    /// Writes the sum of the base address and the addend.
    case relative
    /// Writes the sum of the address of a symbol and the addend, in 8 bytes.
    case address
    /// Writes the address of a symbol through which a function or a variable is reached.
    case slot
    /// Writes 4 bytes.
    case narrow
    /// Writes a symbol's size; the symbol must exist.
    case size
    /// Writes 8 or 16 bytes about a thread-local variable.
    case threadLocal
    case threadLocalDescriptor
    /// Calls a function of the file, whose address is the addend, and writes the result.
    case indirect
    /// Copies a variable of another file, which only programs do.
    case copy
    /// The dynamic linker does not know this kind.
    case unknown

    /// The maximum number of bytes that are written.
    package var width: UInt64 {
        switch self {
        case .none: 0
        case .narrow: 4
        case .threadLocalDescriptor: 16
        default: 8
        }
    }

    /// R_…_RELATIVE.
    static var relativeType: UInt32 {
        #if arch(x86_64)
        8
        #elseif arch(arm64)
        1027
        #elseif arch(riscv64) || arch(loongarch64)
        3
        #elseif arch(powerpc64) || arch(powerpc64le)
        22
        #elseif arch(s390x)
        12
        #endif
    }

    /// - Parameter type: the lower half of `r_info`.
    init(type: UInt32) {
        if type == Self.relativeType {
            self = .relative
            return
        }
        #if arch(x86_64)
        self =
            switch type {
            case 0: .none
            case 1: .address  // R_X86_64_64
            case 6, 7: .slot  // GLOB_DAT, JUMP_SLOT
            case 2, 10: .narrow  // PC32, 32
            case 32, 33: .size  // SIZE32, SIZE64
            case 16, 17, 18: .threadLocal  // DTPMOD64, DTPOFF64, TPOFF64
            case 36: .threadLocalDescriptor  // TLSDESC
            case 37: .indirect  // IRELATIVE
            case 5: .copy
            default: .unknown
            }
        #elseif arch(arm64)
        self =
            switch type {
            case 0, 256: .none
            case 257: .address  // R_AARCH64_ABS64
            case 1025, 1026: .slot  // GLOB_DAT, JUMP_SLOT
            case 1028, 1029, 1030: .threadLocal  // TLS_DTPMOD, TLS_DTPREL, TLS_TPREL
            case 1031: .threadLocalDescriptor
            case 1032: .indirect
            case 1024: .copy
            default: .unknown
            }
        #elseif arch(riscv64)
        self =
            switch type {
            case 0: .none
            case 2: .address
            case 5: .slot
            case 1: .narrow
            case 7, 9, 11: .threadLocal
            case 12: .threadLocalDescriptor
            case 58: .indirect
            case 4: .copy
            default: .unknown
            }
        #else
        // The kinds of this machine are not listed; all count as writing an address.
        self = type == 0 ? .none : .address
        #endif
    }
}

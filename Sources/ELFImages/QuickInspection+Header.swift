import CPluginSupport.Shims
import HostBasics

extension QuickInspection {
    /// Checks that the file requests no other rights than those of its host (fault 72).
    ///
    /// Such a file was installed by mistake, or is meant to be run as a program by other users.
    mutating func checkMode() {
        let setuid = Int(mode) & PHS_SETUID != 0
        let setgid = Int(mode) & PHS_SETGID != 0
        guard setuid || setgid else { return }
        let which = setuid ? (setgid ? "setuid and setgid bits" : "setuid bit") : "setgid bit"
        refuse("has its \(which) set, which no shared object needs.", "Run: chmod u-s,g-s \(shellWord(path))")
    }

    /// Checks that the file is a shared object for this machine, and refuses it if not (faults 58, 60, 61, 62).
    mutating func checkHeader() -> ELFHeader? {
        let head = window.head
        guard ELF.beginsWithMagic(head) else {
            refuseForeignFormat(head)
            return nil
        }
        guard head.count >= ELF.headerSize else {
            refuse(
                "is truncated: it has \(fileSize) bytes, and the ELF header alone has \(ELF.headerSize).", Self.rebuild)
            return nil
        }
        guard checkPlatform(head) else { return nil }
        let header = ELFHeader(head)
        guard checkIdentification(head), checkType(header.type) else { return nil }
        return header
    }

    /// Checks machine, class and byte order; one message names the values of the file and of the host.
    private mutating func checkPlatform(_ head: UnsafeRawBufferPointer) -> Bool {
        let fileClass = head[4]
        let order = head[5]
        let native = head.loadUnaligned(fromByteOffset: 18, as: UInt16.self)
        let machine = order == ELF.hostByteOrder ? native : native.byteSwapped
        guard fileClass != ELF.class64 || order != ELF.hostByteOrder || machine != ELF.hostMachine else { return true }
        var theirs = ELF.name(ofMachine: machine)
        var ours = ELF.name(ofMachine: ELF.hostMachine)
        if fileClass != ELF.class64 {
            theirs += fileClass == ELF.class32 ? " in 32-bit form" : " in the unknown class \(fileClass)"
            ours += " in 64-bit form"
        }
        if order != ELF.hostByteOrder {
            theirs += ", \(ELF.name(ofByteOrder: order))"
            ours += ", \(ELF.name(ofByteOrder: ELF.hostByteOrder))"
        }
        refuse(
            subject: ELF.name(ofMachine: machine),
            "is for \(theirs); this host runs on \(ours).",
            "Install the plug-in that was built for \(ELF.name(ofMachine: ELF.hostMachine)), or build it on such a "
                + "machine."
        )
        return false
    }

    /// Checks the other parts of `e_ident` that the dynamic linker compares.
    private mutating func checkIdentification(_ head: UnsafeRawBufferPointer) -> Bool {
        let version = head.loadUnaligned(fromByteOffset: 20, as: UInt32.self)
        guard head[6] == 1, version == 1 else {
            refuseDamaged("its ELF version is \(head[6]) and \(version), but only version 1 exists")
            return false
        }
        let system = head[7]
        guard system == ELF.systemV || system == ELF.linux else {
            let name =
                system == 9 ? "FreeBSD" : system == 2 ? "NetBSD" : system == 12 ? "OpenBSD" : "system number \(system)"
            refuse(
                "is for \(name); this host runs on Linux.",
                "Install the plug-in that was built for Linux.")
            return false
        }
        return true
    }

    private mutating func checkType(_ type: UInt16) -> Bool {
        switch type {
        case ELF.sharedObject: return true
        case ELF.executable:
            refuse(
                "is a program (ET_EXEC), not a shared object.",
                "Make it a .dynamic library product in Package.swift, or link it with -shared.")
        case ELF.relocatable:
            refuse(
                "is an object file that was not linked (ET_REL), not a shared object.",
                "Link it: clang -shared -o plugin.so \(shellWord(path))")
        case ELF.core:
            refuse("is a core dump, not a shared object.", Self.rebuild)
        default:
            refuse("is an ELF file of the unknown type \(type), not a shared object.", Self.rebuild)
        }
        return false
    }

    // MARK: - Not ELF

    private mutating func refuseForeignFormat(_ head: UnsafeRawBufferPointer) {
        guard fileSize > 0 else {
            refuse("is empty.", Self.rebuild)
            return
        }
        let kind = Self.foreignKind(head)
        refuse("is \(kind.name), not an ELF shared object.", kind.remedy)
    }

    /// The kind of a file that is not ELF, according to its first bytes.
    private static func foreignKind(_ head: UnsafeRawBufferPointer) -> (name: String, remedy: String) {
        func begins(_ text: StaticString) -> Bool {
            head.starts(with: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }
        if begins("#!") {
            let line = head.prefix(80).prefix { $0 != 0x0A }
            return (
                "a script (\(quoted(String(decoding: line, as: UTF8.self))))",
                "Name the compiled library in Info.plist, under NSExecutable or CFBundleExecutable."
            )
        }
        if begins("!<arch>\n") || begins("!<thin>\n") {
            return ("a static archive", "Link it to a shared object, with -shared, and put that into the bundle.")
        }
        if begins("version https://git-lfs") {
            return ("a pointer of Git LFS", "Run “git lfs pull” where the bundle is built, and copy the real file.")
        }
        let text = String(decoding: head.prefix(512), as: UTF8.self)
        if ["GNU ld script", "INPUT(", "INPUT (", "GROUP(", "GROUP (", "OUTPUT_FORMAT("].contains(where: {
            text.range(ofASCII: $0)
        }) {
            return (
                "a linker script, which only a linker reads",
                "Put the library that the script names into the bundle instead."
            )
        }
        let machO: [UInt32] = [0xFEED_FACE, 0xFEED_FACF, 0xBEBA_FECA, 0xCAFE_BABE, 0xCEFA_EDFE, 0xCFFA_EDFE]
        if head.count >= 4, machO.contains(head.loadUnaligned(as: UInt32.self)) {
            return ("a Mach-O file of Apple's systems", "Build the plug-in on Linux.")
        }
        if begins("MZ") { return ("a Windows executable", "Build the plug-in on Linux.") }
        if head.allSatisfy({ $0 == 0 }) { return ("filled with zero bytes", rebuild) }
        if head.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) {
            return ("a text file", "Name the compiled library in Info.plist, under NSExecutable or CFBundleExecutable.")
        }
        return ("a file of an unknown format", rebuild)
    }
}

extension String {
    /// Whether the text contains a run of ASCII.
    ///
    /// The standard library's search is in a library for regular expressions, which the host does not load for this.
    fileprivate func range(ofASCII wanted: String) -> Bool {
        var rest = utf8[...]
        while !rest.isEmpty {
            if rest.starts(with: wanted.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

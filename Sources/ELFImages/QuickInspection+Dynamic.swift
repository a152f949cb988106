import HostBasics

extension QuickInspection {
    /// Reads PT_DYNAMIC.
    mutating func readDynamic(_ file: borrowing OpenedFile) -> Bool {
        guard let found = dynamicSegment else {
            refuse(
                "has no dynamic section (PT_DYNAMIC): it is linked statically and cannot be loaded.",
                "Link it with -shared and without -static.")
            return false
        }
        guard found.fileSize <= UInt64(Self.dynamicLimit) else {
            refuseDamaged("its dynamic section has \(found.fileSize) bytes; at most \(Self.dynamicLimit) are read")
            return false
        }
        // The dynamic linker uses the address, and tools that read files use the offset; both must lead to the same
        // bytes.
        guard fileOffset(ofAddress: found.address, count: found.fileSize) == found.offset else {
            refuseDamaged("its dynamic section lies outside of the segments that are loaded")
            return false
        }
        // The dynamic linker writes to the dynamic section; before glibc 2.35 even if the section's flags do not allow
        // that.
        let isWritable = segments.contains { $0.holds(address: found.address) && $0.flags & ELF.mayWrite != 0 }
        guard isWritable else {
            if found.flags & ELF.mayWrite != 0 {
                refuseDamaged("its dynamic section is marked as writable but is in a segment that is not")
            } else {
                refuse(
                    "has a dynamic section that is not writable, which older dynamic linkers write to.",
                    "Link it without -z rodynamic.")
            }
            return false
        }
        guard
            let bytes = window.lastingBytes(
                at: found.offset, count: Int(found.fileSize), of: file, in: dynamicStorage)
        else {
            return false
        }
        dynamicBytes = bytes
        dynamic.read(bytes)
        guard dynamic.isTerminated else {
            refuseDamaged("its dynamic section has no end mark")
            return false
        }
        return true
    }

    /// Checks flags that forbid opening with dlopen() (fault 61).
    mutating func checkDynamic() {
        // Older linkers do not set DF_1_PIE, but only programs have both an interpreter and DT_DEBUG.
        if dynamic.flags1 & DynamicTable.flag1PositionIndependentProgram != 0 || hasInterpreter && dynamic.hasDebug {
            refuse(
                "is a program (a position-independent executable), not a shared object.",
                "Make it a .dynamic library product in Package.swift, or link it with -shared instead of -pie.")
        }
        if dynamic.flags1 & DynamicTable.flag1NoOpen != 0 {
            refuse("forbids being opened by dlopen().", "Link it without -z nodlopen.")
        }
        if dynamic.hasTextRelocations || dynamic.flags & DynamicTable.flagTextRelocations != 0 {
            refuse(
                "changes its own code while it is loaded (text relocations), for which its code is "
                    + "made writable.",
                "Compile all of it with -fPIC.")
        }
        if dynamic.hasFilter {
            refuse(
                code: .unsafeSearchPath,
                "names a library that replaces it (DT_FILTER or DT_AUXILIARY), whose code the dynamic linker would "
                    + "load from wherever the name leads.",
                "Link it without -f, -F, --auxiliary and --filter, and with that library itself.")
        }
        if dynamic.hasAudit {
            refuse(
                code: .unsafeSearchPath,
                "requests a library that audits the dynamic linker (DT_AUDIT or DT_DEPAUDIT).",
                "Link it without --audit and --depaudit.")
        }
        if dynamic.hasPreinitialisers {
            refuse(
                "has functions to be called before all others (DT_PREINIT_ARRAY), which only a program may have.",
                "Make them constructors: __attribute__((constructor)).")
        }
    }

    // MARK: - Addresses

    /// Checks addresses that the dynamic linker reads, writes or calls without checking that they are in the file: a
    /// wrong address crashes the process inside dlopen() (fault 80).
    mutating func checkAddresses() -> Bool {
        guard dynamic.strings != 0, dynamic.symbols != 0 else {
            refuseDamaged("its dynamic section names no symbol table or no strings")
            return false
        }
        let before = result.findings.count
        if dynamic.hasNullAddress { refuseDamaged("its dynamic section gives a table or a function the address 0") }
        checkRange("strings (DT_STRTAB)", dynamic.strings, max(dynamic.stringsSize, 1))
        checkRange("symbols (DT_SYMTAB)", dynamic.symbols, UInt64(ELF.symbolSize))
        checkRange("hashes (DT_GNU_HASH)", dynamic.gnuHash, 16)
        checkRange("hashes (DT_HASH)", dynamic.systemVHash, 8)
        checkRange("relocations (DT_RELA)", dynamic.relocations, dynamic.relocationsSize)
        checkRange("relocations (DT_JMPREL)", dynamic.pltRelocations, dynamic.pltRelocationsSize)
        checkRange("relocations (DT_RELR)", dynamic.packedRelocations, dynamic.packedRelocationsSize)
        checkRange("versions (DT_VERSYM)", dynamic.symbolVersions, 2)
        checkRange("versions (DT_VERNEED)", dynamic.neededVersions, 16)
        checkRange("versions (DT_VERDEF)", dynamic.definedVersions, 20)
        // The functions' addresses are relocated, so the tables must be writable during the load.
        checkRange("initialisers (DT_INIT_ARRAY)", dynamic.initArray, dynamic.initArraySize, flags: ELF.mayWrite)
        checkRange("finalisers (DT_FINI_ARRAY)", dynamic.finiArray, dynamic.finiArraySize, flags: ELF.mayWrite)
        checkRange("initialiser (DT_INIT)", dynamic.initFunction, 1, flags: ELF.mayExecute)
        checkRange("finaliser (DT_FINI)", dynamic.finiFunction, 1, flags: ELF.mayExecute)
        checkSizes()
        return result.findings.count == before
    }

    /// Checks that a part of the file is in one segment that is readable and has the flags.
    private mutating func checkRange(_ name: StaticString, _ address: UInt64, _ size: UInt64, flags: UInt32 = 0) {
        guard address != 0 else { return }
        let flags = flags | ELF.mayRead
        if let first = firstLoaded, first.flags & flags == flags,
            first.fileOffset(ofAddress: address, count: size) != nil
        {
            return
        }
        let isInside = segments.contains { segment in
            segment.fileOffset(ofAddress: address, count: size) != nil && segment.flags & flags == flags
        }
        if !isInside { refuseDamaged("its \(name) lie outside of the segments that are loaded for them") }
    }

    /// Checks sizes that must match each other, and entries that must occur together: the dynamic linker asserts some
    /// of these, which ends the process, and does not check the rest.
    private mutating func checkSizes() {
        let entrySize = UInt64(ELF.relocationSize)
        if dynamic.symbolSize != UInt64(ELF.symbolSize) || dynamic.relocationsSize % entrySize != 0
            || dynamic.relocations != 0 && dynamic.relocationSize != entrySize
            || dynamic.pltRelocationsSize % entrySize != 0
            || dynamic.relativeCount > dynamic.relocationsSize / entrySize
            || dynamic.initArraySize % 8 != 0 || dynamic.finiArraySize % 8 != 0
            || dynamic.packedRelocationsSize % 8 != 0
            || dynamic.packedRelocations != 0 && dynamic.packedRelocationSize != 8
        {
            refuseDamaged("its symbols, relocations or initialisers have an impossible size")
        }
        let hasPLT = dynamic.pltRelocations != 0
        let hasVersions = dynamic.neededVersions != 0 || dynamic.definedVersions != 0
        if (dynamic.relocations != 0) != (dynamic.relocationsSize != 0)
            || hasPLT != (dynamic.pltRelocationsSize != 0)
            || hasPLT && dynamic.pltRelocationKind != DynamicTable.relocationsWithAddend
            || (dynamic.initArray != 0) != (dynamic.initArraySize != 0)
            || (dynamic.finiArray != 0) != (dynamic.finiArraySize != 0)
            || (dynamic.neededVersions != 0) != (dynamic.neededVersionCount != 0)
            || (dynamic.definedVersions != 0) != (dynamic.definedVersionCount != 0)
            || (dynamic.packedRelocations != 0) != (dynamic.packedRelocationsSize != 0)
            || hasVersions != (dynamic.symbolVersions != 0)
        {
            refuseDamaged("its dynamic section names tables without their sizes, or sizes without their tables")
        }
    }

    // MARK: - Libraries

    /// Checks RUNPATH, otherwise RPATH (fault 69).
    mutating func checkSearchPaths() {
        guard let index = dynamic.runPath ?? dynamic.rPath else { return }
        guard let text = string(at: index, limit: Self.searchPathLimit) else {
            refuseDamaged("its library search path is not in its strings, or longer than \(Self.searchPathLimit) bytes")
            return
        }
        guard !SearchPathRules.isPlainlySafe(text) else { return }
        let rules = SearchPathRules(
            tag: dynamic.runPath != nil ? "RUNPATH" : "RPATH", path: path, bundlePath: bundlePath)
        result.findings += rules.findings(for: String(decoding: text, as: UTF8.self))
    }

    private static var searchPathLimit: Int { 4096 }

    /// Checks whether the needed libraries are in the process, and whether their names are acceptable.
    mutating func checkNeededNames() {
        if role == .plugin, KnownLibraries.areLastNeeded(dynamic.needed(in: dynamicBytes), in: tables.strings) {
            return
        }
        let findings = result.findings.count
        for index in dynamic.needed(in: dynamicBytes) { checkNeededName(at: index) }
        if !result.absentLibraries.isEmpty { readSearchPath() }
        guard role == .plugin, result.absentLibraries.isEmpty, result.findings.count == findings else { return }
        KnownLibraries.setLastNeeded(dynamic.needed(in: dynamicBytes), in: tables.strings)
    }

    @inline(never)
    private mutating func readSearchPath() {
        guard let index = dynamic.runPath ?? dynamic.rPath, let text = string(at: index, limit: Self.searchPathLimit)
        else { return }
        result.searchPath = SearchPath(
            text: String(decoding: text, as: UTF8.self), isInherited: dynamic.runPath == nil)
    }

    private static let libraryNameLimit = 512

    /// Checks the name of a needed library if it is a path.
    ///
    /// Such a library is loaded only from that path; a relative path depends on the host's current directory (fault
    /// 70). The dynamic linker also replaces `$LIB` and similar names in the path.
    private mutating func checkNeededName(at index: UInt64) {
        guard let name = string(at: index, limit: Self.libraryNameLimit) else {
            refuseDamaged("the name of a library that it needs is not in its strings")
            return
        }
        let isPath = name.offset(of: UInt8(ascii: "/")) != nil || name.offset(of: UInt8(ascii: "$")) != nil
        guard name.isEmpty || isPath else {
            let text = String(decoding: name, as: UTF8.self)
            if !KnownLibraries.contains(text) { result.absentLibraries.append(text) }
            return
        }
        let text = String(decoding: name, as: UTF8.self)
        refuse(
            code: .unsafeSearchPath, subject: text,
            name.isEmpty
                ? "needs a library whose name is empty."
                : "needs the library \(quoted(text)) by a path, which is used unchanged and never "
                    + "searched for.",
            "Give that library a SONAME (-Wl,-soname,\(shellWord(Path.lastComponent(text)))) and link again, so that it "
                + "is needed by its name."
        )
    }
}

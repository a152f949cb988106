import HostBasics

extension CompleteInspection {
    /// Reports needed files that the dynamic linker finds and refuses: programs, and libraries outside of the bundle
    /// that forbid being opened, are for another system, are cut off, or lack a mark.
    ///
    /// The libraries in the bundle are inspected completely. In other libraries, only faults that stop every load are
    /// reported: merely unusual properties of such a library are not a fault of the bundle.
    mutating func checkRefusedLibraries() {
        // A program in the bundle is inspected like its libraries.
        for needed in closure.programs where !isOfBundle(needed.path) {
            add(
                .notLoadable, path: needed.neededBy, subject: needed.name,
                "\(quoted(needed.neededBy)) needs \(quoted(needed.name)), but \(quoted(needed.path)) is a program, which the "
                    + "dynamic linker never loads as a library.",
                "Link without it: the plug-in sees the symbols of the program that loads it if that is linked with "
                    + "-Xlinker --export-dynamic (gcc: -rdynamic). Or move them into a shared library with which both are "
                    + "linked.")
        }
        for library in closure.newFiles where library !== file && !isOfBundle(library.path) && !library.isProgram {
            if let reason = refusal(of: library) {
                add(.notLoadable, path: library.path, subject: reason.subject, reason.message, reason.remedy)
            }
        }
    }

    private func refusal(of library: ELFFile) -> (subject: String?, message: String, remedy: String)? {
        let name = quoted(library.path)
        if library.header.system != ELF.systemV && library.header.system != ELF.linux {
            return (
                nil, "\(name) is for another system than Linux (OS ABI \(library.header.system)).",
                "Install the library that was built for Linux."
            )
        }
        if library.isCutOff {
            return (
                nil, "\(name) is damaged: it ends before its last segment.",
                "Install or copy the library again, and compare its size and checksum with the original."
            )
        }
        if library.dynamic.flags1 & DynamicTable.flag1NoOpen != 0 {
            return (
                "DF_1_NOOPEN", "\(name) forbids being opened by dlopen(), also for a plug-in that needs it.",
                "Link it without -z nodlopen, or link the application with it: then it is there before the plug-in."
            )
        }
        let versions = library.versions.needed.values.filter { $0.library.hasPrefix("libc.so.") }
        if library.dynamic.packedRelocations != 0, !versions.isEmpty,
            !versions.contains(where: { $0.name == QuickInspection.packedMark })
        {
            return (
                QuickInspection.packedMark, "\(name) \(QuickInspection.unmarkedRelocations)",
                QuickInspection.remedyForUnmarkedRelocations
            )
        }
        return nil
    }
}

extension ELFFile {
    /// Whether it is a program, which the dynamic linker does not load as a library.
    package var isProgram: Bool {
        header.type == ELF.executable || dynamic.flags1 & DynamicTable.flag1PositionIndependentProgram != 0
            || dynamic.hasDebug && segments.contains { $0.type == ELF.interpreter }
    }

    /// Whether a segment to load ends beyond the end of the file.
    fileprivate var isCutOff: Bool {
        segments.contains { segment in
            let (end, overflow) = segment.offset.addingReportingOverflow(segment.fileSize)
            return segment.type == ELF.load && (overflow || end > file.identity.size)
        }
    }
}

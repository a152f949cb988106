package import HostBasics

/// Inspects a plug-in's ELF file without running any of it, at two levels of detail.
package enum ELFInspector {
    /// The function that every plug-in exports.
    package static let entrySymbol = "plugin_entry"

    /// The check before every dlopen(): finds everything that could harm the host, or that is obviously wrong with this
    /// one file.
    ///
    /// It checks every number that the dynamic linker uses before code of the file runs.
    ///
    /// It reads no other file and no section header. The dynamic linker safely refuses all other problems, such as
    /// missing libraries or undefined symbols; ``inspectCompletely(path:bundlePath:libraries:surroundings:declared:record:reportsUnrecorded:)``
    /// then finds all of them.
    ///
    /// - Parameters:
    ///   - file: the plug-in's executable.
    ///   - path: its absolute path, for the findings and for `$ORIGIN`.
    ///   - bundlePath: the bundle's directory; a search path must not lead out of it.
    ///   - role: whether the file must have an entry.
    /// - Returns: the properties of the file, and the findings; errors prevent it from being opened.
    ///
    /// **Cost.** Linear in the size of its tables; four pread() calls: the first 4 KiB, PT_DYNAMIC, the tables, and the
    /// addresses of the initialisers.
    package static func inspectQuickly(
        _ file: borrowing OpenedFile, path: String, bundlePath: String, as role: ELFRole = .plugin
    ) -> ELFInspection {
        withTemporaryBytes(QuickInspection.storageSize) { storage in
            var inspection = QuickInspection(
                of: file, path: path, bundlePath: bundlePath, role: role, storage: storage)
            inspection.run(file)
            return inspection.takeResult()
        }
    }

    /// The machine that an ELF file is for, as `e_machine`; nil if it is not an ELF file.
    package static func machine(of file: borrowing OpenedFile) -> UInt16? {
        withUnsafeTemporaryAllocation(byteCount: ELF.headerSize, alignment: 8) { head in
            let count = (try? file.read(into: head, at: 0)) ?? 0
            guard count == head.count, ELF.beginsWithMagic(UnsafeRawBufferPointer(head)) else { return nil }
            let machine = head.loadUnaligned(fromByteOffset: 18, as: UInt16.self)
            return head[5] == ELF.hostByteOrder ? machine : machine.byteSwapped
        }
    }

    // MARK: - Fingerprints

    /// How much of the file the fingerprint covers: its headers, its build identifier, and some of its tables.
    private static let fingerprintLimit = 4096
    /// The headers must be before this offset to be covered: within the first page of every machine.
    static let headLimit = 4096

    /// The fingerprint of a file whose first bytes were read.
    ///
    /// - Parameter head: the first bytes of the file, a shared object whose headers were found valid.
    /// - Returns: 0 if the mapped file cannot be compared: the first segment does not begin with the file, is writable
    ///   (relocations may change it), or the program headers are beyond the bytes that are read.
    package static func fingerprint(ofFileBeginning head: UnsafeRawBufferPointer) -> UInt64 {
        let head = UnsafeRawBufferPointer(rebasing: head.prefix(headLimit))
        guard head.count >= ELF.headerSize else { return 0 }
        let header = ELFHeader(head)
        let count = UInt64(header.programHeaderCount) * UInt64(ELF.programHeaderSize)
        guard header.programHeaders <= UInt64(head.count), count <= UInt64(head.count) - header.programHeaders else {
            return 0
        }
        for index in 0..<Int(header.programHeaderCount) {
            let segment = ELFSegment(head, at: Int(header.programHeaders) + index * ELF.programHeaderSize)
            guard segment.type == ELF.load else { continue }
            guard segment.offset == 0, segment.flags & (ELF.mayRead | ELF.mayWrite) == ELF.mayRead else { return 0 }
            let length = min(UInt64(fingerprintLimit), segment.fileSize, UInt64(head.count))
            return UnsafeRawBufferPointer(rebasing: head[..<Int(length)]).wordHash | 1  // 0 means “none”
        }
        return 0
    }

    /// The fingerprint of a loaded file, without a system call.
    ///
    /// `base`: the start address of the loaded file, where the first page with its ELF header is mapped.
    package static func fingerprint(ofFileMappedAt base: UnsafeRawPointer) -> UInt64 {
        // The dynamic linker maps whole pages, so if the first segment has any byte, the first 4 KiB can be read. Bytes
        // of the page that do not belong to the segment come from the file too (System V ABI, chapter 5).
        let header = UnsafeRawBufferPointer(start: base, count: headLimit)
        guard ELF.beginsWithMagic(header) else { return 0 }
        return fingerprint(ofFileBeginning: header)
    }
}

import Glibc
import HostBasics

extension QuickInspection {
    /// Reads the program headers (faults 63, 64).
    mutating func readSegments(_ header: ELFHeader, _ file: borrowing OpenedFile) -> Bool {
        guard Int(header.programHeaderSize) == ELF.programHeaderSize else {
            refuseDamaged(
                "its program headers claim to have \(header.programHeaderSize) bytes each, but they have "
                    + "\(ELF.programHeaderSize)"
            )
            return false
        }
        let count = header.programHeaderCount
        guard count > 0 else {
            refuseDamaged("it has no program headers, so there is nothing to load")
            return false
        }
        guard count != ELF.manyProgramHeaders, Int(count) <= Self.segmentLimit else {
            refuseDamaged("it claims \(count) program headers; at most \(Self.segmentLimit) are read")
            return false
        }
        let size = Int(count) * ELF.programHeaderSize
        let (end, overflow) = header.programHeaders.addingReportingOverflow(UInt64(size))
        guard !overflow, header.programHeaders >= UInt64(ELF.headerSize) else {
            refuseDamaged("its program headers claim to begin at byte \(header.programHeaders)")
            return false
        }
        guard end <= fileSize else {
            refuse(
                "is truncated or damaged: its program headers end at byte \(end), but the file ends at byte \(fileSize).",
                Self.rebuild)
            return false
        }
        guard
            let bytes = window.lastingBytes(
                at: header.programHeaders, count: size, of: file, in: segmentStorage)
        else {
            return false
        }
        segments = ELFSegments(bytes)
        firstLoaded = segments.first { $0.type == ELF.load }
        return true
    }

    /// Checks every segment: it must be within the file and the address space, in order, and never writable and
    /// executable at once (faults 59, 66).
    ///
    /// - Returns: whether the file contains everything that its headers describe; missing parts cannot be read.
    mutating func checkSegments(_ header: ELFHeader) -> Bool {
        let pageSize = UInt64(getpagesize())
        let tableSize = UInt64(segments.count * ELF.programHeaderSize)
        var previousEnd: UInt64 = 0
        var previous: ELFSegment?
        // The end of the last part that the headers describe. The table of section headers is included: it is not
        // loaded, but if its end is missing, the file is incomplete.
        var end = header.sectionHeadersEnd ?? 0
        for index in segments.indices {
            let segment = segments[index]
            switch segment.type {
            case ELF.load:
                checkLoaded(segment, index: index, previousEnd: previousEnd, pageSize)
                if let previous { checkPages(previous, segment, index: index, pageSize) }
                previous = segment
                previousEnd = segment.address.addingReportingOverflow(segment.memorySize).partialValue
                if let fileEnd = segment.fileEnd { end = max(end, fileEnd) }
            case ELF.programHeaders:
                // The dynamic linker reads the headers at this address afterwards.
                if fileOffset(ofAddress: segment.address, count: tableSize) != header.programHeaders {
                    refuseDamaged("PT_PHDR does not name its program headers")
                }
            case ELF.relocatedReadOnly: checkReadOnly(segment, pageSize)
            case ELF.threadLocal: checkThreadLocal(segment)
            case ELF.note, ELF.gnuProperty, ELF.unwindTable: checkPlace(segment)
            case ELF.dynamic: dynamicSegment = segment
            case ELF.gnuStack: stackFlags = segment.flags
            case ELF.interpreter: hasInterpreter = true
            default: break
            }
        }
        guard let firstAddress = firstLoaded?.address else {
            refuseDamaged("it has no segment to load (PT_LOAD)")
            return end <= fileSize
        }
        if previousEnd >= firstAddress, previousEnd - firstAddress > Self.spanLimit {
            refuseDamaged("its segments span \(previousEnd - firstAddress) bytes of address space")
        }
        guard end > fileSize else { return true }
        refuse("is truncated: the last \(end - fileSize) of its \(end) bytes are missing.", Self.rebuild)
        return false
    }

    /// The maximum address space: more than a library can need, but not enough to harm the host when mapped.
    private static var spanLimit: UInt64 { 1 << 40 }

    private mutating func checkLoaded(_ segment: ELFSegment, index: Int, previousEnd: UInt64, _ page: UInt64) {
        let (_, memoryOverflow) = segment.address.addingReportingOverflow(segment.memorySize)
        if segment.fileEnd == nil || memoryOverflow {
            refuseDamaged("segment \(index) ends beyond the largest number")
        } else if segment.fileSize > segment.memorySize {
            refuseDamaged(
                "segment \(index) has \(segment.fileSize) bytes in the file but only \(segment.memorySize) in memory")
        } else if segment.address < previousEnd {
            refuseDamaged("segment \(index) overlaps the one before it, or they are out of order")
        }
        // The dynamic linker also refuses the following two faults, with a less helpful message.
        let alignment = segment.alignment
        if alignment < page || alignment & (alignment &- 1) != 0 {
            refuse(
                "has segments aligned to \(alignment) bytes; a page of this machine has \(page).",
                "Link it with -z max-page-size=\(page) or more.")
        } else if (segment.address &- segment.offset) & (alignment - 1) != 0 {
            refuseDamaged("segment \(index) has different offsets within its page in memory and in the file")
        }
        if segment.flags & (ELF.mayWrite | ELF.mayExecute) == ELF.mayWrite | ELF.mayExecute {
            refuse(
                "has a segment that is both writable and executable (segment \(index)), which lets "
                    + "any stray write become code.",
                "Link it without -N, --omagic and -z rwx, and with no section of assembly code that is marked “awx”.")
        }
    }

    /// Checks that two segments that share a page are the same part of the file.
    ///
    /// The dynamic linker maps whole pages, one segment over the other, so a shared page has the content of the later
    /// segment. If the segments were different parts of the file, the bytes in memory would differ from the inspected
    /// ones.
    private mutating func checkPages(_ previous: ELFSegment, _ segment: ELFSegment, index: Int, _ page: UInt64) {
        let end = previous.address &+ previous.memorySize
        guard segment.address >= end, (end &+ (page - 1)) & ~(page - 1) > segment.address & ~(page - 1) else { return }
        let isSamePart = previous.address &- previous.offset == segment.address &- segment.offset
        if !isSamePart || previous.memorySize != previous.fileSize {
            refuseDamaged("segment \(index) shares a page of memory with the one before it")
        }
    }

    /// Checks the place of notes, properties or the unwind table, which are read from memory at the address in the
    /// header.
    private mutating func checkPlace(_ segment: ELFSegment) {
        guard segment.memorySize > 0 || segment.fileSize > 0 else { return }
        let offset = fileOffset(ofAddress: segment.address, count: max(segment.memorySize, segment.fileSize))
        guard offset != nil, offset == segment.offset else {
            let name =
                segment.type == ELF.note
                ? "notes (PT_NOTE)"
                : segment.type == ELF.gnuProperty
                    ? "properties (PT_GNU_PROPERTY)"
                    : "unwind table (PT_GNU_EH_FRAME)"
            refuseDamaged("its \(name) lie outside of the segments that are loaded")
            return
        }
    }

    /// Checks the part that the dynamic linker makes read-only after writing to it (PT_GNU_RELRO).
    ///
    /// A wrong range could make the host's memory read-only.
    private mutating func checkReadOnly(_ segment: ELFSegment, _ pageSize: UInt64) {
        let (end, overflow) = segment.address.addingReportingOverflow(segment.memorySize)
        let isInside = segments.contains { loaded in
            guard loaded.holds(address: segment.address), loaded.flags & ELF.mayWrite != 0 else { return false }
            // Linkers round the end of this part up to the end of a page.
            let page = max(pageSize, loaded.alignment)
            let limit = loaded.address.addingReportingOverflow(loaded.memorySize).partialValue
            return end <= (limit &+ (page - 1)) & ~(page - 1)
        }
        if segment.memorySize > 0, overflow || !isInside {
            refuseDamaged("PT_GNU_RELRO lies outside of the writable segments")
        }
    }

    /// Checks PT_TLS, the data that is copied for each thread.
    private mutating func checkThreadLocal(_ segment: ELFSegment) {
        guard segment.memorySize > 0 else { return }
        threadLocal = segment
        if segment.fileSize > 0, fileOffset(ofAddress: segment.address, count: segment.fileSize) == nil {
            refuseDamaged("its thread-local storage (PT_TLS) lies outside of the segments that are loaded")
        }
        let alignment = segment.alignment
        if segment.fileSize > segment.memorySize || alignment == 0 || alignment & (alignment &- 1) != 0
            || alignment > 1 << 16 || segment.memorySize > 1 << 30
        {
            refuseDamaged("its thread-local storage (PT_TLS) has impossible sizes")
        }
    }

    /// Checks that the file requires no executable stack, which would make every thread's stack executable (fault 65).
    mutating func checkStack() {
        let remedy =
            "Link it with -z noexecstack, and end its assembly files with: .section .note.GNU-stack,\"\",@progbits"
        if let stackFlags {
            guard stackFlags & ELF.mayExecute != 0 else { return }
            refuse(
                "requires an executable stack, which would make the host's own stack executable.",
                remedy)
        } else if ELF.stackIsExecutableByDefault {
            refuse(
                "does not state that its stack is not executable (it has no PT_GNU_STACK), which "
                    + "would make the host's own stack executable.",
                remedy)
        }
    }
}

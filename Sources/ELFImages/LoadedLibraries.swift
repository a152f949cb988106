import CPluginSupport.Shims
import Glibc
import HostBasics

/// An ELF file that the dynamic linker has loaded into this process: the program or a library.
package struct ProcessLibrary: Sendable, Hashable {
    /// The dynamic linker's path; for the main program, the path of its file.
    ///
    /// It is empty for the kernel's library (vDSO).
    package var path: String
    /// The number that is added to the file's addresses.
    package var base: UInt
    /// The address of the file's first segment, which contains its ELF header.
    package var header: UInt
    package var isMainProgram: Bool
}

/// The ELF files that are loaded into this process.
///
/// **Threads.** Any. **Cost.** A few microseconds and a String for each file; nothing is cached.
package enum LoadedLibraries {
    /// All loaded files in load order, the main program first.
    package static func all() -> [ProcessLibrary] {
        var libraries: [ProcessLibrary] = []
        withUnsafeMutablePointer(to: &libraries) { libraries in
            phs_each_library(
                { library, headers, count, context in
                    guard let library, let libraries = context?.assumingMemoryBound(to: [ProcessLibrary].self) else {
                        return false
                    }
                    libraries.pointee.append(
                        ProcessLibrary(library.pointee, headers, count, isMainProgram: libraries.pointee.isEmpty))
                    return true
                }, libraries)
        }
        return libraries
    }

    /// The start address of the loaded file that contains an address.
    package static func base(containing address: UnsafeRawPointer) -> UInt? {
        var library = phs_library()
        guard phs_library_of_address(address, &library) else { return nil }
        return UInt(library.base)
    }

    /// The program headers of the library that contains an address, and the number that is added to their addresses.
    ///
    /// Why: an enumeration of all files ends with the one that was loaded last.
    ///
    /// - Returns: nil if the library's first page does not hold them, or does not begin at address 0 of the file.
    static func segments(ofLibraryContaining address: UnsafeRawPointer) -> (ELFSegments, base: UInt)? {
        guard let base = base(containing: address), let start = UnsafeRawPointer(bitPattern: base),
            // Nothing is mapped there if the file's addresses begin with another one than 0.
            self.base(containing: start) == base
        else { return nil }
        let page = UnsafeRawBufferPointer(start: start, count: ELFInspector.headLimit)
        guard ELF.beginsWithMagic(page), page[4] == ELF.class64, page[5] == ELF.hostByteOrder else { return nil }
        let header = ELFHeader(page)
        let length = Int(header.programHeaderCount) * ELF.programHeaderSize
        guard header.type == ELF.sharedObject, Int(header.programHeaderSize) == ELF.programHeaderSize,
            length <= page.count, header.programHeaders <= UInt64(page.count - length)
        else { return nil }
        let place = Int(header.programHeaders)
        let segments = ELFSegments(UnsafeRawBufferPointer(rebasing: page[place..<place + length]))
        guard let first = segments.first(where: { $0.type == ELF.load }), first.address == 0, first.offset == 0 else {
            return nil
        }
        return (segments, base)
    }

    /// The Swift modules whose types or protocols each loaded file defines, by the address of the file's ELF header.
    package static func modules() -> [UInt: Set<String>] {
        var sections: [phs_swift_library] = []
        withUnsafeMutablePointer(to: &sections) { sections in
            phs_each_swift_library(
                { library, context in
                    guard let library else { return false }
                    context?.assumingMemoryBound(to: [phs_swift_library].self).pointee.append(library.pointee)
                    return true
                }, sections)
        }
        // The records are read after the enumeration, because the runtime may hold a lock during it.
        var modules: [UInt: Set<String>] = [:]
        for library in sections {
            let found = TypeContext.modules(
                in: ProcessMemory(),
                sections: [
                    (UInt64(UInt(bitPattern: library.types)), UInt64(library.types_length)),
                    (UInt64(UInt(bitPattern: library.protocols)), UInt64(library.protocols_length)),
                ])
            modules[UInt(bitPattern: library.header), default: []].formUnion(found)
        }
        return modules
    }
}

extension ProcessLibrary {
    fileprivate init(_ library: phs_library, _ headers: UnsafeRawPointer?, _ count: Int, isMainProgram: Bool) {
        base = UInt(library.base)
        self.isMainProgram = isMainProgram
        let name = library.path.map { String(cString: $0) } ?? ""
        path = isMainProgram && name.isEmpty ? Path.mainProgram : name
        header = base
        // A program that is not position-independent has base 0 and its header at the address of its first segment.
        let bytes = UnsafeRawBufferPointer(start: headers, count: count * ELF.programHeaderSize)
        for index in 0..<count {
            let segment = ELFSegment(bytes, at: index * ELF.programHeaderSize)
            guard segment.type == ELF.load else { continue }
            header = base &+ UInt(segment.address) &- UInt(segment.offset)
            break
        }
    }
}

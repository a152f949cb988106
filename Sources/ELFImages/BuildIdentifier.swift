import CPluginSupport.Shims
import HostBasics

/// The identifier that the linker writes into a note of each file (NT_GNU_BUILD_ID): two builds with different content
/// have different ones, and `strip` and patchelf keep it.
package enum BuildIdentifier {
    private static let type: UInt32 = 3
    private static let lengthLimit = 64
    private static let notesLimit: UInt64 = 1 << 20

    /// The identifier in hexadecimal digits.
    private static func find(in bytes: UnsafeRawBufferPointer, alignment: UInt64) -> String? {
        for note in IteratorSequence(Notes(in: bytes, alignment: alignment == 8 ? 8 : 4)) {
            guard note.type == type, note.name.holds("GNU\0"), 1...lengthLimit ~= note.descriptor.count else {
                continue
            }
            return String(hexadecimal: note.descriptor)
        }
        return nil
    }

    /// The identifier of a file; nil if the linker wrote none.
    package static func of(_ file: ELFFile) -> String? {
        for segment in file.segments where segment.type == ELF.note && segment.fileSize <= notesLimit {
            guard let bytes = file.bytes(at: segment.offset, count: segment.fileSize) else { continue }
            if let found = bytes.withUnsafeBytes({ find(in: $0, alignment: segment.alignment) }) { return found }
        }
        return nil
    }

    private struct Search {
        let address: UInt64
        var found: String?
    }

    /// The identifier of the loaded file that contains an address.
    ///
    /// **Cost.** Reads its program headers; if these are not mapped as usual, also those of the files that were loaded
    /// before it.
    package static func ofLibrary(containing address: UInt64) -> String? {
        if let place = UnsafeRawPointer(bitPattern: UInt(address)),
            let (segments, base) = LoadedLibraries.segments(ofLibraryContaining: place)
        {
            return find(in: segments, base: UInt64(base))
        }
        var search = Search(address: address)
        withUnsafeMutablePointer(to: &search) { search in
            phs_each_library(
                { image, headers, count, context in
                    guard let image, let search = context?.assumingMemoryBound(to: Search.self) else { return false }
                    let base = UInt64(image.pointee.base)
                    let segments = ELFSegments(
                        UnsafeRawBufferPointer(start: headers, count: count * ELF.programHeaderSize))
                    guard segments.contains(where: { $0.holds(address: search.pointee.address &- base) }) else {
                        return true
                    }
                    search.pointee.found = BuildIdentifier.find(in: segments, base: base)
                    return false
                }, search)
        }
        return search.found
    }

    private static func find(in segments: ELFSegments, base: UInt64) -> String? {
        for segment in segments where segment.type == ELF.note && 1...notesLimit ~= segment.memorySize {
            // Only what is mapped can be read.
            guard segments.contains(where: { $0.holds(address: segment.address) }),
                segments.contains(where: { $0.holds(address: segment.address &+ segment.memorySize &- 1) }),
                let start = UnsafeRawPointer(bitPattern: UInt(base &+ segment.address))
            else { continue }
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(segment.memorySize))
            if let found = find(in: bytes, alignment: segment.alignment) { return found }
        }
        return nil
    }
}

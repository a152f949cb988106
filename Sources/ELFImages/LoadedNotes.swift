import CPluginSupport.Shims
import Glibc

/// The notes of files that are loaded into this process, found by their content.
///
/// The linker gives code the address of its note. Tools that change a finished file, such as patchelf, move notes and
/// correct only the program headers (PT_NOTE), so the program headers are searched.
package enum LoadedNotes {
    private struct Search {
        let address: UInt
        var revision: UInt32?
    }

    /// The revision of the Swift level in the note of the loaded file that contains an address; nil if the file has no
    /// such note.
    ///
    /// **Cost.** Reads the program headers of all loaded files.
    package static func swiftRevision(ofLibraryContaining address: UnsafeRawPointer?) -> UInt32? {
        guard let address else { return nil }
        var search = Search(address: UInt(bitPattern: address))
        withUnsafeMutablePointer(to: &search) { search in
            phs_each_library(
                { library, headers, count, context in
                    guard let library, let search = context?.assumingMemoryBound(to: Search.self) else { return false }
                    let bytes = UnsafeRawBufferPointer(start: headers, count: count * ELF.programHeaderSize)
                    let base = UInt(library.pointee.base)
                    let segments = ELFSegments(bytes)
                    guard segments.hold(search.pointee.address &- base) else { return true }
                    search.pointee.revision = LoadedNotes.swiftRevision(in: segments, base)
                    return false
                }, search)
        }
        return search.revision
    }

    private static func swiftRevision(in segments: ELFSegments, _ base: UInt) -> UInt32? {
        for segment in segments where segment.type == ELF.note && segment.memorySize > 0 {
            let (start, size) = (UInt(segment.address), UInt(segment.memorySize))
            // Only what is mapped can be read.
            guard size <= notesLimit, segments.hold(start), segments.hold(start &+ size - 1),
                let memory = UnsafeRawPointer(bitPattern: base &+ start)
            else { continue }
            let bytes = UnsafeRawBufferPointer(start: memory, count: Int(size))
            for descriptor in OwnNotes(in: bytes, alignment: segment.alignment) {
                if let note = try? PluginNote(descriptor: descriptor), note.isSwift {
                    return UInt32(note.swiftRevision)
                }
            }
        }
        return nil
    }

    private static let notesLimit: UInt = 1 << 20
}

extension ELFSegments {
    /// Whether a readable loaded segment contains an address of the file.
    fileprivate func hold(_ address: UInt) -> Bool {
        contains { segment in
            segment.type == ELF.load && segment.flags & ELF.mayRead != 0 && UInt64(address) >= segment.address
                && UInt64(address) - segment.address < segment.memorySize
        }
    }
}

internal import CPluginSupport.Shims
import ELFImages
@_spi(Tools) import HostBasics

/// Which build of this library a process has.
///
/// Host and worker must have the same build, because they exchange messages whose layout may differ between builds. The
/// fingerprint is read from the memory of the process: after an upgrade, the file is no longer the code that runs.
package enum LibraryFingerprint {
    /// The version of the library, and the build identifier in the linker's note; without a note, a hash of all code.
    package static let current: String = {
        let identifier = buildIdentifier(in: segments(areOf: { $0.type == ELF.note }))
        return "\(version) \(identifier ?? hash(of: segments(areOf: isCode)))"
    }()

    /// The version of the library alone.
    ///
    /// A worker of another toolchain's runtime must have the same version as the host.
    static let version = "\(PluginVersion.ofThisLibrary)"

    /// Whether a host with this fingerprint can use a worker that has this library.
    package static func isAccepted(_ host: String) -> Bool { host == current || host == version }

    /// Whether a worker with this fingerprint has the same version of the library.
    static func isSameVersion(_ worker: String) -> Bool { worker.prefix { $0 != " " } == version }

    /// The build identifier that the linker wrote into the note.
    ///
    /// It differs for each content of the file.
    static func buildIdentifier(in notes: [UnsafeRawBufferPointer]) -> String? {
        for bytes in notes {
            var offset = 0
            while offset + 12 <= bytes.count {
                let words = (0..<3).map {
                    Int(bytes.loadUnaligned(fromByteOffset: offset + $0 * 4, as: UInt32.self))
                }
                let text = offset + 12 + (words[0] + 3) / 4 * 4
                let end = text + (words[1] + 3) / 4 * 4
                guard end <= bytes.count else { break }
                if words[2] == buildIdentifierType, bytes[(offset + 12)...].prefix(words[0]).elementsEqual("GNU\0".utf8)
                {
                    return String(hexadecimal: bytes[text..<text + words[1]])
                }
                offset = end
            }
        }
        return nil
    }

    /// NT_GNU_BUILD_ID.
    private static let buildIdentifierType = 3

    private static func isCode(_ segment: ELFSegment) -> Bool {
        segment.type == ELF.load && segment.flags & (ELF.mayExecute | ELF.mayWrite) == ELF.mayExecute
    }

    private static func hash(of segments: [UnsafeRawBufferPointer]) -> String {
        segments.map { String($0.wordHash, radix: 16) }.joined(separator: "-")
    }

    private struct Search {
        let base: UInt
        let isWanted: (ELFSegment) -> Bool
        var found: [UnsafeRawBufferPointer] = []
    }

    /// The segments of this library, in memory.
    private static func segments(areOf isWanted: @escaping (ELFSegment) -> Bool) -> [UnsafeRawBufferPointer] {
        guard let base = LoadedLibraries.base(containing: phs_own_address()) else { return [] }
        var search = Search(base: base, isWanted: isWanted)
        withUnsafeMutablePointer(to: &search) { search in
            phs_each_library(
                { library, headers, count, context in
                    guard let library, let search = context?.assumingMemoryBound(to: Search.self) else { return false }
                    let bytes = UnsafeRawBufferPointer(start: headers, count: count * ELF.programHeaderSize)
                    let segments = (0..<count).map { ELFSegment(bytes, at: $0 * ELF.programHeaderSize) }
                    guard let first = segments.first(where: { $0.type == ELF.load }),
                        UInt(library.pointee.base) &+ UInt(first.address) &- UInt(first.offset) == search.pointee.base
                    else { return true }
                    for segment in segments where search.pointee.isWanted(segment) {
                        search.pointee.found.append(
                            UnsafeRawBufferPointer(
                                start: UnsafeRawPointer(
                                    bitPattern: UInt(library.pointee.base) &+ UInt(segment.address)),
                                count: Int(segment.fileSize)))
                    }
                    return false
                }, search)
        }
        return search.found
    }
}

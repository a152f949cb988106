import HostBasics

/// The dynamic linker's cache of the system's libraries, `/etc/ld.so.cache`, as ldconfig(8) writes it.
///
/// The format is defined by glibc (`sysdeps/generic/dl-cache.h`): a head of 48 bytes, records of 24 bytes, and strings,
/// to which the records refer by offsets from the head. A table in an older format may come first, and is skipped.
package struct LinkerCache {
    package static let path = "/etc/ld.so.cache"

    private let bytes: [UInt8]
    /// The position of the head of the newer format.
    private let start: Int
    private let recordCount: Int

    private static let limit: UInt64 = 16 << 20
    private static let headSize = 48
    private static let recordSize = 24

    /// Empty if the system has no cache.
    package init(path: String = Self.path) {
        let read = Self.contents(of: path)
        let found = Self.head(in: read)
        bytes = read
        start = found?.start ?? 0
        recordCount = found?.count ?? 0
    }

    /// The files that the cache lists for a library; the dynamic linker prefers the first.
    ///
    /// The files may be for another machine or class; the caller checks that.
    package func paths(of library: String) -> [String] {
        let name = Array(library.utf8)
        var paths: [String] = []
        bytes.withUnsafeBytes { bytes in
            for index in 0..<recordCount {
                let record = start + Self.headSize + index * Self.recordSize
                let key = start + Int(bytes.loadUnaligned(fromByteOffset: record + 4, as: UInt32.self))
                guard key < bytes.count - name.count, bytes[key + name.count] == 0,
                    bytes[key..<(key + name.count)].elementsEqual(name)
                else { continue }
                let value = start + Int(bytes.loadUnaligned(fromByteOffset: record + 8, as: UInt32.self))
                guard value < bytes.count, let end = bytes[value...].firstIndex(of: 0) else { continue }
                paths.append(String(decoding: bytes[value..<end], as: UTF8.self))
            }
        }
        return paths
    }

    private static func contents(of path: String) -> [UInt8] {
        guard let file = try? OpenedFile(path: path), file.identity.size <= limit else { return [] }
        let size = Int(file.identity.size)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)) ?? 0
        }
    }

    private static func head(in bytes: [UInt8]) -> (start: Int, count: Int)? {
        let magic = Array("glibc-ld.so.cache1.1".utf8)
        let oldMagic = Array("ld.so-1.7.0".utf8)
        var start = 0
        if bytes.starts(with: oldMagic), bytes.count >= 16 {
            // 12 bytes of magic, a count, records of 12 bytes; the newer head follows at the next multiple of 8.
            let count = bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 12, as: UInt32.self)) }
            start = (16 + count * 12 + 7) & ~7
        }
        guard start <= bytes.count - headSize, bytes[start...].starts(with: magic) else { return nil }
        let count = bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: start + 20, as: UInt32.self)) }
        guard count <= (bytes.count - start - headSize) / recordSize else { return nil }
        return (start, count)
    }
}

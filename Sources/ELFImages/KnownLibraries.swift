import Glibc
import HostBasics

/// The names of the libraries in the process, by which the dynamic linker finds them again.
package enum KnownLibraries {
    /// The names of the libraries that the last plug-in needed, each with its NUL: all of these are in the process, and
    /// no name is a path.
    ///
    /// The plug-ins of an application usually need the same libraries, and then no name is looked up. The names are
    /// compared byte by byte, because the author of a bundle could construct two lists of names with the same hash.
    private static let lastNeeded = Lock<[UInt8]>([])

    private struct Names {
        /// Names under which the process has a library.
        var present: Set<String> = []
        /// Names of libraries that bundles carry, which never count as present.
        var carried: Set<String> = []
    }

    private static let names = Lock(Names())

    /// Whether the names equal those of the last plug-in.
    ///
    /// `needed`: their offsets in the strings. `strings`: a table whose last byte is NUL.
    package static func areLastNeeded(_ needed: DynamicTable.Needed, in strings: UnsafeRawBufferPointer) -> Bool {
        lastNeeded.withLock { known in
            known.withUnsafeBytes { known in
                var position = 0
                for index in needed {
                    guard position < known.count, index < UInt64(strings.count) else { return false }
                    let rest = UnsafeRawBufferPointer(rebasing: known[position...])
                    guard let length = rest.offset(of: 0).map({ $0 + 1 }), length <= strings.count - Int(index),
                        memcmp(rest.baseAddress!, strings.baseAddress! + Int(index), length) == 0
                    else { return false }
                    position += length
                }
                return position == known.count
            }
        }
    }

    /// Stores names that were found in the process.
    package static func setLastNeeded(_ needed: DynamicTable.Needed, in strings: UnsafeRawBufferPointer) {
        var bytes: [UInt8] = []
        for index in needed {
            let tail = UnsafeRawBufferPointer(rebasing: strings[Int(index)...])
            bytes += tail[...(tail.offset(of: 0) ?? 0)]
        }
        lastNeeded.withLock { $0 = bytes }
    }

    /// Whether the dynamic linker finds a library with a name among those in the process.
    ///
    /// Only the dynamic linker's answer counts: it does not find a library by its file name if the library was opened
    /// under another name. A name of a library that a bundle carries does not count, because the library belongs to
    /// that bundle alone.
    package static func contains(_ name: String) -> Bool {
        let known: Bool? = names.withLock { names in
            if names.carried.contains(name) { return false }
            return names.present.contains(name) ? true : nil
        }
        if let known { return known }
        guard LoadedLibrary.isPresent(name) else { return false }
        return names.withLock { names in
            if names.carried.contains(name) { return false }
            names.present.insert(name)
            return true
        }
    }

    /// Stores the name of a library that a bundle carries.
    ///
    /// Call this before the library is opened.
    package static func setCarried(_ name: String) {
        names.withLock { names in
            names.carried.insert(name)
            names.present.remove(name)
        }
        lastNeeded.withLock { $0 = [] }
    }
}

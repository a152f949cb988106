import Glibc

/// The names in one directory.
///
/// Usually only two or three names of a directory are ever looked up. So the names of a usual directory are kept as
/// bytes and searched linearly: creating and hashing a String for each name took most of the time of the first look-up
/// in a bundle. The names are put into a dictionary if the directory is large, or if any name is not ASCII: such names
/// may be equal with different bytes.
///
/// **Threads.** A value.
package struct DirectoryNames: Sendable {
    private struct Row: Sendable, Equatable {
        let start: UInt32
        let length: UInt16
        let kind: DirectoryListing.Kind
    }

    /// The names, one after the other.
    private var bytes: [UInt8] = []
    private var rows: [Row] = []
    /// Where the bytes of the next name begin.
    private var end: UInt32 = 0
    /// The names of a large directory, or of one with names that are not ASCII; nil for a usual directory.
    ///
    /// Two names that differ only in Unicode's normal form are one name here; the name that sorts first by bytes is
    /// kept for both.
    private var hashed: [String: DirectoryListing.Kind]?
    private var isASCII = true

    /// With more names, some hundred linear searches take longer than building and using a dictionary.
    private static let mostSearched = 256

    /// How many names were added before ``finish()``.
    package var count: Int { rows.count }

    /// Adds a name.
    ///
    /// The next ``append(_:)`` passes its bytes (valid UTF-8, at most 64 KiB), after the bytes of the previous names.
    package mutating func note(length: Int, _ kind: DirectoryListing.Kind, isASCII: Bool) {
        // Enough for most directories.
        if rows.isEmpty { rows.reserveCapacity(64) }
        rows.append(Row(start: end, length: UInt16(truncatingIfNeeded: length), kind: kind))
        end += UInt32(truncatingIfNeeded: length)
        if !isASCII { self.isASCII = false }
    }

    /// Adds the bytes of the names that were added since the last call, one after the other.
    package mutating func append(_ names: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: names)
    }

    /// Must be called after the last name was added.
    package mutating func finish() {
        guard !isASCII || rows.count > Self.mostSearched else { return }
        var hashed: [String: DirectoryListing.Kind] = [:]
        hashed.reserveCapacity(rows.count)
        for row in rows {
            let name = name(of: row)
            guard let known = hashed.updateValue(row.kind, forKey: name) else { continue }
            // Two spellings of one name; a dictionary keeps the first key.
            hashed[name] = known
            guard let index = hashed.index(forKey: name) else { continue }
            let other = hashed[index].key
            guard name.utf8.lexicographicallyPrecedes(other.utf8) else { continue }
            hashed[other] = nil
            hashed[name] = row.kind
        }
        self.hashed = hashed
        (bytes, rows) = ([], [])
    }

    private func name(of row: Row) -> String {
        String(decoding: bytes[Int(row.start)..<Int(row.start) + Int(row.length)], as: UTF8.self)
    }

    /// The names with their kinds.
    package var all: [String: DirectoryListing.Kind] {
        // A directory that changes while it is read may return a name twice.
        hashed ?? Dictionary(rows.map { (name(of: $0), $0.kind) }) { first, _ in first }
    }

    /// The name as spelled in the directory, and its kind.
    package subscript(name: String) -> DirectoryListing.Item? {
        if let hashed {
            guard let index = hashed.index(forKey: name) else { return nil }
            return DirectoryListing.Item(name: hashed[index].key, kind: hashed[index].value)
        }
        var name = name
        let found = name.withUTF8 { name in
            bytes.withUnsafeBufferPointer { bytes in
                rows.first { row in
                    Int(row.length) == name.count
                        && memcmp(bytes.baseAddress! + Int(row.start), name.baseAddress!, name.count) == 0
                }
            }
        }
        if let found { return DirectoryListing.Item(name: name, kind: found.kind) }
        // A name that is not ASCII may equal one that is: the Kelvin sign equals a K.
        guard name.utf8.contains(where: { $0 >= 0x80 }), let row = rows.first(where: { self.name(of: $0) == name })
        else { return nil }
        return DirectoryListing.Item(name: self.name(of: row), kind: row.kind)
    }
}

extension DirectoryNames: Equatable {
    package static func == (a: Self, b: Self) -> Bool {
        // An unchanged directory is usually returned in the same order, but the order has no meaning.
        a.hashed == nil && b.hashed == nil && a.rows == b.rows && a.bytes == b.bytes || a.all == b.all
    }
}

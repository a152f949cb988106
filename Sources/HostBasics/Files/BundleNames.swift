import CPluginSupport.Shims
import Glibc

/// The names in a directory that look like bundle names, because they have one of the given extensions.
package struct BundleNames {
    package struct Name: Equatable {
        package let text: String
        /// Whether the name is UTF-8, so that the file can be opened.
        package let isReadable: Bool

        package init(text: String, isReadable: Bool) {
            self.text = text
            self.isReadable = isReadable
        }
    }

    /// Sorted by their bytes.
    package let names: [Name]
    /// The identity of the directory, taken before its names were read.
    package let identity: FileIdentity

    /// Reads entries of an open directory into memory; returns the number of bytes, 0 at the end, -1 with errno.
    package typealias Read = @Sendable (CInt, UnsafeMutableRawBufferPointer) -> Int

    /// Reads a directory, following links to it.
    ///
    /// - Parameters:
    ///   - path: the directory.
    ///   - extensions: without the dot; case-sensitive.
    ///   - read: reads entries, like getdents64().
    /// - Throws: a finding of code `bundleNotFound` if it cannot be listed completely.
    package init(directory path: String, extensions: Set<String>, read: Read = Self.system) throws(PluginFinding) {
        // O_DIRECTORY refuses a FIFO before the open could wait for a writer.
        let descriptor = path.withCString { phs_open(AT_FDCWD, $0, O_RDONLY | O_DIRECTORY, 0) }
        guard descriptor >= 0 else { throw Self.unlisted(path, errno) }
        defer { close(descriptor) }
        var found = phs_file_identity()
        guard phs_fstat(descriptor, &found) == 0 else { throw Self.unlisted(path, errno) }
        identity = FileIdentity(found)
        var names: [Name] = []
        let failure: CInt? = withTemporaryBytes(32768) { buffer in
            while true {
                let count = read(descriptor, buffer)
                if count < 0 { return errno }
                if count == 0 { return nil }
                Self.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), extensions, into: &names)
            }
        }
        if let failure { throw Self.unlisted(path, failure) }
        self.names = names.sorted { $0.text.precedesInBytes($1.text) }
    }

    package static let system: Read = { phs_read_directory($0, $1.baseAddress!, $1.count) }

    private static func take(_ entries: UnsafeRawBufferPointer, _ extensions: Set<String>, into names: inout [Name]) {
        var start = 0
        while start < entries.count {
            let entry = entries.baseAddress! + start
            // The lengths come from the kernel; none is 0, and the last entry ends where the data ends.
            start += Int(entry.load(fromByteOffset: Self.lengthOffset, as: UInt16.self))
            let text = (entry + Self.nameOffset).assumingMemoryBound(to: CChar.self)
            // Check the extension first, so that most other names need no String.
            guard let dot = strrchr(text, CInt(UInt8(ascii: "."))), dot != UnsafeMutablePointer(mutating: text),
                extensions.contains(String(cString: dot + 1))
            else { continue }
            let valid = String(validatingCString: text)
            names.append(Name(text: valid ?? String(cString: text), isReadable: valid != nil))
        }
    }

    private static let lengthOffset = MemoryLayout<phs_directory_entry>.offset(of: \.length)!
    private static let nameOffset = MemoryLayout<phs_directory_entry>.offset(of: \.name)!

    package static func unlisted(_ path: String, _ error: CInt) -> PluginFinding {
        PluginFinding(
            .bundleNotFound, filePath: path,
            message: "The directory \(quoted(path)) cannot be listed: \(describe(errno: error)).",
            remedy: "Check the path and its permissions."
        ).refused(by: ErrorNumber.leadsNowhere(error) ? nil : error)
    }
}

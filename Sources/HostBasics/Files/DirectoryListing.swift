import CPluginSupport.Shims
import Glibc

/// The names in one directory, read once.
///
/// **Threads.** A value. **Cost.** Reading takes five system calls, plus one for about each thousand names; only the
/// directory itself is opened.
public struct DirectoryListing: Sendable {
    /// What a name refers to.
    public enum Kind: UInt8, Sendable {
        case file
        case directory
        /// A symbolic link, or a name whose file system does not report the type: call stat().
        case unresolved
    }

    /// A name and what it refers to.
    package struct Item: Sendable {
        package let name: String
        package let kind: Kind

        package init(name: String, kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    /// The names, for look-ups.
    package private(set) var entries = DirectoryNames()
    /// All names with their kinds.
    ///
    /// The dictionary is created at each call.
    public var names: [String: Kind] { entries.all }
    /// Whether any name may be a variant for this platform.
    ///
    /// Most directories have none, and the search for them can be skipped.
    package private(set) var hasPlatformVariants = false
    /// The names that may be directories of localisations, in no particular order.
    package private(set) var localizations: [String] = []
    /// How many names are not UTF-8 and therefore cannot be used.
    package private(set) var unreadableNames = 0
    /// Whether the directory contains more names than are read.
    public private(set) var isTruncated = false
    /// The directory's identity and times, taken before the names were read; nil if that failed.
    package let identity: FileIdentity?
    /// Whether any change after the reading is certain to alter the directory's times.
    package private(set) var isSettled: Bool
    /// Why the directory could not be read completely; nil if it was read, or does not exist.
    ///
    /// Names that were not read may exist.
    public private(set) var failure: CInt?

    /// The maximum number of names.
    ///
    /// No directory of resources has as many; reading them takes a second.
    package static let mostNames = 1 << 20

    /// Reads a directory, following links to it.
    ///
    /// If it is not a directory, the listing is empty; if it cannot be read, it has a ``failure``.
    ///
    /// FIFOs, sockets and devices are left out: they are not resources, and opening one could block.
    public init(path: String) {
        let now = FileIdentity.now
        // O_DIRECTORY refuses a FIFO before the open could wait for a writer.
        let descriptor = path.withCString { phs_open(AT_FDCWD, $0, O_RDONLY | O_DIRECTORY, 0) }
        guard descriptor >= 0 else {
            identity = nil
            failure = ErrorNumber.leadsNowhere(errno) ? nil : errno
            isSettled = failure == nil
            return
        }
        defer { close(descriptor) }
        var found = phs_file_identity()
        if phs_fstat(descriptor, &found) == 0 {
            let identity = FileIdentity(found)
            self.identity = identity
            isSettled = identity.isSettled(at: now)
        } else {
            identity = nil
            failure = errno
            isSettled = false
            return
        }
        withTemporaryBytes(Self.bufferSize) { read(descriptor, $0) }
    }

    /// As much as readdir() reads at once: about a thousand names.
    private static let bufferSize = 32768

    private mutating func read(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) {
        let start = buffer.baseAddress!
        while !isTruncated {
            let count = phs_read_directory(descriptor, start, buffer.count)
            if count < 0 {
                failure = errno
                isSettled = false
            }
            guard count > 0 else { break }
            var position = 0
            // The names are moved together to the beginning of the buffer, so that they can be stored in one step.
            var end = start.assumingMemoryBound(to: UInt8.self)
            while position < count, !isTruncated {
                let entry = start + position
                // The lengths come from the kernel; none is 0, and the last entry ends where the data ends.
                position += Int(entry.load(fromByteOffset: Self.lengthOffset, as: UInt16.self))
                take(entry, &end)
            }
            entries.append(UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(end) - UnsafeRawPointer(start)))
        }
        entries.finish()
    }

    private static let lengthOffset = MemoryLayout<phs_directory_entry>.offset(of: \.length)!
    private static let typeOffset = MemoryLayout<phs_directory_entry>.offset(of: \.type)!
    private static let nameOffset = MemoryLayout<phs_directory_entry>.offset(of: \.name)!

    /// Adds the name of an entry to the names.
    ///
    /// `end`: where to move the name; afterwards the end of the name. It is always before the entry's own name.
    private mutating func take(_ entry: UnsafeMutableRawPointer, _ end: inout UnsafeMutablePointer<UInt8>) {
        guard let kind = Self.kind(entry.load(fromByteOffset: Self.typeOffset, as: UInt8.self)) else { return }
        let name = (entry + Self.nameOffset).assumingMemoryBound(to: UInt8.self)
        let dot = UInt8(ascii: ".")
        if name[0] == dot, name[1] == 0 || name[1] == dot && name[2] == 0 { return }
        var length = 0
        var bits: UInt8 = 0
        // A single loop of our own: for names of a few letters, a library call for each check costs more.
        while case let byte = name[length], byte != 0 {
            bits |= byte
            if byte == UInt8(ascii: "-"), Self.isPlatformSuffix(name + length) { hasPlatformVariants = true }
            length += 1
        }
        let isASCII = bits < 0x80
        guard isASCII || String(validatingCString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self)) != nil
        else {
            unreadableNames += 1
            return
        }
        guard entries.count < Self.mostNames else {
            isTruncated = true
            return
        }
        let bytes = UnsafeRawBufferPointer(start: name, count: length)
        if kind != .file, Self.isLocalization(bytes) { localizations.append(String(decoding: bytes, as: UTF8.self)) }
        entries.note(length: length, kind, isASCII: isASCII)
        end.update(from: name, count: length)
        end += length
    }

    /// Whether the platform's mark is at a position in a name.
    private static func isPlatformSuffix(_ place: UnsafePointer<UInt8>) -> Bool {
        strncmp(
            UnsafeRawPointer(place).assumingMemoryBound(to: CChar.self), NameMark.platform,
            NameMark.platform.utf8.count) == 0
    }

    private static func isLocalization(_ name: UnsafeRawBufferPointer) -> Bool {
        let start = name.count - NameMark.localization.utf8.count
        return start > 0 && UnsafeRawBufferPointer(rebasing: name[start...]).holds(NameMark.localization)
    }

    private static func kind(_ type: UInt8) -> Kind? {
        switch Int(type) {
        case Int(DT_REG): .file
        case Int(DT_DIR): .directory
        case Int(DT_LNK), Int(DT_UNKNOWN): .unresolved
        default: nil
        }
    }
}

import CPluginSupport.Shims
import Glibc

/// The names in one directory, as one reading found them.
///
/// **Threads.** A value. **Cost.** Reading takes five system calls and one more for each thousand names or so; nothing but
/// the directory itself is opened or looked at.
@_spi(Tools) public struct DirectoryListing: Sendable {
    /// What a name stands for.
    @_spi(Tools) public enum Kind: UInt8, Sendable {
        case file
        case directory
        /// A symbolic link, or a name whose file system does not tell what it is: ask stat().
        case unresolved
    }

    /// A name and what it stands for.
    struct Item: Sendable {
        let name: String
        let kind: Kind
    }

    /// The names, for asking for one of them.
    private(set) var entries = DirectoryNames()
    /// All names with their kinds. Made at each call.
    @_spi(Tools) public var names: [String: Kind] { entries.all }
    /// Whether any name may be a variant for this platform; in most directories none is, and none need be looked for.
    private(set) var hasPlatformVariants = false
    /// The names that may be the directories of localisations, in no order.
    private(set) var localizations: [String] = []
    /// Names that are not UTF-8 and so cannot be asked for.
    private(set) var unreadableNames = 0
    /// Whether the directory holds more names than are read.
    @_spi(Tools) public private(set) var isTruncated = false
    /// Which directory it was and when it was last changed, as far as that was known before the names were read.
    let identity: FileIdentity?
    /// Whether a change after the reading is sure to show in the directory's times.
    private(set) var isSettled: Bool
    /// Why the directory could not be read, or not to its end; nil for one that was read, or that is not there. What was
    /// not read is not known to be absent.
    @_spi(Tools) public private(set) var failure: CInt?

    /// More names than a directory of resources has, and as many as take a second to read.
    static let mostNames = 1 << 20

    /// Reads a directory, links to it followed. What is no directory has no names; one that cannot be read has a
    /// ``failure``.
    ///
    /// FIFOs, sockets and devices are left out: they are no resources, and whoever opened one would wait.
    @_spi(Tools) public init(path: String) {
        let now = FileIdentity.now
        // O_DIRECTORY refuses a FIFO before its open could wait for a writer.
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
            // The names are moved together at the beginning of the buffer, to be kept in one step.
            var end = start.assumingMemoryBound(to: UInt8.self)
            while position < count, !isTruncated {
                let entry = start + position
                // The kernel's own lengths; none is 0, and the last entry ends with what was read.
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

    /// `end`: where the name is moved to; the end of the name then. It stands before the entry's own name.
    private mutating func take(_ entry: UnsafeMutableRawPointer, _ end: inout UnsafeMutablePointer<UInt8>) {
        guard let kind = Self.kind(entry.load(fromByteOffset: Self.typeOffset, as: UInt8.self)) else { return }
        let name = (entry + Self.nameOffset).assumingMemoryBound(to: UInt8.self)
        let dot = UInt8(ascii: ".")
        if name[0] == dot, name[1] == 0 || name[1] == dot && name[2] == 0 { return }
        var length = 0
        var bits: UInt8 = 0
        // One pass of our own: for names of a few letters, a call of a library for each question costs more.
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

    /// Whether the platform's mark stands at a place in a name.
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

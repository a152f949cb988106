import CPluginSupport.Shims
import Glibc

/// The names in one directory, as one reading found them.
///
/// **Threads.** A value. **Cost.** Reading takes five system calls and one more for about a thousand names; nothing but
/// the directory itself is opened or looked at.
struct DirectoryListing: Sendable {
    /// What a name stands for.
    enum Kind: UInt8, Sendable {
        case file
        case directory
        /// A symbolic link, or a name whose file system does not tell what it is: ask stat().
        case unresolved
    }

    /// The names by themselves. Two names that differ only in Unicode's normal form are one here, and the first in the
    /// order of bytes stands for both.
    private(set) var names: [String: Kind] = [:]
    /// Whether any name may be a variant for this platform; in most directories none is, and none need be looked for.
    private(set) var hasPlatformVariants = false
    /// Names that are not UTF-8 and so cannot be asked for.
    private(set) var unreadableNames = 0
    /// Whether the directory holds more names than are read.
    private(set) var isTruncated = false
    /// Which directory it was and when it was last changed, as far as that was known before the names were read.
    let identity: FileIdentity?
    /// Whether a change after the reading is sure to show in the directory's times.
    let isSettled: Bool

    /// More names than a directory of resources has, and as many as take a second to read.
    static let mostNames = 1 << 20

    /// Reads a directory, links to it followed. What is no directory, or may not be read, has no names.
    ///
    /// FIFOs, sockets and devices are left out: they are no resources, and whoever opened one would wait.
    init(path: String) {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME, &clock)
        // O_DIRECTORY refuses a FIFO before its open could wait for a writer.
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0, let stream = fdopendir(descriptor) else {
            if descriptor >= 0 { close(descriptor) }
            identity = nil
            isSettled = true
            return
        }
        defer { closedir(stream) }
        var found = phs_file_identity()
        if phs_fstat(descriptor, &found) == 0 {
            identity = FileIdentity(found)
            isSettled = Self.isSettled(modified: found.modified_ns, at: clock)
        } else {
            identity = nil
            isSettled = true
        }
        read(stream)
    }

    private mutating func read(_ stream: OpaquePointer) {
        // Gathered first: a dictionary that grows hashes every name several times.
        var found: [(name: String, kind: Kind)] = []
        while let entry = readdir(stream) {
            guard let kind = Self.kind(entry.pointee.d_type) else { continue }
            // The name may be longer than d_name is declared, on file systems with long names.
            let start = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
            guard let name = String(validatingCString: start.assumingMemoryBound(to: CChar.self)) else {
                unreadableNames += 1
                continue
            }
            if name == "." || name == ".." { continue }
            guard found.count < Self.mostNames else {
                isTruncated = true
                break
            }
            found.append((name, kind))
            hasPlatformVariants = hasPlatformVariants || Self.mayBeVariant(name)
        }
        names.reserveCapacity(found.count)
        for (name, kind) in found { add(name, kind) }
    }

    /// Whether the platform's suffix stands in a name. The bytes are looked at one by one: a search for a string in a
    /// string takes microseconds.
    private static func mayBeVariant(_ name: String) -> Bool {
        let suffix = ResourceName.platformSuffix.utf8
        var rest = name.utf8[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "-")) {
            rest = rest[start...]
            if rest.starts(with: suffix) { return true }
            rest.removeFirst()
        }
        return false
    }

    private mutating func add(_ name: String, _ kind: Kind) {
        guard let known = names.updateValue(kind, forKey: name) else { return }
        // Two spellings of one name; a dictionary keeps the first key it got.
        names[name] = known
        guard let index = names.index(forKey: name) else { return }
        let other = names[index].key
        guard name.utf8.lexicographicallyPrecedes(other.utf8) else { return }
        names[other] = nil
        names[name] = kind
    }

    private static func kind(_ type: UInt8) -> Kind? {
        switch Int(type) {
        case Int(DT_REG): .file
        case Int(DT_DIR): .directory
        case Int(DT_LNK), Int(DT_UNKNOWN): .unresolved
        default: nil
        }
    }

    /// The name as it stands in the directory, and its kind.
    func entry(_ name: String) -> (name: String, kind: Kind)? {
        guard let index = names.index(forKey: name) else { return nil }
        return (names[index].key, names[index].value)
    }

    /// Most file systems stamp a directory with the time of the last clock tick, up to 10 ms ago, some with whole
    /// seconds, FAT with even ones: a second change within the tick leaves the time as it is. A directory that was
    /// changed that shortly before it was read must be read again.
    private static func isSettled(modified: Int64, at clock: timespec) -> Bool {
        let now = Int64(clock.tv_sec) * 1_000_000_000 + Int64(clock.tv_nsec)
        let tick: Int64 = modified % 1_000_000_000 == 0 ? 2_000_000_000 : 20_000_000
        // A time in the future comes from another machine's clock; waiting for it would mean reading at each look-up.
        return now - modified >= tick || modified - now > 1_000_000_000
    }
}

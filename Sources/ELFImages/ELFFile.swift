package import HostBasics

/// An ELF shared object or program on disk, read part by part and within limits.
///
/// Used by the complete inspection, for the plug-in and for every library around it. An invalid part counts as absent.
/// ``ELFInspector/inspectQuickly(_:path:bundlePath:as:)`` has already reported the problems of the plug-in's own
/// file.
///
/// **Threads.** One.
package final class ELFFile {
    package let path: String
    package let file: OpenedFile
    package let header: ELFHeader
    package let segments: [ELFSegment]
    package let dynamic: DynamicTable
    /// DT_SONAME.
    package let ownName: String?
    /// DT_NEEDED, in order.
    package let needed: [String]
    /// DT_RUNPATH.
    package let runPath: String?
    /// DT_RPATH; nil if there is a DT_RUNPATH, which makes the dynamic linker ignore DT_RPATH.
    let rPath: String?
    private let strings: [UInt8]
    private var bytesLeft = ELFFile.readLimit
    private let unread: UnreadFiles

    package private(set) lazy var symbols = ELFSymbols(of: self, strings: strings)
    package private(set) lazy var versions = SymbolVersions(of: self)
    package private(set) lazy var sections = readSections()
    package private(set) lazy var modules = readModules()

    /// The limit for reading one file: the tables of the largest system libraries have about 20 MiB.
    private static let readLimit: UInt64 = 64 << 20

    /// Paths and names of libraries and versions are never longer.
    private static let stringLimit = 4096

    /// Why a file cannot be used as a library.
    package enum Unusable: Error {
        case unopenable(OpenedFile.Failure)
        case foreignMachine(String)
        case notSharedObject

        /// The reason as the end of a sentence.
        package var reason: String {
            switch self {
            case .unopenable(let failure): failure.reason
            case .foreignMachine(let name): "is for \(name)"
            case .notSharedObject: "is not an ELF file that can be loaded"
            }
        }
    }

    /// `unread`: collects the file if the system does not let it be read, now or later.
    package init(path: String, unread: UnreadFiles = UnreadFiles()) throws(Unusable) {
        let parts = try Parts(path: path, unread: unread)
        self.path = path
        self.unread = unread
        header = parts.header
        segments = parts.segments
        dynamic = parts.dynamic
        strings = parts.strings
        ownName = parts.dynamic.ownName.flatMap { Self.string(in: parts.strings, at: $0) }
        runPath = parts.dynamic.runPath.flatMap { Self.string(in: parts.strings, at: $0) }
        rPath =
            parts.dynamic.runPath == nil ? parts.dynamic.rPath.flatMap { Self.string(in: parts.strings, at: $0) } : nil
        needed = parts.needed.compactMap { Self.string(in: parts.strings, at: $0) }
        file = parts.takeFile()
    }

    /// Whether its names could be read; false if they are longer in total than those of any library.
    var hasReadableStrings: Bool { !strings.isEmpty || dynamic.stringsSize == 0 }

    /// Whether it has readable names; a truncated file has none.
    package var hasNames: Bool { !strings.isEmpty }

    /// Whether both are the same file, even if the paths differ.
    package func isSameFile(as other: ELFFile) -> Bool {
        file.identity.device == other.file.identity.device && file.identity.inode == other.file.identity.inode
    }

    // MARK: - Bytes

    /// Begins another inspection, which may again read ``readLimit`` bytes.
    func renewReadLimit() { bytesLeft = Self.readLimit }

    /// Bytes of the file, or nil if it does not have all of them or the limit is reached.
    package func bytes(at offset: UInt64, count: UInt64) -> [UInt8]? {
        guard offset <= file.identity.size, count <= file.identity.size - offset, count <= bytesLeft else { return nil }
        bytesLeft -= count
        return Self.read(file, at: offset, count: Int(count)) { unread.note(path, $0) }
    }

    /// The bytes of the file that are mapped at an address.
    package func bytes(atAddress address: UInt64, count: UInt64) -> [UInt8]? {
        segments.fileOffset(ofAddress: address, count: count).flatMap { bytes(at: $0, count: count) }
    }

    /// How many bytes of the file are mapped starting at an address, up to a limit.
    package func available(atAddress address: UInt64, limit: UInt64) -> UInt64 {
        for segment in segments where segment.fileOffset(ofAddress: address, count: 1) != nil {
            return min(limit, segment.fileSize - (address - segment.address))
        }
        return 0
    }

    /// A string of the dynamic string table.
    package func string(at index: UInt64) -> String? { Self.string(in: strings, at: index) }

    fileprivate static func string(in strings: [UInt8], at index: UInt64) -> String? {
        guard index < UInt64(strings.count) else { return nil }
        let tail = strings[Int(index)...].prefix(stringLimit)
        guard let end = tail.firstIndex(of: 0) else { return nil }
        return String(decoding: tail[..<end], as: UTF8.self)
    }

    /// `refused`: called if the system does not let the file be read.
    fileprivate static func read(
        _ file: borrowing OpenedFile, at offset: UInt64, count: Int, refused: (OpenedFile.Failure) -> Void
    ) -> [UInt8]? {
        // For 0 bytes, the initialiser would write into the one empty array that all threads share.
        if count == 0 { return [] }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let target = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
            do throws(OpenedFile.Failure) { filled = try file.read(into: target, at: offset) } catch { refused(error) }
        }
        return bytes.count == count ? bytes : nil
    }
}

extension ELFFile {
    /// Reads all parts that opening needs, before the properties of the class can be set.
    private final class Parts {
        private var file: OpenedFile?
        let header: ELFHeader
        var segments: [ELFSegment] = []
        var dynamic = DynamicTable()
        var needed: [UInt64] = []
        var strings: [UInt8] = []

        private static let stringsLimit: UInt64 = 32 << 20

        private let refused: (OpenedFile.Failure) -> Void

        init(path: String, unread: UnreadFiles) throws(Unusable) {
            refused = { unread.note(path, $0) }
            let file: OpenedFile
            do throws(OpenedFile.Failure) {
                file = try OpenedFile(path: path)
            } catch {
                refused(error)
                throw .unopenable(error)
            }
            let size = Int(min(file.identity.size, UInt64(ELF.headerSize)))
            guard let head = ELFFile.read(file, at: 0, count: size, refused: refused),
                head.count == ELF.headerSize, head.withUnsafeBytes(ELF.beginsWithMagic)
            else { throw .notSharedObject }
            let machine = head.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 18, as: UInt16.self) }
            guard head[4] == ELF.class64, head[5] == ELF.hostByteOrder, machine == ELF.hostMachine else {
                let theirs = head[5] == ELF.hostByteOrder ? machine : machine.byteSwapped
                let form = head[4] == ELF.class32 ? " in 32-bit form" : ""
                throw .foreignMachine(ELF.name(ofMachine: theirs) + form)
            }
            header = head.withUnsafeBytes { ELFHeader($0) }
            guard header.type == ELF.sharedObject || header.type == ELF.executable else { throw .notSharedObject }
            readSegments(file)
            readDynamic(file)
            self.file = consume file
        }

        func takeFile() -> OpenedFile { file.take()! }

        private func readSegments(_ file: borrowing OpenedFile) {
            let count = Int(header.programHeaderCount)
            guard Int(header.programHeaderSize) == ELF.programHeaderSize, count <= QuickInspection.segmentLimit,
                let bytes = ELFFile.read(
                    file, at: header.programHeaders, count: count * ELF.programHeaderSize, refused: refused)
            else { return }
            segments = bytes.withUnsafeBytes { Array(ELFSegments($0)) }
        }

        private func readDynamic(_ file: borrowing OpenedFile) {
            guard let segment = segments.last(where: { $0.type == ELF.dynamic }),
                segment.fileSize <= UInt64(QuickInspection.dynamicLimit),
                let bytes = ELFFile.read(file, at: segment.offset, count: Int(segment.fileSize), refused: refused)
            else { return }
            bytes.withUnsafeBytes { bytes in
                dynamic.read(bytes)
                needed = Array(dynamic.needed(in: bytes))
            }
            guard dynamic.stringsSize <= Self.stringsLimit, dynamic.stringsSize <= file.identity.size,
                let offset = segments.fileOffset(ofAddress: dynamic.strings, count: dynamic.stringsSize)
            else { return }
            strings = ELFFile.read(file, at: offset, count: Int(dynamic.stringsSize), refused: refused) ?? []
        }
    }
}

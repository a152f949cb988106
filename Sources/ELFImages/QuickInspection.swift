import Glibc
package import HostBasics

/// One run of ``ELFInspector/inspectQuickly(_:path:bundlePath:as:)``.
///
/// It covers everything that the dynamic linker of glibc (2.31 to 2.41) dereferences, calls or asserts before the first
/// instruction of the file's code.
///
/// Both a load and a check run it first, so a refused file is never opened.
///
/// Every number in the file is treated as hostile: sums are checked for overflow, tables against their limits, and
/// strings for their end. The steps are in the extensions of this type, in the order of ``run(_:)``.
package struct QuickInspection: ~Copyable {
    package let path: String
    package let bundlePath: String
    package let role: ELFRole
    package let fileSize: UInt64
    package let mode: UInt32
    package var window: FileWindow
    package var result = ELFInspection()
    /// The program headers and PT_DYNAMIC: valid while the window moves.
    package var segments = ELFSegments(UnsafeRawBufferPointer(start: nil, count: 0))
    /// The first loaded segment, which contains nearly everything that is read.
    var firstLoaded: ELFSegment?
    /// PT_DYNAMIC, the flags of PT_GNU_STACK, and whether there is a PT_INTERP; if a header occurs several times, the
    /// last one counts, as in the dynamic linker.
    var dynamicSegment: ELFSegment?
    var stackFlags: UInt32?
    var hasInterpreter = false
    var dynamicBytes = UnsafeRawBufferPointer(start: nil, count: 0)
    package var dynamic = DynamicTable()
    /// The tables that were found valid so far, in `tableBytes`.
    package var tables = ELFTables()
    var tableBytes: TableBytes
    /// PT_TLS.
    var threadLocal: ELFSegment?
    let segmentStorage: UnsafeMutableRawBufferPointer
    let dynamicStorage: UnsafeMutableRawBufferPointer

    /// Linkers write about 10 program headers and 40 entries of PT_DYNAMIC.
    static let segmentLimit = 64
    static let dynamicLimit = 4096
    static let storageSize = FileWindow.storageSize + segmentLimit * ELF.programHeaderSize + dynamicLimit

    package init(
        of file: borrowing OpenedFile, path: String, bundlePath: String, role: ELFRole,
        storage: UnsafeMutableRawBufferPointer
    ) {
        self.path = path
        self.bundlePath = bundlePath
        self.role = role
        fileSize = file.identity.size
        tableBytes = TableBytes(fileSize: fileSize)
        mode = file.identity.mode
        window = FileWindow(of: file, storage: storage)
        let dynamicStart = Self.storageSize - Self.dynamicLimit
        segmentStorage = UnsafeMutableRawBufferPointer(rebasing: storage[FileWindow.storageSize..<dynamicStart])
        dynamicStorage = UnsafeMutableRawBufferPointer(rebasing: storage[dynamicStart..<Self.storageSize])
    }

    package mutating func run(_ file: borrowing OpenedFile) {
        checkMode()
        inspectContent(file)
        // If a read failed, a step has stopped because of it; report the cause instead of the consequence.
        if let failure = window.failure {
            result.findings = []
            refuse("cannot be read.", "Check the file system that contains it.", said: failure.reason)
            result.findings[0] = result.findings[0].refused(by: failure.errno)
        } else if window.isShort {
            result.findings = []
            refuse(
                code: .executableChanged, "became shorter while it was read.",
                "To install it, write a new file and rename it over the old one.")
        }
    }

    /// The result, moved out instead of copied.
    mutating func takeResult() -> ELFInspection {
        var taken = ELFInspection()
        swap(&taken, &result)
        return taken
    }

    private mutating func inspectContent(_ file: borrowing OpenedFile) {
        guard let header = checkHeader(), readSegments(header, file) else { return }
        let isComplete = checkSegments(header)
        checkStack()
        guard isComplete, readDynamic(file) else { return }
        result.fingerprint = ELFInspector.fingerprint(ofFileBeginning: window.head)
        checkDynamic()
        guard checkAddresses(), checkTables(file) else { return }
        result.hasSoundTables = true
        checkSearchPaths()
        checkNeededNames()
        if role == .plugin { checkEntry() } else { readOwnName() }
        readNotes(file)
    }

    private mutating func readOwnName() {
        guard let index = dynamic.ownName, let name = string(at: index) else { return }
        result.ownName = String(decoding: name, as: UTF8.self)
    }

    // MARK: - Findings

    /// Reports that the file must not be opened.
    ///
    /// `what`: the problem, as the end of a sentence that begins with the file's path. `remedy`: the next step. `said`:
    /// the system's message.
    @inline(never)
    package mutating func refuse(
        code: PluginError.Code = .notLoadable, subject: String? = nil, _ what: String, _ remedy: String,
        said: String? = nil
    ) {
        result.findings.append(
            PluginFinding(
                .error, code, filePath: path, subject: subject, message: "\(quoted(path)) \(what)", remedy: remedy,
                systemMessage: said))
    }

    /// Reports that the file contradicts itself, which never happens in a linker's output.
    @inline(never)
    mutating func refuseDamaged(_ what: String) {
        refuse("is damaged: \(what).", Self.rebuild)
    }

    package static let rebuild = "Build or copy the plug-in again, and compare its size and checksum with the original."

    // MARK: - Bytes

    /// The offset in the file of `count` bytes at an address, or nil if no segment contains them.
    package func fileOffset(ofAddress address: UInt64, count: UInt64) -> UInt64? {
        firstLoaded?.fileOffset(ofAddress: address, count: count)
            ?? segments.fileOffset(ofAddress: address, count: count)
    }

    /// A string of the dynamic string table without its NUL, or nil if it does not end within `limit` bytes.
    package func string(at index: UInt64, limit: Int = 1024) -> UnsafeRawBufferPointer? {
        guard index < UInt64(tables.strings.count) else { return nil }
        let tail = tables.strings[Int(index)...].prefix(limit)
        let bytes = UnsafeRawBufferPointer(rebasing: tail)
        guard let end = bytes.offset(of: 0) else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[..<end])
    }
}

/// The purpose for which a file is inspected.
package enum ELFRole {
    /// The executable of a bundle, which has an entry.
    case plugin
    /// A library that the bundle contains.
    case library
}

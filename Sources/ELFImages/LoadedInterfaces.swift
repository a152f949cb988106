import HostBasics
import InterfaceRecords

/// The records of the libraries in this process, each read once.
///
/// **Threads.** Any. **Cost.** The first question about a library opens its file and reads its section; the others copy a
/// value.
enum LoadedInterfaces {
    private static let known = Lock<[UInt: InterfaceRecord?]>([:])

    /// The record of the loaded file that contains an address; nil if it has no usable one.
    ///
    /// A file that was replaced after it was loaded says nothing about the code that runs.
    static func record(ofLibraryContaining address: UnsafeRawPointer, path: String) -> InterfaceRecord? {
        guard let base = LoadedLibraries.base(containing: address) else { return nil }
        return record(ofLibraryAt: base, path: path)
    }

    static func record(ofLibraryAt base: UInt, path: String) -> InterfaceRecord? {
        if let known = known.withLock({ $0[base] }) { return known }
        let record = read(path, base)
        known.withLock { $0[base] = .some(record) }
        return record
    }

    private static func read(_ path: String, _ base: UInt) -> InterfaceRecord? {
        guard let file = try? OpenedFile(path: path.isEmpty ? Path.mainProgram : path) else { return nil }
        let size = Int(min(file.identity.size, 4096))
        guard let head = SectionTable.bytes(of: file, at: 0, count: UInt64(size)),
            let memory = UnsafeRawPointer(bitPattern: base)
        else { return nil }
        let found = head.withUnsafeBytes { ELFInspector.fingerprint(ofFileBeginning: $0) }
        guard found == 0 || found == ELFInspector.fingerprint(ofFileMappedAt: memory) else { return nil }
        return InterfaceSection.read(file).record
    }
}

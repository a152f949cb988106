import HostBasics
import InterfaceRecords

/// The records of the libraries in this process, each read once.
///
/// **Threads.** Any. **Cost.** The first question about a library opens its file and reads its section; the others copy a
/// value.
enum LoadedInterfaces {
    private static let known = Lock<[UInt: InterfaceRecord?]>([:])
    /// Where libraries with a record were found, by the names with which plug-ins need them.
    private static let found = Lock<[String: (path: String, base: UInt)]>([:])

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

    /// The path and the record of the loaded library that has a name and a record of a module.
    ///
    /// Later questions do not go through all loaded libraries again.
    static func record(ofLibraryNamed name: String, with module: String) -> (path: String, record: InterfaceRecord)? {
        if let known = found.withLock({ $0[name] }), isLoaded(known.path, at: known.base),
            let record = record(ofLibraryAt: known.base, path: known.path), record.modules[module] != nil
        {
            return (known.path, record)
        }
        for library in LoadedLibraries.all() where library.path == name || library.path.hasSuffix("/" + name) {
            guard let record = record(ofLibraryAt: library.header, path: library.path), record.modules[module] != nil
            else { continue }
            found.withLock { $0[name] = (library.path, library.header) }
            return (library.path, record)
        }
        return nil
    }

    private static func isLoaded(_ path: String, at base: UInt) -> Bool {
        LoadedLibraries.path(ofLibraryAt: base) == path
            && UnsafeRawPointer(bitPattern: base).flatMap { LoadedLibraries.base(containing: $0) } == base
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

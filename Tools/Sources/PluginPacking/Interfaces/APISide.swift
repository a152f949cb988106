@_spi(Tools) internal import ELFImages
import Glibc
internal import HostBasics
public import InterfaceRecords
@_spi(Tools) internal import PluginHost

/// One side of a comparison of two versions of a plug-in API.
///
/// **Threads.** No shared state. **Cost.** As ``InterfaceRecorder/record(ofLibrary:isNew:hasFunctions:)``, for each library.
public struct APISide {
    /// The records of the libraries, or new ones from the modules beside them; empty if there is nothing of the kind.
    public let record: InterfaceRecord
    private let libraries: [String]

    /// The most files that are looked at below a directory.
    private static let fileLimit = 20_000

    /// Reads a side.
    ///
    /// - Parameter path: a compiled module (`.swiftmodule`); a library; a program, which stands for the libraries that it
    ///   is linked with; the directory of a package that was built, or any other directory, which stand for the
    ///   libraries in them.
    /// - Throws: ``PackingError`` if there is no such thing, or if it cannot be read.
    public init(path: String) throws(PackingError) {
        if path.hasSuffix(".swiftmodule") {
            record = try InterfaceRecorder.record(ofModule: path)
            libraries = []
            return
        }
        libraries = try Self.libraries(at: path)
        var record = InterfaceRecord()
        for library in libraries {
            let found = try InterfaceRecorder.record(ofLibrary: library)
            record.modules.merge(found.modules) { first, _ in first }
        }
        self.record = record
    }

    /// Whether all libraries have the reflection metadata of their types.
    ///
    /// - Returns: false if a library cannot be read any more.
    public var hasFields: Bool {
        libraries.allSatisfy { path in
            (try? InterfaceRecorder.linked(path)).map(LibraryInterfaces.hasFields) ?? false
        }
    }

    /// What the symbols of the libraries alone state; empty for a compiled module.
    ///
    /// - Parameter hasFields: whether to read the fields and cases of types too, which both sides must have.
    /// - Returns: the interfaces, for a comparison with another side's symbols.
    /// - Throws: ``PackingError`` if a library cannot be read any more.
    public func symbols(hasFields: Bool) throws(PackingError) -> InterfaceRecord {
        var symbols = InterfaceRecord()
        for library in libraries {
            let found = LibraryInterfaces.bySymbols(
                of: try InterfaceRecorder.linked(library), hasFields: hasFields)
            symbols.modules.merge(found.modules) { first, _ in first }
        }
        return symbols
    }

    private static func libraries(at path: String) throws(PackingError) -> [String] {
        if Self.status(path).map({ $0.st_mode & S_IFMT == S_IFDIR }) ?? false { return try libraries(in: path) }
        let file = try InterfaceRecorder.linked(path)
        guard file.ownName == nil, !Path.lastComponent(path).contains(".so") else { return [path] }
        // Its own module is no interface unless somebody recorded it.
        let own = LibraryInterfaces(of: file).record == nil ? [] : [path]
        return own + CompiledInterfaces.libraries(of: file, program: nil).map(\.file.path)
    }

    /// The libraries in a directory, without those of the toolchain and of this project.
    private static func libraries(in directory: String) throws(PackingError) -> [String] {
        guard status(Path.join(directory, "Package.swift")) != nil else {
            return try libraries(below: directory, isFlat: false)
        }
        // The build that is newer is the one that its author looks at.
        let builds = ["release", "debug"].map { Path.join(directory, ".build/\($0)") }
            .compactMap { path in status(path).map { (path, $0.st_mtim) } }
        let newest = builds.max { ($0.1.tv_sec, $0.1.tv_nsec) < ($1.1.tv_sec, $1.1.tv_nsec) }
        guard let newest else {
            throw PackingError(
                .unreadable, path: directory, message: "The package \(quoted(directory)) was not built.",
                remedy: "Build it: “swift build -c release”.")
        }
        // The products are side by side; what is deeper are intermediate files.
        return try libraries(below: newest.0, isFlat: true)
    }

    private static func libraries(below root: String, isFlat: Bool) throws(PackingError) -> [String] {
        var (found, waiting, count): ([String], [String], Int) = ([], [Path.resolved(root) ?? root], 0)
        while let directory = waiting.popLast() {
            let names: [String]
            do throws(OpenedDirectory.Failure) {
                names = try OpenedDirectory(path: directory).names.map(OpenedDirectory.text)
            } catch {
                throw .refused(.unreadable, error.path, cannot: "be listed", errno: error.errno)
            }
            count += names.count
            guard count <= fileLimit else {
                throw PackingError(
                    .tooLarge, path: root, message: "The directory \(quoted(root)) has more than \(fileLimit) files.",
                    remedy: "Name the library.")
            }
            for name in names {
                let path = Path.join(directory, name)
                // A link leads to a file that is found as well, or out of the directory.
                guard let kind = status(path, follows: false).map({ $0.st_mode & S_IFMT }) else { continue }
                if kind == S_IFDIR, !isFlat { waiting.append(path) }
                guard kind == S_IFREG, name.hasPrefix("lib"), name.hasSuffix(".so") || name.contains(".so."),
                    !InterfaceRecorder.isForeign(name), (try? LinkedFile(path: path)) != nil
                else { continue }
                found.append(path)
            }
        }
        return found.sorted()
    }

    private static func status(_ path: String, follows: Bool = true) -> stat? {
        var status = stat()
        return (follows ? stat(path, &status) : lstat(path, &status)) == 0 ? status : nil
    }
}

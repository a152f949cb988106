@_spi(Tools) internal import ELFImages
import Glibc
internal import HostBasics
public import InterfaceRecords
@_spi(Tools) internal import PluginHost

/// Makes the record of a library's interfaces from its compiled modules.
///
/// **Threads.** No shared state. **Cost.** Some tenths of a second for each module: it runs `swift-api-digester`.
public enum InterfaceRecorder {
    private static let foreign = [
        "libswift", "libFoundation", "lib_Foundation", "libPluginHost.so", "libXCTest", "libTesting",
    ]

    /// Whether a library belongs to the toolchain or to this project, whose interfaces grow only with library evolution.
    ///
    /// - Parameter name: the name of its file.
    /// - Returns: whether nobody records it.
    public static func isForeign(_ name: String) -> Bool { foreign.contains(where: name.hasPrefix) }

    /// The record of a library: the one that it has, or a new one from the modules beside it.
    ///
    /// The modules are `Modules/NAME.swiftmodule` beside the library, as in a build folder, or `NAME.swiftmodule` beside
    /// it. A module without such a file is left out.
    ///
    /// - Parameters:
    ///   - path: the library.
    ///   - isNew: whether to make a new record even if the library has one.
    ///   - hasFunctions: whether a new record has the functions too, which only forecasts need.
    /// - Returns: the record; empty if no module was found.
    /// - Throws: ``PackingError`` if the file is not a library, or a module cannot be read.
    public static func record(
        ofLibrary path: String, isNew: Bool = false, hasFunctions: Bool = true
    ) throws(PackingError) -> InterfaceRecord {
        let library = LibraryInterfaces(of: try linked(path))
        if !isNew, let record = library.record { return record }
        var record = InterfaceRecord()
        for module in library.modules.sorted() {
            guard let folder = ModuleFolder(beside: path, module: module) else { continue }
            record.modules[module] = try self.module(
                module, in: folder, hasEvolution: library.evolution[module] ?? false, hasFunctions: hasFunctions)
        }
        return record
    }

    private static func module(
        _ name: String, in folder: ModuleFolder, hasEvolution: Bool, hasFunctions: Bool
    ) throws(PackingError) -> InterfaceRecord.Module {
        let dump = try ModuleDump(module: name, in: folder)
        var module = dump.record(hasEvolution: hasEvolution)
        if hasFunctions {
            let code = try SerializedCode(module: name, in: folder)
            module.functions = dump.functions(code, beside: module)
        }
        return module
    }

    /// The record of one compiled module.
    ///
    /// - Parameter path: the file `NAME.swiftmodule`.
    /// - Returns: the record.
    /// - Throws: ``PackingError`` if the module cannot be read, for example because another compiler made it.
    public static func record(ofModule path: String) throws(PackingError) -> InterfaceRecord {
        let name = Path.stem(Path.lastComponent(path))
        guard let real = Path.resolved(path) else {
            throw .refused(.unreadable, path, cannot: "be read", errno: errno)
        }
        let folder = ModuleFolder(path: Path.parent(real))
        return InterfaceRecord(modules: [
            name: try module(name, in: folder, hasEvolution: false, hasFunctions: true)
        ])
    }

    static func linked(_ path: String) throws(PackingError) -> LinkedFile {
        do throws(PluginFinding) { return try LinkedFile(path: path) } catch {
            throw PackingError(.unreadable, path: path, error)
        }
    }

    /// Writes a record into a library.
    ///
    /// - Parameters:
    ///   - content: the record as a property list, at most ``InterfaceRecord/sizeLimit`` bytes.
    ///   - path: the library, which is replaced by a changed copy, so that a process that uses it is not disturbed.
    /// - Throws: ``PackingError``; the library is then unchanged.
    public static func write(_ content: [UInt8], into path: String) throws(PackingError) {
        guard content.count <= InterfaceRecord.sizeLimit else {
            throw PackingError(
                .tooLarge, path: path,
                message: "The record of \(quoted(path)) has \(content.count) bytes; the limit is "
                    + "\(InterfaceRecord.sizeLimit).",
                remedy: "Divide the plug-in API into several libraries.")
        }
        guard let real = Path.resolved(path) else {
            throw .refused(.unreadable, path, cannot: "be read", errno: errno)
        }
        let staging = try StagingDirectory(in: Path.parent(real))
        let copy = Path.join(staging.path, Path.lastComponent(real))
        try ChildProgram.run(["cp", "--preserve=mode,timestamps", "--", real, copy], to: "copy the library")
        do throws(PluginFinding) { try InterfaceSectionWriter.write(content, into: copy) } catch {
            throw PackingError(.unwritable, path: path, error)
        }
        guard rename(copy, real) == 0 else {
            throw .refused(.unwritable, path, cannot: "be replaced", to: .rename, errno: errno)
        }
    }
}

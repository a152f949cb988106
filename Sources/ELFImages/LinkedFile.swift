public import HostBasics

/// A program or a shared object on disk, with the libraries that it names.
///
/// It is for tools that assemble programs.
///
/// **Threads.** Use a value on one thread only.
public final class LinkedFile {
    package let library: ELFFile

    /// Reads the ELF header and the dynamic section.
    ///
    /// - Throws: a ``PluginFinding`` of code `notLoadable`, if the file is not an ELF program or library for this
    ///   machine.
    public init(path: String) throws(PluginFinding) {
        do throws(ELFFile.Unusable) {
            library = try ELFFile(path: path)
        } catch {
            throw PluginFinding(
                .notLoadable, filePath: path, message: "The file \(quoted(path)) \(error.reason).",
                remedy: "Give the path of a program or shared object for this machine.")
        }
    }

    init(_ library: ELFFile) { self.library = library }

    /// The path at which the file was found.
    public var path: String { library.path }
    /// DT_SONAME: the name by which the dynamic linker recognises the library after it is loaded.
    public var ownName: String? { library.ownName }
    /// DT_NEEDED: the libraries that it is linked with, in order.
    public var needed: [String] { library.needed }
    /// DT_RUNPATH, or DT_RPATH if the file has no DT_RUNPATH.
    public var searchPath: String? { library.runPath ?? library.rPath }
    /// The build-id in hexadecimal digits; nil if the linker wrote none.
    public var buildIdentifier: String? { BuildIdentifier.of(library) }
    /// Whether it is the library PluginHost, compiled without the optimiser.
    ///
    /// Only such a library lets tests make its system calls fail.
    public var isUnoptimisedPluginHost: Bool { library.exports("phs_set_fault") }
    /// Whether both are the same file, even if the paths differ.
    public func isSameFile(as other: LinkedFile) -> Bool { library.isSameFile(as: other.library) }
}

/// Finds the file of a library by the same rules as the dynamic linker when it starts a program.
///
/// **Threads.** Use a value on one thread only. **Cost.** Creating it reads the dynamic linker's cache.
public struct LibraryFinder {
    /// The result of a search.
    public enum Result {
        /// `isOfSystem`: whether a program without a search path finds the library.
        case found(LinkedFile, isOfSystem: Bool)
        /// An error of code `dependencyMissing` that names the library, the file that needs it, and the directories
        /// that were searched.
        case missing(PluginFinding)
    }

    private let search: LibrarySearch

    /// - Parameter obeysEnvironment: whether to search `LD_LIBRARY_PATH` of this process.
    public init(obeysEnvironment: Bool) {
        search = obeysEnvironment ? LibrarySearch() : LibrarySearch(environmentPath: nil)
    }

    /// Finds a library.
    ///
    /// - Parameters:
    ///   - name: the name in DT_NEEDED.
    ///   - chain: the file that needs the library, then the file that needs that file, and so on to the program.
    /// - Returns: the library's file, or an error if it was not found.
    public func find(_ name: String, neededBy chain: [LinkedFile]) -> Result {
        switch search.find(name, neededBy: chain.map(\.library)) {
        case .found(let file):
            return .found(LinkedFile(file), isOfSystem: search.isOfSystem(file.path, name: name))
        case .missing(let searched, let rejected):
            let missing = LibraryClosure.Missing(
                name: name, neededBy: chain.first?.path ?? "", searched: searched, rejected: rejected)
            return .missing(
                PluginFinding(
                    .dependencyMissing, filePath: missing.neededBy, subject: name, message: missing.sentence,
                    remedy: "Install the library, or name its directory by LD_LIBRARY_PATH."))
        }
    }
}

/// A program or a shared object on disk, and the libraries that it names: for tools that put programs together.
///
/// **Threads.** One.
@_spi(Tools) public final class LinkedFile {
    let image: ImageFile

    /// Reads the head and the dynamic section.
    ///
    /// - Throws: a ``PluginFinding`` of code `notLoadable`, if the file is not an ELF program or library of this machine.
    @_spi(Tools) public init(path: String) throws(PluginFinding) {
        do throws(ImageFile.Unusable) {
            image = try ImageFile(path: path)
        } catch {
            throw PluginFinding(
                .notLoadable, filePath: path, message: "The file \(quoted(path)) \(error.reason).",
                remedy: "Give the path of a program or shared object for this machine.")
        }
    }

    init(_ image: ImageFile) { self.image = image }

    /// The path that it was found at.
    @_spi(Tools) public var path: String { image.path }
    /// DT_SONAME, the name by which the dynamic linker knows the library once it is loaded.
    @_spi(Tools) public var ownName: String? { image.ownName }
    /// DT_NEEDED: the libraries that it is linked with, in order.
    @_spi(Tools) public var needed: [String] { image.needed }
    /// DT_RUNPATH, or DT_RPATH where there is none.
    @_spi(Tools) public var searchPath: String? { image.runPath ?? image.rPath }
    /// Whether both are one file, whatever the paths are.
    @_spi(Tools) public func isSameFile(as other: LinkedFile) -> Bool { image.isSameFile(as: other.image) }
}

/// Finds the file of a library as the dynamic linker finds it when it starts a program.
///
/// **Threads.** One. **Cost.** It reads the dynamic linker's cache when it is made.
@_spi(Tools) public struct LibraryFinder {
    /// Where a library is.
    @_spi(Tools) public enum Result {
        /// `isOfSystem`: every program finds it without a search path of its own.
        case found(LinkedFile, isOfSystem: Bool)
        /// An error of code `dependencyMissing` that names the library, the file that needs it, and the directories that
        /// were searched.
        case missing(PluginFinding)
    }

    private let search: LibrarySearch

    /// - Parameter obeysEnvironment: whether `LD_LIBRARY_PATH` of this process counts.
    @_spi(Tools) public init(obeysEnvironment: Bool) {
        search = obeysEnvironment ? LibrarySearch() : LibrarySearch(environmentPath: nil)
    }

    /// Finds a library.
    ///
    /// - Parameters:
    ///   - name: as DT_NEEDED has it.
    ///   - chain: the file that needs it, then the file that needs that one, and so on to the program.
    /// - Returns: its file, or why there is none.
    @_spi(Tools) public func find(_ name: String, neededBy chain: [LinkedFile]) -> Result {
        switch search.find(name, neededBy: chain.map(\.image)) {
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

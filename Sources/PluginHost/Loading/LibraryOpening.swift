import ELFImages
import HostBasics

/// Loads the libraries of a bundle before its executable.
///
/// Each one is inspected first, and loaded after the libraries that it needs. The dynamic linker then finds them by
/// their SONAMEs and opens no file of the bundle that was not inspected.
///
/// The libraries of a bundle are those in its Frameworks directory, and those that a search path finds relative to
/// `$ORIGIN` or inside the bundle. The dynamic linker finds all others.
struct LibraryOpening {
    private let bundlePath: String
    private let libraries: CarriedLibraries?
    private var seen: Set<String> = []
    /// Directories in which every library was inspected.
    private var listed: Set<String> = []
    /// The inspected files, which are compared again after the executable was opened.
    private(set) var files = InspectedFiles()

    /// Why the executable must not be opened.
    enum Failure: Error {
        /// The findings of the inspection of libraries.
        case refused([PluginFinding])
        /// A file changed while it was read.
        case changed(path: String)
        /// The dynamic linker's message about a library.
        case linker(path: String, LinkerMessage)
    }

    init(of bundle: PluginBundle) {
        bundlePath = bundle.bundlePath
        libraries = CarriedLibraries(of: bundle)
    }

    /// More levels than any bundle has.
    ///
    /// On each level, a library needs the next one.
    private static let depthLimit = 64

    /// `inspection`, `path`: of the executable.
    mutating func open(for inspection: ELFInspection, path: String) throws(Failure) {
        try open(Library(inspection, path), [])
    }

    /// An inspected ELF file that needs libraries.
    private struct Library {
        let path: String
        let needed: [String]
        let searchPath: SearchPath?

        init(_ inspection: ELFInspection, _ path: String) {
            self.path = path
            needed = inspection.absentLibraries
            searchPath = inspection.searchPath
        }
    }

    /// `loaders`: the ELF files that need this one, the nearest first.
    private mutating func open(_ image: Library, _ loaders: [Library]) throws(Failure) {
        guard loaders.count < Self.depthLimit else { return }
        let chain = [image] + loaders
        var isComplete = true
        for name in image.needed where seen.insert(name).inserted {
            if let path = libraries?.file(named: name)?.path, try open(path, for: name, chain) { continue }
            if try !openInPlaces(name, chain) { isComplete = false }
        }
        guard !isComplete else { return }
        // A library from outside the bundle also searches DT_RPATH for its own libraries, under any name.
        for place in places(chain.filter { $0.searchPath?.isInherited ?? false }) where listed.insert(place).inserted {
            for name in DirectoryListing(path: place).names.keys.sorted() where name.contains(".so") {
                try inspect(Path.join(place, name), chain)
            }
        }
    }

    /// - Returns: whether the dynamic linker now finds a library by this name.
    private mutating func openInPlaces(_ name: String, _ chain: [Library]) throws(Failure) -> Bool {
        for place in places(chain) {
            let paths = LibrarySearch.variants(of: name, in: place)
            if let path = paths.last, try open(path, for: name, chain) { return true }
            // If no library has the name as its SONAME, the dynamic linker searches every place again.
            for path in paths.dropLast() { try inspect(path, chain) }
        }
        return false
    }

    /// Inspects a library and opens it after the libraries that it needs.
    ///
    /// - Returns: whether the dynamic linker finds it by this name.
    private mutating func open(_ path: String, for name: String, _ loaders: [Library]) throws(Failure) -> Bool {
        guard let inspection = try inspect(path, loaders) else { return false }
        let image: LoadedLibrary
        do throws(LinkerMessage) { image = try LoadedLibrary.open(path: path) } catch {
            throw .linker(path: path, error)
        }
        guard inspection.describes(libraryAt: image.base) else { throw .changed(path: path) }
        return inspection.ownName == name
    }

    /// Inspects a library and loads the libraries that it needs.
    /// - Returns: nil for a file that the dynamic linker skips because it does not exist, cannot be opened, or is for
    ///   another machine.
    ///   machine.
    @discardableResult
    private mutating func inspect(_ path: String, _ loaders: [Library]) throws(Failure) -> ELFInspection? {
        guard let file = try? OpenedFile(path: path) else { return nil }
        if let machine = ELFInspector.machine(of: file), machine != ELF.hostMachine { return nil }
        guard file.settle() else { throw .changed(path: path) }
        let inspection = ELFInspector.inspectQuickly(file, path: path, bundlePath: bundlePath, as: .library)
        files.append(path, file.identity)
        guard inspection.isLoadable else { throw .refused(inspection.findings) }
        try open(Library(inspection, path), loaders)
        return inspection
    }

    /// The directories of the search paths that belong to the bundle: the nearest ELF file's own search path, and the
    /// inherited ones of the others.
    private func places(_ chain: [Library]) -> [String] {
        chain.enumerated().flatMap { number, image -> [String] in
            guard let searchPath = image.searchPath, number == 0 || searchPath.isInherited else { return [] }
            return searchPath.text.split(separator: ":").compactMap { place(String($0), of: image.path) }
        }
    }

    /// The directory of an element; nil if it is neither inside the bundle nor relative to the library's own directory.
    private func place(_ element: String, of path: String) -> String? {
        for origin in ["${ORIGIN}", "$ORIGIN"] where element.hasPrefix(origin) {
            return Path.parent(path) + element.dropFirst(origin.count)
        }
        guard element.hasPrefix("/"), Path.isInside(Path.lexicallyNormalized(element), directory: bundlePath) else {
            return nil
        }
        return element
    }
}

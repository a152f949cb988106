import ELFImages
import HostBasics
import Synchronization

/// Loads the libraries of a bundle before its executable.
///
/// Each one is inspected first, and loaded after the libraries that it needs. The dynamic linker then finds them by
/// their SONAMEs and opens no file of the bundle that was not inspected.
///
/// The libraries of a bundle are those in its Frameworks directory, and those that a search path finds relative to
/// `$ORIGIN` or inside the bundle. The dynamic linker finds all others.
///
/// All of them are inspected before the first is opened, because the names of all must be free (``CarriedNames``).
struct LibraryOpening {
    private let bundle: PluginBundle
    /// The private copy in which the libraries have names of their own; nil for the bundle itself.
    private let copy: OwnNamesCopy?
    private let bundlePath: String
    private lazy var libraries: CarriedLibraries? = copy == nil ? CarriedLibraries(of: bundle) : nil
    private var seen: Set<String> = []
    /// The libraries of the bundle, each after those that it needs.
    private(set) var found: [Found] = []
    /// Directories in which every library was inspected.
    private var listed: Set<String> = []
    /// The inspected files, which are compared again after the executable was opened.
    private(set) var files = InspectedFiles()
    /// Changes of the process by the constructors of the libraries.
    private(set) var changes: [PluginFinding] = []

    /// Why the executable must not be opened.
    enum Failure: Error {
        /// The findings of the inspection of libraries.
        case refused([PluginFinding])
        /// A file changed while it was read.
        case changed(path: String)
        /// The dynamic linker's message about a library.
        case linker(path: String, LinkerMessage)
        /// Libraries of the bundle need names of their own.
        case clash(LibraryClash)
        /// A library that only another bundle carries.
        case foreign(name: String, neededBy: String, CarriedNames.Carrier)
    }

    /// A library of the bundle that a file of the bundle needs.
    struct Found {
        let path: String
        let inspection: ELFInspection
        fileprivate let file: FileIdentity
        /// The needed name and, if it is another one, the SONAME.
        let names: [String]
        /// The directories in which the dynamic linker searches for it.
        fileprivate let places: [String]

        /// Whether the dynamic linker finds it without the host.
        fileprivate var isInSearchPath: Bool {
            places.contains { FileIdentity(path: Path.join($0, names[0]))?.isSameFile(as: file) ?? false }
        }
    }

    /// The libraries of a bundle.
    init(of bundle: PluginBundle) {
        self.bundle = bundle
        copy = nil
        bundlePath = bundle.bundlePath
    }

    /// The libraries of a private copy of a bundle.
    init(of bundle: PluginBundle, in copy: OwnNamesCopy) {
        self.bundle = bundle
        self.copy = copy
        bundlePath = copy.copy.path
    }

    /// More levels than any bundle has.
    ///
    /// On each level, a library needs the next one.
    private static let depthLimit = 64

    /// `inspection`, `path`: of the executable.
    mutating func open(for inspection: ELFInspection, path: String) throws(Failure) {
        try find(Library(inspection, path), [])
        if copy == nil { try takeNames(inspection) }
        for library in found { try open(library) }
    }

    /// Enters the names of the libraries as names of this bundle.
    private func takeNames(_ executable: ELFInspection) throws(Failure) {
        // The names belong to the first generation, and code of an ended generation may run for ever.
        if OwnNamesCopy.isAllowed.load(ordering: .relaxed), bundle.originalPath != bundle.bundlePath,
            let first = found.first
        {
            throw .clash(LibraryClash(first.names[0], first.path, .generation))
        }
        var claim = CarriedNames.Claim(of: bundlePath)
        claim.uniqueSymbols = executable.uniqueSymbols + found.flatMap(\.inspection.uniqueSymbols)
        for library in found { for name in library.names { claim.append(name, library.path, library.file) } }
        if let clash = CarriedNames.shared.take(claim) { throw .clash(clash) }
    }

    private mutating func open(_ library: Found) throws(Failure) {
        // The dynamic linker opens it together with the executable.
        if let copy, copy.isLoadedTogether, library.isInSearchPath { return }
        let image: LoadedLibrary
        do throws(LinkerMessage) { image = try LoadedLibrary.open(path: library.path) } catch {
            throw .linker(path: library.path, error)
        }
        if let change = image.floatChange { changes.append(change.finding(in: library.path)) }
        guard library.inspection.describes(libraryAt: image.base) else { throw .changed(path: library.path) }
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
    private mutating func find(_ image: Library, _ loaders: [Library]) throws(Failure) {
        guard loaders.count < Self.depthLimit else { return }
        let chain = [image] + loaders
        var isComplete = true
        for name in image.needed where seen.insert(name).inserted {
            // An edit that is missing would lead to the library that has the name.
            if let copy, copy.oldNames.contains(name) {
                throw .clash(LibraryClash(name, image.path, copy.clash.owner))
            }
            if let path = copy?.libraries[name] ?? libraries?.file(named: name)?.path,
                try find(path, for: name, chain)
            {
                continue
            }
            if try findInPlaces(name, chain) { continue }
            isComplete = false
            if let carrier = CarriedNames.shared.carrier(of: name), carrier.bundlePath != bundlePath,
                !found.contains(where: { $0.names.contains(name) })
            {
                throw .foreign(name: name, neededBy: image.path, carrier)
            }
        }
        guard !isComplete else { return }
        // A library from outside the bundle also searches DT_RPATH for its own libraries, under any name.
        for place in places(chain.filter { $0.searchPath?.isInherited ?? false }) where listed.insert(place).inserted {
            for name in DirectoryListing(path: place).names.keys.sorted() where name.contains(".so") {
                try inspect(Path.join(place, name), chain)
            }
        }
    }

    /// - Returns: whether the dynamic linker will find a library by this name.
    private mutating func findInPlaces(_ name: String, _ chain: [Library]) throws(Failure) -> Bool {
        for place in places(chain) {
            let paths = LibrarySearch.variants(of: name, in: place)
            if let path = paths.last, try find(path, for: name, chain) { return true }
            // If no library has the name as its SONAME, the dynamic linker searches every place again.
            for path in paths.dropLast() { try inspect(path, chain) }
        }
        return false
    }

    /// Inspects a library after the libraries that it needs.
    ///
    /// - Returns: whether the dynamic linker finds it by this name once it is open.
    private mutating func find(_ path: String, for name: String, _ loaders: [Library]) throws(Failure) -> Bool {
        guard let (inspection, file) = try inspect(path, loaders) else { return false }
        let names = [name] + [inspection.ownName].compactMap(\.self).filter { $0 != name }
        found.append(Found(path: path, inspection: inspection, file: file, names: names, places: places(loaders)))
        return inspection.ownName == name
    }

    /// Inspects a library and finds the libraries that it needs.
    /// - Returns: nil for a file that the dynamic linker skips because it does not exist, cannot be opened, or is for
    ///   another machine.
    @discardableResult
    private mutating func inspect(
        _ path: String, _ loaders: [Library]
    ) throws(Failure) -> (ELFInspection, FileIdentity)? {
        guard let file = try? OpenedFile(path: path) else { return nil }
        if let machine = ELFInspector.machine(of: file), machine != ELF.hostMachine { return nil }
        guard file.settle() else { throw .changed(path: path) }
        let inspection = ELFInspector.inspectQuickly(file, path: path, bundlePath: bundlePath, as: .library)
        let identity = file.identity
        files.append(path, identity)
        guard inspection.isLoadable else { throw .refused(inspection.findings) }
        try find(Library(inspection, path), loaders)
        return (inspection, identity)
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

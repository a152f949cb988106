/// Brings the libraries that a bundle carries into the process before its executable, each inspected first, and after those
/// that it needs itself. The dynamic linker then finds them by their SONAMEs and opens no file of the bundle unseen.
///
/// A library of the bundle is one in its Frameworks directory, and one that a search path leads to from `$ORIGIN` or inside
/// of the bundle. A name that the bundle does not carry is left to the dynamic linker.
struct LibraryOpening {
    private let bundlePath: String
    private let libraries: CarriedLibraries?
    private var seen: Set<String> = []
    /// Directories of which every library was inspected.
    private var listed: Set<String> = []
    /// What was inspected, to be compared after the executable was opened.
    private(set) var files = InspectedFiles()

    /// Why the executable must not be opened.
    enum Failure: Error {
        /// What the inspection found in libraries.
        case refused([PluginFinding])
        /// A file changed while it was looked at.
        case changed(path: String)
        /// What the dynamic linker said about a library.
        case linker(path: String, LinkerMessage)
    }

    init(of bundle: PluginBundle) {
        bundlePath = bundle.bundlePath
        libraries = CarriedLibraries(of: bundle)
    }

    /// More libraries than any bundle carries, each needed by the one before it.
    private static let depthLimit = 64

    /// `inspection`: of the executable. `path`: of the executable.
    mutating func open(for inspection: ImageInspection, path: String) throws(Failure) {
        try open(Image(inspection, path), [])
    }

    /// An image that was inspected and needs libraries.
    private struct Image {
        let path: String
        let needed: [String]
        let searchPath: SearchPath?

        init(_ inspection: ImageInspection, _ path: String) {
            self.path = path
            needed = inspection.absentLibraries
            searchPath = inspection.searchPath
        }
    }

    /// `loaders`: those that brought the image in, the nearest first.
    private mutating func open(_ image: Image, _ loaders: [Image]) throws(Failure) {
        guard loaders.count < Self.depthLimit else { return }
        let chain = [image] + loaders
        var isComplete = true
        for name in image.needed where seen.insert(name).inserted {
            if let path = libraries?.file(named: name)?.path, try open(path, for: name, chain) { continue }
            if try !openInPlaces(name, chain) { isComplete = false }
        }
        guard !isComplete else { return }
        // A library from elsewhere has its own libraries looked for in DT_RPATH as well, by whatever name.
        for place in places(chain.filter { $0.searchPath?.isInherited ?? false }) where listed.insert(place).inserted {
            for name in DirectoryListing(path: place).names.keys.sorted() where name.contains(".so") {
                try inspect(Path.join(place, name), chain)
            }
        }
    }

    /// - Returns: whether the dynamic linker finds a library by the name now.
    private mutating func openInPlaces(_ name: String, _ chain: [Image]) throws(Failure) -> Bool {
        for place in places(chain) {
            let paths = LibrarySearch.variants(of: name, in: place)
            if let path = paths.last, try open(path, for: name, chain) { return true }
            // Without a library that has the name as its SONAME, the dynamic linker looks at every place by itself.
            for path in paths.dropLast() { try inspect(path, chain) }
        }
        return false
    }

    /// Inspects a library and opens it after those that it needs.
    ///
    /// - Returns: whether the dynamic linker finds it by the name.
    private mutating func open(_ path: String, for name: String, _ loaders: [Image]) throws(Failure) -> Bool {
        guard let inspection = try inspect(path, loaders) else { return false }
        let image: LoadedImage
        do throws(LinkerMessage) { image = try LoadedImage.open(path: path) } catch {
            throw .linker(path: path, error)
        }
        guard inspection.describes(imageAt: image.base) else { throw .changed(path: path) }
        return inspection.ownName == name
    }

    /// Inspects a library and brings in those that it needs.
    ///
    /// - Returns: nil for a file that the dynamic linker passes over: it is not there, cannot be opened, or is for
    ///   another machine.
    @discardableResult
    private mutating func inspect(_ path: String, _ loaders: [Image]) throws(Failure) -> ImageInspection? {
        guard let file = try? OpenedFile(path: path) else { return nil }
        if let machine = ImageInspector.machine(of: file), machine != ELF.hostMachine { return nil }
        guard file.settle() else { throw .changed(path: path) }
        let inspection = ImageInspector.inspectQuickly(file, path: path, bundlePath: bundlePath, as: .library)
        files.append(path, file.identity)
        guard inspection.isLoadable else { throw .refused(inspection.findings) }
        try open(Image(inspection, path), loaders)
        return inspection
    }

    /// The directories of the search paths, as far as they are of the bundle: that of the nearest image, and those of the
    /// others that are inherited.
    private func places(_ chain: [Image]) -> [String] {
        chain.enumerated().flatMap { number, image -> [String] in
            guard let searchPath = image.searchPath, number == 0 || searchPath.isInherited else { return [] }
            return searchPath.text.split(separator: ":").compactMap { place(String($0), of: image.path) }
        }
    }

    /// The directory of an element, or nil if it leads elsewhere than into the bundle or to where its files are.
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

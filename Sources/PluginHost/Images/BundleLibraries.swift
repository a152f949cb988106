import Glibc
import Synchronization

/// The libraries that a bundle carries in its Frameworks directory, for code that needs them by their names.
///
/// A library `libX.so.1` stands there as a file of that name, or as the executable of an `X.framework` that has the name or
/// the SONAME. What a link leads to outside of the bundle is none of the bundle's.
///
/// **Cost.** A reading of the directory, and of the head of each library that is asked for.
struct BundleLibraries {
    /// The Frameworks directory.
    let directory: String
    private let bundlePath: String
    private let frameworks: [String]

    /// - Returns: nil for a bundle without such a directory.
    init?(of bundle: PluginBundle) {
        guard let directory = bundle.privateFrameworksPath else { return nil }
        self.directory = directory
        bundlePath = bundle.bundlePath
        let names = try? BundleNames(directory: directory, extensions: ["framework"]).names
        frameworks = (names ?? []).filter(\.isReadable).map { BundlePath.join(directory, $0.text) }
    }

    /// The library that a DT_NEEDED finds, or nil.
    func file(named name: String) -> ImageFile? {
        if let file = own(BundlePath.join(directory, name)) { return file }
        for framework in frameworks {
            guard let path = (try? PluginBundle.open(path: framework))?.executablePath, let file = own(path) else {
                continue
            }
            if file.ownName == name || lastComponent(path) == name { return file }
        }
        return nil
    }

    private func own(_ path: String) -> ImageFile? {
        guard let file = try? ImageFile(path: path), let real = file.file.resolvedPath,
            BundlePath.isInside(real, directory: bundlePath)
        else { return nil }
        return file
    }

    /// Brings the libraries of some names into the process, each after those that it needs itself, so that the dynamic
    /// linker finds them by their SONAMEs. A name that the bundle does not carry is left to the dynamic linker.
    ///
    /// - Throws: what the dynamic linker said of a library, with its path.
    func open(_ names: [String]) throws(Failure) {
        var seen: Set<String> = []
        try open(names, &seen)
    }

    /// A library that cannot be loaded.
    struct Failure: Error {
        let path: String
        let message: LinkerMessage
    }

    private func open(_ names: [String], _ seen: inout Set<String>) throws(Failure) {
        for name in names where seen.insert(name).inserted {
            guard !KnownLibraries.contains(name.utf8), let file = file(named: name) else { continue }
            try open(file.needed, &seen)
            do throws(LinkerMessage) {
                _ = try LoadedImage.open(path: file.path)
            } catch {
                throw Failure(path: file.path, message: error)
            }
        }
    }
}

/// The names of the libraries in the process, by which the dynamic linker finds them again.
enum KnownLibraries {
    /// Hashes of the names, in ascending order. A set of texts would need one made of each name that is looked up, at every
    /// load; a set of numbers would hash them once more.
    private static let hashes = Mutex<[UInt64]>([])

    /// Whether a library of a name is in the process, as far as the names of the files tell. One that is taken for another
    /// by its hash costs its plug-in a look into the bundle's own libraries.
    static func contains(_ name: some Sequence<UInt8>) -> Bool {
        let hash = name.nameHash
        if hashes.withLock({ holds($0, hash) }) { return true }
        let found = LoadedImages.all().map { lastComponent($0.path).utf8.nameHash }.sorted()
        return hashes.withLock { hashes in
            hashes = found
            return holds(hashes, hash)
        }
    }

    private static func holds(_ hashes: [UInt64], _ hash: UInt64) -> Bool {
        let place = hashes.indices.partitioningIndex { hashes[$0] >= hash }
        return place < hashes.count && hashes[place] == hash
    }
}

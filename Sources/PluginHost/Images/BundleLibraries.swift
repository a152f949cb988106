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
            guard !KnownLibraries.contains(name), let file = file(named: name) else { continue }
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
    /// A hash of the names that the last plug-in needed, all of them in the process and none a path. The plug-ins of an
    /// application mostly need the same, and then no name is looked up.
    static let lastNeeded = Atomic<UInt64>(0)

    private static let names = Lock<Set<String>>([])

    /// Whether a library of a name is in the process, as far as the names of the files tell.
    static func contains(_ name: String) -> Bool {
        if names.withLock({ $0.contains(name) }) { return true }
        let found = Set(LoadedImages.all().map { lastComponent($0.path) })
        return names.withLock { names in
            names = found
            return found.contains(name)
        }
    }
}

import ELFImages
import HostBasics

extension PluginBundle {
    /// A library that a bundle carries.
    @_spi(Tools) public struct CarriedLibrary: Sendable, Hashable {
        /// Its SONAME, by which the dynamic linker finds it.
        public let name: String
        /// Its file.
        public let path: String
        /// How to give it a SONAME that no other bundle uses, as a sentence.
        public let remedy: String

        /// Whether two libraries are one file, which bundles share, for example by a hard link.
        public func isSameFile(as other: CarriedLibrary) -> Bool {
            guard let mine = FileIdentity(path: path), let theirs = FileIdentity(path: other.path) else { return false }
            return mine.isSameFile(as: theirs)
        }

        /// Whether the files have the same content; false if one cannot be read.
        ///
        /// **Cost.** Reads both files if they have the same size.
        public func hasSameContent(as other: CarriedLibrary) -> Bool {
            do throws(OpenedFile.Failure) {
                return try OpenedFile(path: path).hasSameContent(as: OpenedFile(path: other.path))
            } catch {
                return false
            }
        }
    }

    /// The libraries of the bundle that have SONAMEs, sorted by them: those in its Frameworks directory, and those in
    /// directories of the bundle to which the executable's search path leads by `$ORIGIN`.
    ///
    /// No code runs.
    ///
    /// **Cost.** Reads these directories and the head of each file in them whose name contains `.so`; nothing if the
    /// bundle has no such directory.
    @_spi(Tools) public var carriedLibraries: [CarriedLibrary] {
        var directories = [privateFrameworksPath].compactMap(\.self)
        if let path = executablePath, let file = try? ELFFile(path: path) {
            for element in (file.runPath ?? "").split(separator: ":") {
                for origin in ["${ORIGIN}", "$ORIGIN"] where element.hasPrefix(origin) {
                    let place = Path.lexicallyNormalized(Path.parent(path) + element.dropFirst(origin.count))
                    if Path.isInside(place, directory: bundlePath), !directories.contains(place) {
                        directories.append(place)
                    }
                }
            }
        }
        var found: [String: CarriedLibrary] = [:]
        for directory in directories {
            for file in DirectoryListing(path: directory).names.keys.sorted() where file.contains(".so") {
                let path = Path.join(directory, file)
                guard path != executablePath, let name = (try? ELFFile(path: path))?.ownName, found[name] == nil else {
                    continue
                }
                found[name] = CarriedLibrary(
                    name: name, path: path, remedy: LibraryClash.remedy(forLibrary: name, of: bundlePath))
            }
        }
        return found.values.sorted { $0.name < $1.name }
    }
}

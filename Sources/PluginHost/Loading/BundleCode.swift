import BundleReading
import Glibc
import HostBasics

/// The files of a bundle that are its code.
///
/// A change in one of them needs a new generation.
///
/// All other files are resources, which are read again while the code runs.
///
/// The decision depends only on names, so no Info.plist is read, and the result is the same before and after a change.
/// Code files are: the Info.plist; the files in directories that contain only executables (`Contents/Linux`); the
/// executable, by its name, in directories with other files; shared libraries, by their names; and everything in the
/// directories of frameworks and plug-ins.
struct BundleCode: Sendable {
    private let lists: Set<String>
    private let directories: [String]
    private let executables: Set<String>

    /// `name`: the executable's name.
    init(layout: BundleLayout, executable name: String) {
        lists = Set(
            layout.infoDirectories.flatMap { directory in
                BundleLayout.infoNames.map { Path.join(directory, $0).trimmedSlash }
            })
        let shared = Set(layout.infoDirectories + layout.supportDirectories + [layout.resources, ""])
        let own = layout.executableDirectories.filter { !shared.contains($0) && !BundleLayout.isBeside($0) }
        let support = layout.supportDirectories.flatMap { directory in
            ["Frameworks", "SharedFrameworks", "PlugIns", "Plugins"].map { Path.join(directory, $0).trimmedSlash }
        }
        directories = (own + support).map { $0 + "/" }
        executables = Set(
            layout.executableDirectories.flatMap { directory in
                [name, name + ".so", "lib\(name).so"].map { Path.join(directory, $0).trimmedSlash }
            })
    }

    /// `path`: relative to the bundle.
    func contains(_ path: String) -> Bool {
        if path.hasSuffix(".so") || path.contains(".so.") { return true }
        return lists.contains(path) || executables.contains(path) || directories.contains(where: path.hasPrefix)
    }

    typealias Failure = OpenedDirectory.Failure

    /// The code files below a bundle's directory, including links.
    ///
    /// FIFOs, sockets and devices do not count.
    ///
    /// - Throws: the directory that could not be read; `EFBIG` if there are more files than a copy may have.
    func files(in root: String, limits: TreeCopy.Limits = .init()) throws(Failure) -> Set<String> {
        var found: Set<String> = []
        var count = 0
        var directories = [("", 0)]
        while let (directory, level) = directories.popLast() {
            let place = Path.join(root, directory)
            let listing = DirectoryListing(path: place)
            if let errno = listing.failure { throw Failure(path: place, errno: errno) }
            let names = listing.names
            count += names.count
            guard count <= limits.entries, level < limits.levels, !listing.isTruncated else {
                throw Failure(path: place, errno: EFBIG)
            }
            for (name, kind) in names {
                let path = Path.join(directory, name).trimmedSlash
                switch kind {
                case .directory: directories.append((path, level + 1))
                case .file, .unresolved: if contains(path) { found.insert(path) }
                }
            }
        }
        return found
    }

    /// Whether two directories contain the same code, compared by its bytes.
    ///
    /// A link's target outside its directory is not code of the bundle and is not read: two such links are equal if
    /// they lead to the same place. Files that are not regular are not code either.
    func isEqual(in a: String, and b: String) throws(Failure) -> Bool {
        let files = try files(in: a)
        guard files == (try self.files(in: b)) else { return false }
        for file in files where try !isEqual(file, in: a, and: b) { return false }
        return true
    }

    private func isEqual(_ file: String, in a: String, and b: String) throws(Failure) -> Bool {
        do throws(OpenedFile.Failure) {
            return try hasSameContent(CodeFile(Path.join(a, file), in: a), file, in: b)
        } catch {
            if let errno = error.errno { throw Failure(path: Path.join(a, file), errno: errno) }
            // A broken link, or a link to a directory or device. The content of a directory of the bundle is compared
            // separately.
            do throws(OpenedFile.Failure) {
                _ = try CodeFile(Path.join(b, file), in: b)
                return false
            } catch let other {
                return other == error
            }
        }
    }

    private func hasSameContent(
        _ first: consuming CodeFile, _ file: String, in b: String
    ) throws(OpenedFile.Failure) -> Bool {
        do throws(OpenedFile.Failure) {
            let second = try CodeFile(Path.join(b, file), in: b)
            if first.outside != nil || second.outside != nil { return first.outside == second.outside }
            return try first.file.hasSameContent(as: second.file)
        } catch {
            if error.errno != nil { throw error }
            return false
        }
    }

    /// A code file, and whether it is inside its bundle.
    private struct CodeFile: ~Copyable {
        let file: OpenedFile
        /// The target of a link that leads out of the bundle; otherwise nil.
        let outside: String?

        init(_ path: String, in root: String) throws(OpenedFile.Failure) {
            let file = try OpenedFile(path: path)
            let place = file.passedLinks ? file.resolvedPath : nil
            outside = place.flatMap { Path.isInside($0, directory: root) ? nil : $0 }
            self.file = file
        }
    }

    typealias Identity = [String: FileIdentity?]

    /// The existing code files and the identities of their contents, without reading them.
    ///
    /// Used to detect changes between two calls.
    func identity(in root: String) throws(Failure) -> Identity {
        let files = try files(in: root)
        var identity: Identity = Dictionary(minimumCapacity: files.count)
        for file in files {
            do throws(Failure) {
                identity.updateValue(try FileIdentity.found(at: Path.join(root, file)), forKey: file)
            } catch {
                // A link may lead to a place that cannot be read, or to nothing. A temporary error must not count as a
                // change.
                if ErrorNumber.isPassing(error.errno) { throw error }
                identity.updateValue(nil, forKey: file)
            }
        }
        return identity
    }
}

extension String {
    /// Without the slash at the start that joining to an empty path adds.
    fileprivate var trimmedSlash: String { hasPrefix("/") ? String(dropFirst()) : self }
}

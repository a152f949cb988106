import Glibc

/// Which files of a bundle make up its code: those whose change needs a new generation. All others are resources, which
/// are read anew while the code runs.
///
/// By names, so that no Info.plist need be read, and the same before and after a change: the Info.plist; the files in
/// the directories that only executables stand in (`Contents/Linux`); the executable by its name where others stand
/// beside it; shared libraries by theirs; and whatever stands in the directories of frameworks and plug-ins.
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

    /// The code files below a bundle's directory, links among them. FIFOs, sockets and devices are none.
    ///
    /// - Throws: what could not be read; `EFBIG` where there is more than a copy may have.
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

    /// Whether two directories hold the same code, by its bytes.
    ///
    /// What a link leads to outside of its directory is no code of the bundle, and is not read: there, the same place is
    /// the same. What is no regular file is no code either.
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
            // A link to nothing, to a directory, to a device: what is in a directory of the bundle is compared by itself.
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

    /// A code file and whether it stands inside of its bundle.
    private struct CodeFile: ~Copyable {
        let file: OpenedFile
        /// Where a link leads, if out of the bundle.
        let outside: String?

        init(_ path: String, in root: String) throws(OpenedFile.Failure) {
            let file = try OpenedFile(path: path)
            let place = file.passedLinks ? file.resolvedPath : nil
            outside = place.flatMap { Path.isInside($0, directory: root) ? nil : $0 }
            self.file = file
        }
    }

    typealias Identity = [String: FileIdentity?]

    /// Which code files there are and which content they have, without reading them: to see whether they were changed
    /// meanwhile.
    func identity(in root: String) throws(Failure) -> Identity {
        let files = try files(in: root)
        var identity: Identity = Dictionary(minimumCapacity: files.count)
        for file in files {
            do throws(Failure) {
                identity.updateValue(try FileIdentity.found(at: Path.join(root, file)), forKey: file)
            } catch {
                // A link may lead to where nobody may look, or nowhere; what passes must not be taken for a change.
                if ErrorNumber.isPassing(error.errno) { throw error }
                identity.updateValue(nil, forKey: file)
            }
        }
        return identity
    }
}

extension String {
    /// Without the slash that joining to the empty path puts at the start.
    fileprivate var trimmedSlash: String { hasPrefix("/") ? String(dropFirst()) : self }
}

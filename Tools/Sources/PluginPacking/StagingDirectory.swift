internal import CPackingSupport
import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost

/// A directory beside the destination of a result.
///
/// The result is made in it and then renamed.
///
/// Its name begins with a dot, so that no search for bundles looks into it. It is removed together with the value. If a
/// process is killed and leaves a staging directory behind, the next process that makes one in the same place removes
/// it. A process locks each staging directory that it uses, and the kernel releases the lock when the process ends.
///
/// **Overlays.** On an overlay, as in a container, a directory of a lower layer can be neither renamed nor exchanged
/// (EXDEV). So the directory is raised first: copied into this directory, removed, and replaced by the copy, which the
/// overlay can rename. If the process is killed in between, the next process that makes a staging directory there
/// finishes the replacement.
struct StagingDirectory: ~Copyable {
    let path: String
    private let lock: CInt

    static let prefix = ".pluginhost-"
    /// The subdirectory with complete copies of the directories that are being raised, by their paths in the directory
    /// above.
    private static let raisedName = "raised"

    /// Whether a name is that of a staging directory: the prefix, followed by the characters of mkdtemp().
    private static func isName(_ name: String) -> Bool {
        name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 6
            && name.utf8.dropFirst(prefix.utf8.count).allSatisfy {
                Unicode.Scalar($0).properties.isAlphabetic || (48...57).contains($0)
            }
    }

    /// `directory`: the existing directory that gets the result.
    init(in directory: String) throws(PackingError) {
        Self.removeDead(in: directory)
        // Before the new directory is locked, another process may remove it as abandoned. Then make another one.
        for _ in 0..<100 {
            guard let (made, descriptor) = try Self.make(in: directory) else { continue }
            path = made
            lock = descriptor
            return
        }
        throw .refused(.unwritable, directory, cannot: "be written to", to: .make, errno: EAGAIN)
    }

    deinit {
        // If raising failed, keep the only complete copy.
        if Self.finishRaising(Path.join(path, Self.raisedName), in: Path.parent(path)) { try? Self.remove(path) }
        close(lock)
    }

    private static func make(in directory: String) throws(PackingError) -> (path: String, lock: CInt)? {
        var template = OpenedDirectory.name(Path.join(directory, prefix) + "XXXXXX")
        guard mkdtemp(&template) != nil else {
            throw .refused(.unwritable, directory, cannot: "be written to", to: .make, errno: errno)
        }
        let made = OpenedDirectory.text(template)
        let descriptor = openFile(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            rmdir(made)
            return nil
        }
        var status = stat()
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0, status.st_nlink > 0 else {
            rmdir(made)
            close(descriptor)
            return nil
        }
        return (made, descriptor)
    }

    private static func removeDead(in directory: String) {
        guard let names = try? OpenedDirectory(path: directory).names else { return }
        for name in names.map(OpenedDirectory.text) where isName(name) {
            let path = Path.join(directory, name)
            let descriptor = openFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { continue }
            // If a copy cannot be put in place now, keep it for the next process.
            if finishRaising(Path.join(path, raisedName), in: directory) { try? remove(path) }
        }
    }

    /// Replaces directories that a killed process was removing with their complete copies.
    ///
    /// Returns whether no copy is left.
    private static func finishRaising(_ raised: String, in directory: String) -> Bool {
        guard let names = try? OpenedDirectory(path: raised).names.map(OpenedDirectory.text) else { return true }
        var isDone = true
        for name in names {
            let (copy, target) = (Path.join(raised, name), Path.join(directory, name))
            // The directory is a bundle, or the folder with bundles of earlier versions.
            if name.hasPrefix(".") {
                if !finishRaising(copy, in: target) { isDone = false }
                continue
            }
            try? remove(target)
            if packing_rename_to_free(copy, target) != 0 { isDone = false }
        }
        return isDone
    }

    /// Removes a directory with its content.
    ///
    /// Links are removed and not followed.
    static func remove(_ path: String) throws(PackingError) {
        do throws(OpenedDirectory.Failure) {
            try OpenedDirectory(path: Path.parent(path)).remove(OpenedDirectory.name(Path.lastComponent(path)))
        } catch {
            throw .refused(.unwritable, error.path, cannot: "be removed", to: error.operation, errno: error.errno)
        }
    }

    /// Moves something from this directory to its destination in one step.
    ///
    /// The previous content is removed with this directory.
    func publish(_ name: String, at target: String) throws(PackingError) {
        if try !publishIfFree(name, at: target) { try exchange(Path.join(path, name), target) }
    }

    /// Moves something from this directory to its destination if nothing is there.
    ///
    /// Returns whether it did.
    func publishIfFree(_ name: String, at target: String) throws(PackingError) -> Bool {
        switch packing_rename_to_free(Path.join(path, name), target) {
        case 0: return true
        case EEXIST: return false
        case let number: throw .refused(.unwritable, target, cannot: "be put in place", to: .rename, errno: number)
        }
    }

    /// Exchanges two directories in one step.
    ///
    /// Both must be in this directory or in the one above.
    func exchange(_ one: String, _ other: String) throws(PackingError) {
        var number = packing_exchange(one, other)
        if number == EXDEV {
            for path in [one, other] where Path.part(of: path, in: self.path) == nil { try raise(path) }
            number = packing_exchange(one, other)
        }
        guard number != 0 else { return }
        guard number == EINVAL || number == ENOSYS else {
            throw .refused(.unwritable, other, cannot: "be replaced", to: .rename, errno: number)
        }
        throw PackingError(
            .unwritable, path: other,
            message: "\(quoted(other)) cannot be replaced: its file system does not exchange directories in one step.",
            remedy: "Remove it first; then the new one is put in a free place, which every file system does at once.")
    }

    /// Renames something in the directory above to a free name.
    ///
    /// Returns the error number; 0 if it was done.
    func move(_ path: String, to free: String) throws(PackingError) -> CInt {
        let number = packing_rename_to_free(path, free)
        guard number == EXDEV else { return number }
        try raise(path)
        return packing_rename_to_free(path, free)
    }

    // MARK: Overlays

    /// Replaces a directory with a copy that an overlay can rename.
    ///
    /// - Parameter target: a directory one or two levels below the directory above this one.
    /// - Throws: ``PackingError``; then the directory is complete, or the next process completes it.
    private func raise(_ target: String) throws(PackingError) {
        let above = Path.parent(path)
        var found = stat(), around = stat()
        guard lstat(target, &found) == 0, stat(Path.parent(target), &around) == 0 else {
            throw .refused(.unwritable, target, cannot: "be examined", to: .read, errno: errno)
        }
        guard found.st_mode & S_IFMT == S_IFDIR, found.st_dev == around.st_dev else {
            throw .refused(.unwritable, target, cannot: "be put in place", to: .rename, errno: EXDEV)
        }
        var tree = FileTree(root: target)
        _ = try tree.add(contentsOf: target)
        let copy = Path.join(path, "copy")
        guard mkdir(copy, 0o700) == 0 else {
            throw .refused(.unwritable, copy, cannot: "be made", to: .make, errno: errno)
        }
        try tree.write(to: copy)
        try tree.setTimes(in: copy)
        let part = Path.part(of: target, in: above).map(String.init) ?? Path.lastComponent(target)
        let raised = Path.join(Path.join(path, Self.raisedName), part)
        try FileTree.makeDirectory(Path.parent(raised))
        try flush()
        // The copy is complete now, so it can replace what is left of the directory.
        let number = packing_rename_to_free(copy, raised)
        guard number == 0 else { throw .refused(.unwritable, raised, cannot: "be made", to: .rename, errno: number) }
        try Self.remove(target)
        let last = packing_rename_to_free(raised, target)
        guard last == 0 else {
            throw .refused(.unwritable, target, cannot: "be put in place", to: .rename, errno: last)
        }
    }

    /// Writes the new files to the disk.
    private func flush() throws(PackingError) {
        let number = packing_flush(lock)
        guard number == 0 else { throw .refused(.unwritable, path, cannot: "be written", errno: number) }
    }
}

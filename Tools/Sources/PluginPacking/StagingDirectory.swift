internal import CPackingSupport
import Glibc
@_spi(Tools) internal import PluginHost

/// A directory beside the place of a result.
///
/// The result is made in it and then renamed.
///
/// Its name begins with a dot, so that no search for bundles looks into it. It is removed together with the value. If a
/// process is killed and leaves one behind, the next process that makes one in the same place removes it. The kernel
/// holds a lock on each directory that is in use, and releases the lock when the process ends.
struct StagingDirectory: ~Copyable {
    let path: String
    private let lock: CInt

    static let prefix = ".pluginhost-"

    /// `directory`: the directory that gets the result; it exists.
    init(in directory: String) throws(PackingError) {
        Self.removeDead(in: directory)
        // Before the new directory is locked, another process may remove it as an abandoned one. Then another one is
        // made.
        for _ in 0..<100 {
            guard let (made, descriptor) = try Self.make(in: directory) else { continue }
            path = made
            lock = descriptor
            return
        }
        throw .refused(.unwritable, directory, cannot: "be written to", errno: EAGAIN)
    }

    deinit {
        try? Self.remove(path)
        close(lock)
    }

    private static func make(in directory: String) throws(PackingError) -> (path: String, lock: CInt)? {
        var template = OpenedDirectory.name(Path.join(directory, prefix) + "XXXXXX")
        guard mkdtemp(&template) != nil else {
            throw .refused(.unwritable, directory, cannot: "be written to", errno: errno)
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
        for name in names.map(OpenedDirectory.text) where name.hasPrefix(prefix) {
            let path = Path.join(directory, name)
            let descriptor = openFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { try? remove(path) }
        }
    }

    /// Removes a directory with its content.
    ///
    /// Links are removed and not followed.
    static func remove(_ path: String) throws(PackingError) {
        do throws(OpenedDirectory.Failure) {
            try OpenedDirectory(path: Path.parent(path)).remove(OpenedDirectory.name(Path.lastComponent(path)))
        } catch {
            throw .refused(.unwritable, error.path, cannot: "be removed", errno: error.errno)
        }
    }

    /// Puts something from this directory in its place in one step.
    ///
    /// What was there before is removed with this directory.
    func publish(_ name: String, at target: String) throws(PackingError) {
        if try !publishIfFree(name, at: target) { try Self.exchange(Path.join(path, name), target) }
    }

    /// Puts something from this directory in its place if nothing is there.
    ///
    /// Returns whether it did.
    func publishIfFree(_ name: String, at target: String) throws(PackingError) -> Bool {
        switch packing_rename_to_free(Path.join(path, name), target) {
        case 0: return true
        case EEXIST: return false
        case let number: throw .refused(.unwritable, target, cannot: "be put in place", errno: number)
        }
    }

    /// Exchanges two directories in one step.
    static func exchange(_ one: String, _ other: String) throws(PackingError) {
        let number = packing_exchange(one, other)
        guard number != 0 else { return }
        guard number == EINVAL || number == ENOSYS else {
            throw .refused(.unwritable, other, cannot: "be replaced", errno: number)
        }
        throw PackingError(
            .unwritable, path: other,
            message: "\(quoted(other)) cannot be replaced: its file system does not exchange directories in one step.",
            remedy: "Remove it first; then the new one is put in a free place, which every file system does at once.")
    }
}

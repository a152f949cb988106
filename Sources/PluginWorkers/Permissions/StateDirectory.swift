internal import CPluginSupport.Shims
import Glibc
package import HostBasics

/// The directory in which a plug-in keeps data that should outlive a restart: `$STATE` in `PHPermissions`.
///
/// It is the same in the application's process and in a worker: `APPLICATION/plugins/IDENTIFIER` in the user's state
/// directory.
package struct StateDirectory: Sendable, Hashable {
    package let path: String

    /// Why it cannot be used.
    package struct Failure: Error {
        package let errno: CInt
    }

    /// The directory of a plug-in; nil if one of the names is not valid for a directory, or the user has no home
    /// directory.
    ///
    /// - Parameters:
    ///   - identifier: of the plug-in.
    ///   - application: the application's name.
    ///   - user: the places of the user.
    package init?(of identifier: String, in application: String, user: UserDirectories = .process) {
        // Check the identifier, too: it comes from Info.plist.
        guard let all = user.state, UserDirectories.isName(application), UserDirectories.isName(identifier) else {
            return nil
        }
        path = Path.join(all, "\(application)/plugins/\(identifier)")
    }

    /// Gives the directory of another plug-in this place, if there is nothing here yet.
    ///
    /// One system call, so it happens completely or not at all. If this directory has any content, both stay.
    ///
    /// - Returns: the error of the system; 0 also if there was nothing to do.
    package func take(over other: StateDirectory) -> CInt {
        // The system replaces an empty directory, and no other.
        if rename(other.path, path) == 0 { return 0 }
        return [ENOENT, EEXIST, ENOTEMPTY].contains(errno) ? 0 : errno
    }

    /// Creates the directory, and those above it, if they do not exist.
    ///
    /// Only its owner may enter it. A link in its place is refused.
    ///
    /// - Parameter owner: who must own it, if that is not the user of this process.
    /// - Throws: ``Failure`` with the error of the system.
    package func make(for owner: (user: UInt32, group: UInt32)? = nil) throws(Failure) {
        if let unmade = OwnFile.makeDirectory(Path.parent(path)) { throw Failure(errno: unmade.errno) }
        _ = mkdir(path, 0o700)
        let directory = phs_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        guard directory >= 0 else { throw Failure(errno: errno) }
        defer { close(directory) }
        guard let owner else { return }
        var found = phs_file_identity()
        guard phs_fstat(directory, &found) == 0 else { throw Failure(errno: errno) }
        // The files in it keep their owner: an earlier user of the workers could have put a hard link there.
        guard found.owner == owner.user || fchown(directory, owner.user, owner.group) == 0 else {
            throw Failure(errno: errno)
        }
    }
}

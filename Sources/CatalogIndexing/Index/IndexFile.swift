import CPluginSupport.Shims
import Glibc
package import HostBasics

/// The file that keeps a catalogue's index between processes: one for each user, application and list of search paths.
///
/// It contains only data that the bundles contain too. If it has any fault, the catalogue scans again without it, and
/// one line in the log states why. Writers replace the whole file, so no lock can be left behind.
package struct IndexFile: Sendable {
    /// Absolute.
    package let path: String
    package var replacement = FileReplacement()

    /// Larger files are not an index.
    private static let maximumSize = 1 << 30

    /// Why there is no usable index, as the end of a sentence.
    package struct Failure: Error, Equatable {
        package let reason: String
        /// The remedy if the system refused, as full sentences; otherwise nil.
        package var remedy: String?
        /// Whether the file has no fault and another version of the library wrote it.
        package var isOfOtherFormat = false

        package init(reason: String, remedy: String? = nil, isOfOtherFormat: Bool = false) {
            self.reason = reason
            self.remedy = remedy
            self.isOfOtherFormat = isOfOtherFormat
        }
    }

    /// The index file of an application's catalogue; nil for a user without a home directory.
    ///
    /// `directory`: where index files are kept; nil for the user's directory, `$XDG_CACHE_HOME/pluginhost`, otherwise
    /// `~/.cache/pluginhost`. `application`: the application's name. `searchPaths`: the catalogue's search paths.
    package init?(directory: String?, application: String, searchPaths: [String], extensions: Set<String>) {
        guard let directory = directory ?? Self.userDirectory else { return nil }
        let inputs = ([application] + searchPaths + extensions.sorted()).joined(separator: "\0")
        path = Path.join(directory, "\(String(inputs.utf8.nameHash, radix: 16)).\(Self.pathExtension)")
    }

    package init(path: String) { self.path = path }

    package static let pathExtension = "index"

    package static var userDirectory: String? {
        if let cache = UserDirectories.process.absolute("XDG_CACHE_HOME") {
            return Path.join(cache, "pluginhost")
        }
        return UserDirectories.process.home.map { Path.join($0, ".cache/pluginhost") }
    }

    /// Reads the index.
    ///
    /// - Returns: nil if there is no file.
    /// - Throws: ``Failure`` if there is a file that cannot be used.
    package func read() throws(Failure) -> CatalogIndex? {
        // Without OpenedFile, which follows links: another user could create a link to one of this user's files.
        let descriptor = phs_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, 0)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: return nil
            case ELOOP: throw Failure(reason: "is a symbolic link, which is not allowed here")
            default: throw Failure(errno, to: .read, "cannot be opened")
            }
        }
        let file: OpenedFile
        do throws(OpenedFile.Failure) {
            file = try OpenedFile(adopting: descriptor)
        } catch {
            throw Failure(reason: error.reason, remedy: error.errno.map { ErrorNumber.remedy($0) })
        }
        guard file.identity.owner == geteuid() else {
            throw Failure(reason: "belongs to the user \(file.identity.owner), not to this one")
        }
        guard file.identity.mode & 0o022 == 0 else { throw Failure(reason: "can be changed by other users") }
        guard file.identity.size <= UInt64(Self.maximumSize) else {
            throw Failure(reason: "is \(file.identity.size) bytes long")
        }
        do {
            return try CatalogIndex(bytes: try file.bytes(atMost: Self.maximumSize))
        } catch let fault as CatalogIndex.Fault where fault.isOfOtherFormat {
            throw Failure(reason: "is of another version: \(fault.reason)", isOfOtherFormat: true)
        } catch let fault as CatalogIndex.Fault {
            throw Failure(reason: "is damaged: \(fault.reason)")
        } catch let failure as OpenedFile.Failure {
            throw Failure(reason: "cannot be read", remedy: failure.errno.map { ErrorNumber.remedy($0) })
        } catch {
            throw Failure(reason: "cannot be read")
        }
    }

    /// Writes the index, for the next start.
    ///
    /// - Throws: ``Failure`` if it cannot be saved; the old file then stays unchanged.
    package func write(_ index: CatalogIndex) throws(Failure) {
        let directory = Path.parent(path)
        try Self.makeDirectory(directory)
        guard let identity = FileIdentity(path: directory) else { throw Failure(errno, to: .make, "cannot be written") }
        guard identity.owner == geteuid() else {
            throw Failure(reason: "is not written, because its directory belongs to the user \(identity.owner)")
        }
        do throws(FileReplacement.Failure) {
            try replacement.replace(path, with: index.bytes)
        } catch {
            throw Failure(error.errno, to: error.operation, "cannot be written", "\(error.call): ")
        }
        FileReplacement.removeLeftovers(of: path)
    }

    /// Creates the directory and its parent, readable only by the user.
    ///
    /// The parent may also be missing, as `~/.cache` may. A home directory that does not exist is not created.
    private static func makeDirectory(_ path: String) throws(Failure) {
        if mkdir(path, 0o700) == 0 { return }
        var number = errno
        let above = Path.parent(path)
        if number == ENOENT {
            guard mkdir(above, 0o700) == 0 || errno == EEXIST else {
                throw Failure(errno, to: .make, "cannot be written", "\(quoted(above)) cannot be made: ")
            }
            // Another process may have been faster.
            if mkdir(path, 0o700) == 0 { return }
            number = errno
        }
        // For a directory that exists, mkdir() may also fail with EROFS or EACCES.
        if number == EEXIST || FileIdentity(path: path)?.isDirectory ?? false { return }
        throw Failure(number, to: .make, "cannot be written", "\(quoted(path)) cannot be made: ")
    }
}

extension IndexFile.Failure {
    /// The remedy as the end of a message.
    package var advice: String { remedy.map { " " + $0 } ?? "" }

    /// A refusal by the system.
    ///
    /// `what`: the beginning of the reason. `detail`: the words before the system's message.
    fileprivate init(_ errno: CInt, to operation: ErrorNumber.Operation, _ what: String, _ detail: String = "") {
        self.init(
            reason: "\(what) (\(detail)\(describe(errno: errno)))", remedy: ErrorNumber.remedy(errno, to: operation))
    }
}

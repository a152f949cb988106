import Foundation
import Glibc

/// The file for the report.
///
/// Its path is checked before the work begins; the file is written at the end.
struct ReportFile {
    private let url: URL

    /// The absolute path.
    var path: String { url.path(percentEncoded: false) }

    init(path: String, documents: [String]) throws(UsageError) {
        url = URL(filePath: path).standardizedFileURL
        let directory = url.deletingLastPathComponent().path(percentEncoded: false)
        guard try Self.look(at: directory) == .directory else {
            throw UsageError(message: localized("There is no directory {0} to write the report to.", directory))
        }
        if access(directory, W_OK) != 0 {
            let failure = SystemFailure(errno)
            throw UsageError(
                message: failure.number == EACCES
                    ? localized("The directory {0} may not be written to.", directory)
                    : failure.sentence(about: directory))
        }
        if try Self.look(at: url.path(percentEncoded: false)) == .directory {
            throw UsageError(message: localized("{0} is a directory; name a file for the report.", path))
        }
        let target = url.resolvingSymlinksInPath()
        if documents.contains(where: { URL(filePath: $0).resolvingSymlinksInPath() == target }) {
            throw UsageError(message: localized("The report would overwrite the document {0}.", path))
        }
    }

    private static func look(at path: String) throws(UsageError) -> FileLook {
        do throws(SystemFailure) {
            return try FileLook(path: path)
        } catch {
            throw UsageError(message: error.sentence(about: path))
        }
    }

    /// Writes the complete file or nothing.
    ///
    /// It writes a file beside the destination and renames it. It uses the system's own calls, because Foundation's
    /// atomic writing reports that the file does not exist if it may not be written.
    func write(_ text: String) throws(SystemFailure) {
        // A link to the report stays a link.
        let target = url.resolvingSymlinksInPath()
        let path = target.path(percentEncoded: false)
        let draft = target.deletingLastPathComponent().appending(path: ".demo-host-\(getpid()).new")
            .path(percentEncoded: false)
        let descriptor = try SystemFailure.checked {
            open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o666)
        }
        do throws(SystemFailure) {
            try Self.fill(descriptor, text.utf8)
            _ = try SystemFailure.checked { rename(draft, path) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// Consumes the descriptor.
    private static func fill(_ descriptor: CInt, _ bytes: some Sequence<UInt8>) throws(SystemFailure) {
        do throws(SystemFailure) {
            try SystemFailure.write(bytes, to: descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        // Some file systems report here that a write failed. An interrupted close() has closed the file.
        if close(descriptor) != 0, errno != EINTR { throw SystemFailure(errno) }
    }
}

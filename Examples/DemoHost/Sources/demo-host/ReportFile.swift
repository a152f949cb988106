import Foundation
import Glibc

/// Where the report goes. Checked before the work begins, written when it is done.
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

    /// Writes the whole file or nothing of it: beside its place, then renamed.
    func write(_ text: String) throws {
        try Data(text.utf8).write(to: url, options: .atomic)
    }
}

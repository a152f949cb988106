import Foundation

/// Where the report goes. Checked before the work begins, written when it is done.
struct ReportFile {
    private let url: URL

    /// The absolute path.
    var path: String { url.path(percentEncoded: false) }

    init(path: String, documents: [String]) throws(UsageError) {
        url = URL(filePath: path).standardizedFileURL
        let directory = url.deletingLastPathComponent().path(percentEncoded: false)
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw UsageError(message: localized("There is no directory {0} to write the report to.", directory))
        }
        guard FileManager.default.isWritableFile(atPath: directory) else {
            throw UsageError(message: localized("The directory {0} may not be written to.", directory))
        }
        if FileManager.default.fileExists(atPath: url.path(percentEncoded: false), isDirectory: &isDirectory),
            isDirectory.boolValue
        {
            throw UsageError(message: localized("{0} is a directory; name a file for the report.", path))
        }
        let target = url.resolvingSymlinksInPath()
        if documents.contains(where: { URL(filePath: $0).resolvingSymlinksInPath() == target }) {
            throw UsageError(message: localized("The report would overwrite the document {0}.", path))
        }
    }

    /// Writes the whole file or nothing of it: beside its place, then renamed.
    func write(_ text: String) throws {
        try Data(text.utf8).write(to: url, options: .atomic)
    }
}

import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
internal import PropertyLists

/// A strings table in a file whose entries can be changed.
public struct TableFile: Sendable {
    /// The absolute path.
    public let path: String
    /// The content, which may be changed.
    public var table: TableText
    /// The encoding of the file, or of a new one.
    public let encoding: TableEncoding
    /// The content of the file; nil if there is none.
    private let original: TableText?

    /// Reads a table.
    ///
    /// - Parameters:
    ///   - path: the file. If there is none, the table is empty.
    ///   - encoding: the encoding of a new file.
    /// - Throws: a finding if the file cannot be read completely, because then it must not be overwritten.
    public init(path: String, encodingOfNew encoding: TableEncoding = .utf8) throws(LintFinding) {
        if let bytes = try InputFile.bytesIfPresent(path) {
            try self.init(path: path, bytes: bytes)
        } else {
            self.init(path: path, table: TableText(), encoding: encoding, original: nil)
        }
    }

    private init(path: String, table: TableText, encoding: TableEncoding, original: TableText?) {
        self.path = path
        self.table = table
        self.encoding = encoding
        self.original = original
    }

    init(path: String, bytes: [UInt8]) throws(LintFinding) {
        guard !bytes.starts(with: "bplist".utf8), !InputFile.isXML(bytes) else {
            throw LintFinding(
                .error, .notText, filePath: path,
                message: "The table \(quoted(path)) is a property list, which has no comments and no order.",
                remedy: "Convert it to a text first: pluginhost strings convert TABLE TABLE.")
        }
        guard let (text, encoding) = TableEncoding.text(of: bytes) else {
            throw LintFinding(
                .error, LintFinding.Code(.invalidEncoding), filePath: path,
                message: "The table \(quoted(path)) is neither in UTF-8 nor in UTF-16.",
                remedy: "Save it as UTF-8.")
        }
        do throws(PropertyListFault) {
            let table = try TableText(reading: text)
            self.init(path: path, table: table, encoding: encoding, original: table)
        } catch {
            throw InputFile.finding(error, in: path, bytes)
        }
    }

    /// Whether the table differs from the file.
    ///
    /// An empty table needs no new file.
    public var isChanged: Bool { original == nil ? !table.entries.isEmpty : table != original }

    /// The bytes of the file.
    public var bytes: [UInt8] { encoding.bytes(of: table.text) }

    /// Replaces the file atomically, if the table was changed.
    ///
    /// A reader sees either the old content or the new.
    public func write() throws(LintFinding) {
        if isChanged { try OutputFile.write(bytes, to: path) }
    }
}

/// Reads files that the user named.
enum InputFile {
    /// The content of a file, which may be at most as large as a strings table.
    static func bytes(_ path: String) throws(LintFinding) -> [UInt8] {
        guard let bytes = try bytesIfPresent(path) else {
            throw LintFinding(
                .error, .unreadable, filePath: path, message: "The file \(quoted(path)) does not exist.",
                remedy: "Check the path.")
        }
        return bytes
    }

    /// The content of a file; nil if nothing is there.
    static func bytesIfPresent(_ path: String) throws(LintFinding) -> [UInt8]? {
        let limit = PropertyListLimits.stringsTable.size
        let bytes: [UInt8]
        do throws(OpenedFile.Failure) {
            bytes = try OpenedFile(path: path).bytes(atMost: limit)
        } catch {
            if error == .missing { return nil }
            throw LintFinding(
                .error, .unreadable, filePath: path, message: "The file \(quoted(path)) \(error.reason).",
                remedy: error.remedy(else: "Make it a regular file that may be read."))
        }
        guard bytes.count <= limit else {
            throw LintFinding(
                .error, LintFinding.Code(.tooLarge), filePath: path,
                message: "The file \(quoted(path)) has more than \(limit) bytes, which is the limit.")
        }
        return bytes
    }

    /// Whether bytes begin like an XML property list.
    static func isXML(_ bytes: [UInt8]) -> Bool {
        guard let text = TableEncoding.text(of: Array(bytes.prefix(512)))?.text ?? TableEncoding.text(of: bytes)?.text
        else { return false }
        let start = text.prefix(512).trimmed
        return ["<?xml", "<!DOCTYPE", "<!--", "<plist", "<dict"].contains { start.hasPrefix($0) }
    }

    /// A fault of a reader as a finding, with its line.
    static func finding(_ fault: PropertyListFault, in path: String, _ bytes: [UInt8]) -> LintFinding {
        let inspected = bytes.withUnsafeBytes {
            ListInspector.inspect($0, as: .stringsTable, limits: .stringsTable)
        }
        let excerpt = inspected.faults.first { $0.fault.position == fault.position }?.excerpt
        return LintFinding(
            .error, LintFinding.Code(fault.code), filePath: path, place: LintFinding.Place(fault.position, excerpt),
            message: fault.message, remedy: "Correct the file; nothing was written.")
    }
}

/// Writes files atomically.
package enum OutputFile {
    /// Replaces a file, or makes a new one and the directory above it.
    ///
    /// An existing file keeps its permissions, and a link stays a link.
    package static func write(_ bytes: [UInt8], to path: String) throws(LintFinding) {
        let target = Path.resolved(path) ?? path
        let directory = Path.parent(target)
        if FileIdentity(path: directory) == nil, mkdir(directory, 0o777) != 0, errno != EEXIST {
            throw refused(directory, "made", errno, to: .make)
        }
        var status = stat()
        let mode = stat(target, &status) == 0 ? status.st_mode & 0o7777 : nil
        var replacement = FileReplacement()
        replacement.create = { path in
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
            if descriptor >= 0, let mode, fchmod(descriptor, mode) != 0 {
                let reason = errno
                close(descriptor)
                unlink(path)
                errno = reason
                return -1
            }
            return descriptor
        }
        do throws(FileReplacement.Failure) {
            try replacement.replace(target, with: bytes)
        } catch {
            throw refused(path, "written", error.errno, to: error.operation)
        }
    }

    private static func refused(
        _ path: String, _ verb: String, _ errno: CInt, to operation: ErrorNumber.Operation
    ) -> LintFinding {
        LintFinding(
            .error, .unwritable, filePath: path,
            message: "\(quoted(path)) cannot be \(verb) (\(describe(errno: errno))).",
            remedy: ErrorNumber.remedy(errno, to: operation))
    }
}

extension LintFinding.Code {
    /// A table in a form without comments and order, although a text is needed.
    public static let notText = Self(rawValue: "notText")
    /// A file cannot be written.
    public static let unwritable = Self(rawValue: "unwritable")
}

internal import HostBasics
@_spi(Tools) internal import PluginHost

/// The reason why something could not be packed, installed or made.
///
/// When it is thrown, nothing was changed.
///
/// **Threads.** A value that may be used on any thread.
public struct PackingError: Error, Sendable, Hashable {
    /// The kind of an error.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A source is missing or cannot be read.
        case unreadable
        /// The destination of the result cannot be written.
        case unwritable
        /// Info.plist cannot be completed.
        case manifestInvalid
        /// The bundle's code is missing.
        case executableMissing
        /// A file that a bundle may not contain: a link that leads out of it, a device, or a name that is not valid.
        case unsafeFile
        /// There are more files, levels or bytes than a bundle may have.
        case tooLarge
        /// A file that is not an archive of a bundle, or a damaged archive.
        case archiveInvalid
        /// Another program that is needed is missing, or it failed.
        case toolFailed
        /// The code does not compile or link.
        case buildFailed
        /// A name that is not valid or already in use.
        case nameInvalid
        /// The plug-in to change is not installed, or was not installed by these tools.
        case notInstalled
    }

    /// The kind of the error.
    public var code: Code
    /// The file or directory that the error is about.
    public var path: String
    /// What went wrong, as a full sentence; names in it are escaped.
    public var message: String
    /// What to do, as a full sentence.
    public var remedy: String

    /// Creates an error.
    public init(_ code: Code, path: String, message: String, remedy: String) {
        self.code = code
        self.path = path
        self.message = message
        self.remedy = remedy
    }

    /// The error for a finding of the library, with the system's message.
    init(_ code: Code, path: String, _ finding: PluginFinding) {
        let cause = finding.systemMessage.map { " (\($0))" } ?? ""
        let text = finding.message
        let message = text.hasSuffix(".") ? text.dropLast() + "\(cause)." : text + cause
        self.init(code, path: path, message: message, remedy: finding.remedy)
    }

    /// The error for an operation on a path that the system refused.
    ///
    /// `verb`: what could not be done, such as “be read”. `operation`: its kind, which determines the remedy; nil
    /// derives the kind from the code.
    static func refused(
        _ code: Code, _ path: String, cannot verb: String, to operation: ErrorNumber.Operation? = nil, errno: CInt
    ) -> PackingError {
        let usual: ErrorNumber.Operation = code == .unwritable ? .write : .read
        return PackingError(
            code, path: path, message: "\(quoted(path)) cannot \(verb) (\(describe(errno: errno))).",
            remedy: ErrorNumber.remedy(errno, to: operation ?? usual))
    }
}

extension FileIdentity {
    /// The file at a path, following links; nil if there is none.
    ///
    /// - Throws: ``PackingError`` if the system does not allow examining it. A file that may exist must not be ignored.
    static func file(at path: String) throws(PackingError) -> FileIdentity? {
        do throws(OpenedDirectory.Failure) { return try found(at: path) } catch {
            throw .refused(.unreadable, path, cannot: "be examined", errno: error.errno)
        }
    }
}

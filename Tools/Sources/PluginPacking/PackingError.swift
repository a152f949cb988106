@_spi(Tools) internal import PluginHost

/// Why something could not be packed, installed or made. Nothing was changed.
///
/// **Threads.** A value; may be shared freely.
public struct PackingError: Error, Sendable, Hashable {
    /// The kind of an error.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A source is missing or cannot be read.
        case unreadable
        /// The place for the result cannot be written to.
        case unwritable
        /// Info.plist cannot be completed.
        case manifestInvalid
        /// The code that the bundle needs is missing.
        case executableMissing
        /// A file that a bundle may not hold: a link that leads out of it, a device, a name that is not one file's.
        case unsafeFile
        /// More files, levels or bytes than a bundle may have.
        case tooLarge
        /// A file that is no archive of a bundle, or a damaged one.
        case archiveInvalid
        /// Another program that is needed is missing or failed.
        case toolFailed
        /// A name that cannot be used, or that is taken.
        case nameInvalid
        /// What is to be changed is not installed, or not by the user's own tools.
        case notInstalled
    }

    /// The kind of the error.
    public var code: Code
    /// The file or directory concerned.
    public var path: String
    /// What went wrong, as a full sentence; names in it are escaped.
    public var message: String
    /// What to do, as a full sentence.
    public var remedy: String

    /// An error with all its parts.
    public init(_ code: Code, path: String, message: String, remedy: String) {
        self.code = code
        self.path = path
        self.message = message
        self.remedy = remedy
    }

    /// The system refused to do something with a path. `verb`: “be read”.
    static func refused(_ code: Code, _ path: String, cannot verb: String, errno: CInt) -> PackingError {
        PackingError(
            code, path: path, message: "\(quoted(path)) cannot \(verb) (\(describe(errno: errno))).",
            remedy: ErrorNumber.remedy(errno))
    }
}

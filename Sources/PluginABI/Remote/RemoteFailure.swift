/// Why a call to an object in another process failed.
///
/// It describes a failure of the call itself, or an error whose type cannot cross to the caller. If the plug-in throws
/// a ``PluginFailure``, the caller gets that error with all its fields. In the application, the host adds the bundle
/// and throws a `PluginError` with the same code.
public struct RemoteFailure: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure.
    ///
    /// More codes may be added in later versions.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as text.
        public let rawValue: String
        /// A code with the given text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code as text.
        public var description: String { rawValue }

        /// The other side threw an error other than ``PluginFailure``; the message contains its type and text.
        public static let callFailed = Self(rawValue: "callFailed")
        /// The call cannot be made now: a callback is used after its call ended, or calls are nested too deeply.
        public static let callRefused = Self(rawValue: "callRefused")
        /// A message is larger than the transport allows.
        public static let messageTooLarge = Self(rawValue: "messageTooLarge")
        /// A message does not have the form that the interface requires.
        public static let protocolViolation = Self(rawValue: "protocolViolation")
        /// The two sides were compiled for different requirements of an interface.
        public static let interfaceMismatch = Self(rawValue: "interfaceMismatch")
        /// The extension point has no remote interface.
        public static let notRemote = Self(rawValue: "notRemote")
    }

    /// The kind of the failure.
    public let code: Code
    /// What happened, as a sentence.
    public let message: String
    /// What to do about it, as a sentence; may be empty.
    public let remedy: String
    /// The number under which the other side keeps the original error while its call is in progress; 0 for none.
    let origin: UInt32

    /// - Parameters:
    ///   - code: the kind of the failure.
    ///   - message: what happened, as a sentence.
    ///   - remedy: what to do about it, as a sentence.
    public init(_ code: Code, _ message: String, remedy: String = "") {
        self.init(code, message, remedy: remedy, origin: 0)
    }

    init(_ code: Code, _ message: String, remedy: String = "", origin: UInt32) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.origin = origin
    }

    /// The message, followed by the remedy.
    public var description: String { remedy.isEmpty ? message : message + " " + remedy }

    /// The failure for a message that does not have the required form.
    ///
    /// Also for hand-written functions of ``RemoteValue``.
    ///
    /// - Parameter message: what is wrong with the message, as a sentence.
    /// - Returns: the failure, with code `protocolViolation`.
    public static func violation(_ message: String) -> Self { Self(.protocolViolation, message) }

    @usableFromInline static var truncated: Self {
        violation("A message ends before the value that it should contain.")
    }

    @usableFromInline static func tooDeep(_ limit: Int) -> Self {
        violation("A message has values inside of values to a depth of more than \(limit).")
    }
}

/// One thing that is wrong with a bundle: what, where, and what to do about it.
public struct PluginFinding: Error, Sendable, Hashable {
    /// Whether the bundle can be loaded in spite of it.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// The bundle cannot be loaded.
        case error
        /// The bundle loads; something is likely to fail elsewhere or later.
        case warning
    }

    public var severity: Severity
    public var code: PluginError.Code
    /// The file that is wrong, as an absolute path.
    public var filePath: String?
    /// The symbol, library, Info.plist key, class or extension point concerned.
    public var subject: String?
    /// What went wrong, as a full sentence; names in it are escaped.
    public var message: String
    /// What to do, as a full sentence; may be empty where nothing can be done.
    public var remedy: String
    /// What the system, the dynamic linker or the plug-in said, word for word.
    public var systemMessage: String?
    /// The error number with which the system refused to answer, or nil. Then the finding holds for this moment only: it is
    /// not remembered, and the question is asked again the next time.
    var refusal: CInt?
    var isProvisional: Bool { refusal != nil }

    public init(
        _ severity: Severity, _ code: PluginError.Code, filePath: String? = nil, subject: String? = nil,
        message: String, remedy: String = "", systemMessage: String? = nil
    ) {
        self.severity = severity
        self.code = code
        self.filePath = filePath
        self.subject = subject
        self.message = message
        self.remedy = remedy
        self.systemMessage = systemMessage
    }

    /// A finding of severity `error`.
    public init(
        _ code: PluginError.Code, filePath: String? = nil, subject: String? = nil, message: String, remedy: String = "",
        systemMessage: String? = nil
    ) {
        self.init(
            .error, code, filePath: filePath, subject: subject, message: message, remedy: remedy,
            systemMessage: systemMessage)
    }

    /// The finding about something that the system refused.
    ///
    /// - Parameter errno: why; nil if it was not the system that refused.
    func refused(by errno: CInt?) -> Self {
        guard let errno else { return self }
        var finding = self
        finding.systemMessage = describe(errno: errno)
        finding.remedy = ErrorNumber.remedy(errno)
        finding.refusal = errno
        return finding
    }
}

extension PluginFinding {
    /// The last of many findings about one file: how many others there are.
    static func further(
        _ count: Int, _ severity: Severity, _ code: PluginError.Code, in path: String?, remedy: String
    ) -> PluginFinding {
        PluginFinding(
            severity, code, filePath: path,
            message: count == 1
                ? "One more problem of this kind was found, which is not listed."
                : "\(count) more problems of this kind were found, which are not listed.",
            remedy: remedy)
    }
}

/// A name or path as it stands in a message: in quotation marks, with control characters escaped, so that a hostile
/// file name can neither move the cursor of a terminal nor forge a second line of a log. What is longer than any path
/// is cut: a key of a property list may have megabytes.
func quoted(_ name: some StringProtocol) -> String {
    if name.utf8.count > longestQuoted {
        return quoted(String(decoding: name.utf8.prefix(longestQuoted - 8), as: UTF8.self) + "…")
    }
    guard name.unicodeScalars.contains(where: \.needsEscape) else { return "“\(name)”" }
    var text = "“"
    for scalar in name.unicodeScalars {
        if scalar.needsEscape {
            text += scalar.escaped(asASCII: true)
        } else {
            text.unicodeScalars.append(scalar)
        }
    }
    return text + "”"
}

/// In bytes; with the sign for what was cut, still below this.
private let longestQuoted = 4_096

extension String {
    /// With a full stop, unless it ends like a sentence already.
    var asSentence: String {
        guard let last, !".!?…".contains(last) else { return self }
        return self + "."
    }
}

extension Unicode.Scalar {
    /// Controls, line separators and the marks that change the direction of text.
    fileprivate var needsEscape: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

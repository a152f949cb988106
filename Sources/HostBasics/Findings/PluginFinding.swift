internal import PropertyLists

/// One thing that is wrong with a bundle: what, where, and what to do about it.
public struct PluginFinding: Error, Sendable, Hashable {
    /// Whether the bundle can still be loaded.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// The bundle cannot be loaded.
        case error
        /// The bundle loads; something is likely to fail elsewhere or later.
        case warning
    }

    /// A place in a text file.
    public struct Place: Sendable, Hashable, CustomStringConvertible {
        /// The line, from 1.
        public var line: Int
        /// The column, from 1, in Unicode scalars.
        public var column: Int
        /// A place with the given line and column.
        public init(line: Int, column: Int) { (self.line, self.column) = (line, column) }
        /// For example `14:17`.
        public var description: String { "\(line):\(column)" }
    }

    /// Whether the bundle can still be loaded.
    public var severity: Severity
    /// What kind of finding it is.
    public var code: PluginError.Code
    /// The file that is wrong, as an absolute path.
    public var filePath: String?
    /// Where in the file; nil for the file as a whole, and for files that are not text.
    public var place: Place?
    /// The symbol, library, Info.plist key, class or extension point concerned.
    public var subject: String?
    /// What went wrong, as a full sentence; names in it are escaped.
    public var message: String
    /// What to do, as a full sentence; may be empty if nothing can be done.
    public var remedy: String
    /// What the system, the dynamic linker or the plug-in said, word for word.
    public var systemMessage: String?
    /// How the worker process ended, if the finding concerns its end; otherwise nil.
    public var workerEnd: WorkerEnd?
    /// The error number if the system refused to answer, otherwise nil.
    ///
    /// A finding with a number applies only at this moment: it is not cached, and the next use asks the system again.
    package var refusal: CInt?
    package var isProvisional: Bool { refusal != nil }
    /// Whether another attempt may succeed soon, even if nobody changes anything.
    package var isPassing: Bool { refusal.map(ErrorNumber.isPassing) ?? false }

    /// A finding with the given parts.
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

    /// The same finding, marked as refused by the system.
    ///
    /// `errno`: the error number; nil if the system did not refuse.
    package func refused(by errno: CInt?) -> Self {
        guard let errno else { return self }
        var finding = self
        finding.systemMessage = describe(errno: errno)
        finding.remedy = ErrorNumber.remedy(errno)
        finding.refusal = errno
        return finding
    }
}

extension PluginFinding {
    /// The last finding of a long list about one file.
    ///
    /// It states how many more findings there are, at least two, that are not listed.
    package static func further(
        _ count: Int, _ severity: Severity, _ code: PluginError.Code, in path: String?, remedy: String
    ) -> PluginFinding {
        PluginFinding(
            severity, code, filePath: path,
            message: count == 1
                ? "1 more problem of this kind was found, which is not listed."
                : "\(count) more problems of this kind were found, which are not listed.",
            remedy: remedy)
    }
}

extension PluginFinding {
    /// The findings on some items of a file, or as many as one list may have and one more that states how many others there are.
    ///
    /// `finding`: the finding on an item; nil if it has none.
    @_spi(Tools) public static func listed<Item>(
        on items: some Sequence<Item>, in path: String, _ finding: (Item) -> PluginFinding?
    ) -> [PluginFinding] {
        var listed: [PluginFinding] = []
        var further = 0
        for item in items {
            guard let one = finding(item) else { continue }
            if listed.count <= ReadingBudget.mostFindings { listed.append(one) } else { further += 1 }
        }
        guard further > 0, let last = listed.popLast() else { return listed }
        return listed + [
            .further(further + 1, last.severity, last.code, in: path, remedy: "Correct those above first.")
        ]
    }
}

extension PluginFinding {
    /// The message, preceded by the file and the place if the finding has both.
    package var placedMessage: String {
        guard let place, let filePath else { return message }
        return "\(filePath.escapedForDisplay):\(place): \(message)"
    }
}

extension String {
    /// The text with a full stop, unless it already ends like a sentence.
    package var asSentence: String {
        guard let last, !".!?…".contains(last) else { return self }
        return self + "."
    }
}

package import HostBasics
import HostLogging
internal import PluginABI
package import PropertyLists

/// The content of a list that is kept in a file: a quarantine, consents, choices, or where plug-ins run.
package protocol KeptContent: Sendable, Equatable {
    /// A change of the content that can be repeated on the content that another process has written meanwhile.
    associatedtype Change: Sendable

    /// The content without a file.
    init()
    /// Reads a list; nil if a part of it does not have the form in which this version writes it.
    init?(_ list: PropertyList)
    /// The part of a list because of which ``init(_:)`` returns nil, as the end of a sentence about the file.
    ///
    /// - Returns: nil if no part can be named, so that ``ListWords/noList`` is said.
    static func fault(in list: PropertyList) -> String?
    /// The list to write, including the keys of later versions that were read.
    var list: PropertyList { get }
    mutating func apply(_ change: Change)

    /// The content to use if a file cannot be used and nothing else is known. What the list can forbid is forbidden for
    /// every plug-in, and what it can allow is allowed for none.
    static var safest: Self { get }
    /// Entries of the file that was read which cannot be written, and so are not in the list.
    var leftOut: [String] { get }
    /// The identifier that stands for every plug-in in such a list.
    static var everyPlugin: String { get }
}

extension KeptContent {
    package static func fault(in list: PropertyList) -> String? { nil }
    package static var everyPlugin: String { "*" }
    package var leftOut: [String] { [] }
}

/// The parts of messages about a list.
package struct ListWords: Sendable {
    let code: PluginError.Code
    /// The beginning of a sentence, which continues with the path.
    let subject: String
    /// The end of a sentence about a file that is a property list, but not such a list.
    let noList: String
    /// The consequence of the safest content, as a sentence.
    let safest: String
    /// What to do about a damaged file, as a sentence.
    let remedy: String
    /// The beginning of a sentence about a change of the list.
    let change: String
    /// The severity of the finding if the safest content is used.
    let severity: PluginFinding.Severity

    package init(
        code: PluginError.Code, subject: String, noList: String, safest: String, remedy: String, change: String = "",
        severity: PluginFinding.Severity = .error
    ) {
        self.code = code
        self.subject = subject
        self.noList = noList
        self.safest = safest
        self.remedy = remedy
        self.change = change
        self.severity = severity
    }
}

/// A user's list about an application's plug-ins, in a file.
///
/// All such lists use this type.
///
/// - **Reading.** Every use reads the file, so that it sees what other processes wrote. A file that belongs to neither
///   the user nor root, or that every user may write to, is not trusted.
/// - **Changing.** While the directory is locked, the file is read, changed and replaced as a whole; its copy,
///   `….backup`, is written after it. A change that cannot be written applies in this process and is repeated at the
///   next use.
/// - **Damage.** If the file cannot be used, a safe content replaces it: its copy, else the content that this process
///   read before, else ``KeptContent/safest``. The next change keeps the damaged file as `….damaged`.
///
/// **Threads.** Any. While the lock is held, nothing is logged and no other code of the application runs.
package final class KeptList<Content: KeptContent>: Sendable {
    /// The file, whether it exists or not; nil if the user has no home directory.
    package let path: String?
    private let words: ListWords
    /// Whether an older content may replace a damaged file.
    ///
    /// False if the list allows something, because older content may allow what was withdrawn since.
    private let hasCopy: Bool
    /// Who may read the file.
    private let readers: OwnFile.Readers
    private let state = Lock(State())

    private struct State {
        /// The changes that could not be written, in order.
        var pending: [Content.Change] = []
        /// The content that was last read or written.
        var last: Content?
        /// Why the file could not be read at the last use.
        var unread: PluginFinding?
        /// Why the last change could not be written.
        var unwritten: PluginFinding?
        /// A damaged file that this process kept under another name.
        var kept: PluginFinding?

        var findings: [PluginFinding] { [kept, unread, unwritten].compactMap(\.self) }
    }

    /// How long a change waits for other processes.
    static var longestWait: Duration { .seconds(1) }

    package init(path: String?, _ words: ListWords, hasCopy: Bool = true, for readers: OwnFile.Readers = .owner) {
        self.readers = readers
        self.path = path
        self.words = words
        self.hasCopy = hasCopy
    }

    // MARK: Use

    /// The content, including changes that could not be written.
    package var content: Content {
        use { state in
            if !state.pending.isEmpty { store(&state, waitingAtMost: .zero) }
            return read(&state).content
        }
    }

    /// What was wrong with the file at the last use; empty if nothing was.
    package var findings: [PluginFinding] { state.withLock(\.findings) }

    /// Whether all changes of this process are in the file.
    package var isSaved: Bool { state.withLock(\.pending.isEmpty) }

    /// Makes a change.
    ///
    /// If it cannot be written, it applies in this process only.
    ///
    /// - Returns: the content after the change.
    @discardableResult
    package func change(_ change: Content.Change) -> Content {
        use { state in
            state.pending.append(change)
            return store(&state, waitingAtMost: Self.longestWait)
        }
    }

    /// Makes a change completely, or not at all.
    ///
    /// - Throws: the finding if the change cannot be written; then nothing has changed.
    package func write(_ change: Content.Change) throws(PluginFinding) {
        let failure: ListFile.Unwritable? = use { state in
            state.pending.append(change)
            do throws(ListFile.Unwritable) {
                state.last = try storeLocked(&state, waitingAtMost: .seconds(5))
                state.pending = []
                return nil
            } catch {
                state.pending.removeLast()
                return error
            }
        }
        guard let failure else { return }
        throw PluginFinding(
            words.code, filePath: path,
            message: "\(words.change) cannot be written\(path.map { " to \(quoted($0))" } ?? "") (\(failure.reason)).",
            remedy: failure.remedy)
    }

    /// Makes a change that may be dropped if it cannot be written.
    func tidy(_ change: Content.Change) {
        use { state in
            let old = (state.pending, state.unwritten)
            state.pending.append(change)
            store(&state, waitingAtMost: .zero)
            if !state.pending.isEmpty { (state.pending, state.unwritten) = old }
        }
    }

    /// Uses the state under the lock, and logs new findings after releasing it.
    @discardableResult
    private func use<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, new) = state.withLock { state in
            let known = state.findings
            let result = body(&state)
            return (result, state.findings.filter { !known.contains($0) })
        }
        for finding in new { HostLog.write(.warning, "\(finding.message) \(finding.remedy)") }
        return result
    }

    // MARK: The file

    private func read(_ state: inout State) -> (content: Content, refusal: OwnFile.Refusal?) {
        var content = Content()
        var refusal: OwnFile.Refusal?
        state.unread = nil
        if let path {
            do throws(OwnFile.Refusal) {
                content = try ListFile.read(path, words) ?? Content()
                state.last = content
            } catch {
                refusal = error
                content = substitute(for: path, error, &state)
            }
        }
        for change in state.pending { content.apply(change) }
        return (content, refusal)
    }

    /// The safe content that replaces a file that cannot be used.
    private func substitute(for path: String, _ refusal: OwnFile.Refusal, _ state: inout State) -> Content {
        let copy: Content? = hasCopy ? (try? ListFile.read(Self.copy(of: path), words)) ?? nil : nil
        let known = copy ?? (hasCopy ? state.last : nil)
        var finding = ListFile.unread(path, refusal, words)
        if known == nil {
            finding.message += " " + words.safest
        } else {
            finding.severity = .warning
            finding.message +=
                copy == nil
                ? " What this process knows of it holds, so no plug-in is released."
                : " Its copy \(quoted(Self.copy(of: path))) is used, so no plug-in is released."
        }
        if refusal.isDamage { finding.remedy += " The next change keeps it as \(quoted(path + ".damaged"))." }
        state.unread = finding
        return known ?? .safest
    }

    private static func copy(of path: String) -> String { path + ".backup" }

    /// Writes the pending changes to the file.
    ///
    /// If that fails, they stay pending.
    @discardableResult
    private func store(_ state: inout State, waitingAtMost time: Duration) -> Content {
        do throws(ListFile.Unwritable) {
            let content = try storeLocked(&state, waitingAtMost: time)
            state.pending = []
            state.unwritten = nil
            state.last = content
            return content
        } catch {
            state.unwritten = PluginFinding(
                .warning, words.code, filePath: path,
                message: """
                    \(words.change) \(path.map { "in \(quoted($0)) " } ?? "")was not written (\(error.reason)); it holds in this \
                    process and is written with the next change.
                    """,
                remedy: error.remedy)
            return read(&state).content
        }
    }

    private static func lock(
        _ directory: String, waitingAtMost time: Duration
    ) throws(ListFile.Unwritable) -> DirectoryLock {
        do throws(DirectoryLock.Failure) {
            return try DirectoryLock(directory, waitingAtMost: time)
        } catch {
            throw ListFile.Unwritable(reason: error.reason, remedy: error.remedy)
        }
    }

    private func storeLocked(_ state: inout State, waitingAtMost time: Duration) throws(ListFile.Unwritable) -> Content
    {
        guard let path else {
            throw ListFile.Unwritable(reason: "the user has no home directory", remedy: "Set HOME to a directory.")
        }
        let directory = Path.parent(path)
        if let unmade = OwnFile.makeDirectory(directory, for: readers) {
            throw ListFile.Unwritable(
                reason: "\(quoted(unmade.path)) cannot be made: \(describe(errno: unmade.errno))",
                remedy: ErrorNumber.remedy(unmade.errno, to: .make))
        }
        let lock = try Self.lock(directory, waitingAtMost: time)
        defer { extendLifetime(lock) }
        let (content, refusal) = read(&state)
        let bytes = try ListFile.bytes(content)
        if let refusal {
            // A file of somebody else, or one that may be readable later, is not overwritten.
            guard refusal.isDamage else {
                throw ListFile.Unwritable(reason: "the file there \(refusal.reason)", remedy: refusal.remedy)
            }
            let kept = try ListFile.keep(path)
            state.kept = PluginFinding(
                .warning, words.code, filePath: path,
                message: (state.unread?.message ?? "") + " It is kept as \(quoted(kept)), and was written anew.",
                remedy: words.remedy)
        } else if !content.leftOut.isEmpty {
            let kept = try ListFile.keep(path)
            state.kept = PluginFinding(
                .warning, words.code, filePath: path,
                message: """
                    \(words.subject) \(quoted(path)) were written without \(quotedList(content.leftOut, or: "something")), \
                    which no list in XML can hold. The file is kept as \(quoted(kept)).
                    """,
                remedy: "Nothing needs to be done, unless these entries are needed.")
        }
        try ListFile.write(bytes, to: path, for: readers)
        state.unread = nil
        // A missing copy loses nothing as long as the file is good.
        if hasCopy { try? ListFile.write(bytes, to: Self.copy(of: path)) }
        return content
    }
}

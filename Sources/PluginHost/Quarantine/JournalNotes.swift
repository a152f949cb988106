internal import CSandbox
import Glibc
import HostBasics

/// What a process noted beside its crash journal about the plug-ins that it loaded: where each is, which file its
/// executable was, and whether it can run in another process.
///
/// The journal itself has only identifiers, because a signal handler writes it.
struct JournalNotes {
    /// One plug-in.
    struct Plugin: Equatable {
        let bundlePath: String
        /// ``FileIdentity/noted`` of the executable when it was loaded.
        let executable: String
        var isRemote: Bool?
    }

    /// By identifier, as long as a journal can have.
    private(set) var plugins: [String: Plugin] = [:]

    private enum Kind {
        static let code = "code"
        static let remote = "remote"
    }

    /// The row about the code of a bundle.
    static func code(of bundle: PluginBundle) -> [UInt8] { row(Kind.code, bundle, executable(of: bundle)) }

    /// ``FileIdentity/noted`` of the executable of a bundle; empty if there is none.
    static func executable(of bundle: PluginBundle) -> String {
        // A private copy is gone at the next start, so the installed files are noted.
        let original = bundle.originalPath
        let executable = bundle.executablePath.flatMap { path -> FileIdentity? in
            guard original != bundle.bundlePath, Path.isInside(path, directory: bundle.bundlePath) else {
                return FileIdentity(path: path)
            }
            return FileIdentity(path: original + path.dropFirst(bundle.bundlePath.count))
        }
        return executable?.noted ?? ""
    }

    static func remote(_ isRemote: Bool, of bundle: PluginBundle) -> [UInt8] {
        row(Kind.remote, bundle, isRemote ? "1" : "0")
    }

    /// Four texts, each with a zero at its end, which none of them contains.
    private static func row(_ kind: String, _ bundle: PluginBundle, _ value: String) -> [UInt8] {
        [kind, bundle.displayIdentifier, bundle.originalPath, value].flatMap { text in
            text.utf8.filter { $0 != 0 } + [0]
        }
    }

    /// Reads the notes of a journal.
    ///
    /// The last row of a process that was killed while it wrote may be cut off; it is ignored.
    init(journalAt path: String) {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PHS_JOURNAL_NOTES)) { buffer, count in
            count = max(phs_journal_read_notes(path, buffer.baseAddress, buffer.count), 0)
        }
        var texts = bytes.split(separator: 0, omittingEmptySubsequences: false)
        // What follows the last zero.
        texts.removeLast()
        while texts.count >= 4 {
            let row = texts.prefix(4).map { String(decoding: $0, as: UTF8.self) }
            texts.removeFirst(4)
            let name = Self.shortened(row[1])
            switch row[0] {
            case Kind.code: plugins[name] = Plugin(bundlePath: row[2], executable: row[3])
            case Kind.remote: plugins[name]?.isRemote = row[3] == "1"
            default: break
            }
        }
    }

    /// An identifier as the journal has it: it cuts long ones.
    private static func shortened(_ identifier: String) -> String {
        String(decoding: identifier.utf8.prefix(Int(PHS_JOURNAL_NAME) - 1), as: UTF8.self)
    }

    /// What a death is evidence against: the plug-in with its code files as they are now.
    ///
    /// - Returns: nil if the plug-in was replaced since it was loaded, or is gone: the new one did nothing.
    func evidence(against identifier: String) -> Quarantine.Entry? {
        guard let plugin = plugins[identifier],
            var entry = Self.evidence(against: plugin.bundlePath, whoseExecutableWas: plugin.executable)
        else { return nil }
        entry.isRemote = plugin.isRemote
        return entry
    }

    /// What a death is evidence against, by the path of the bundle and what ``executable(of:)`` was.
    static func evidence(against path: String, whoseExecutableWas executable: String) -> Quarantine.Entry? {
        guard let bundle = try? PluginBundle.open(path: path), !CrashJournal.isApplicationItself(bundle),
            let path = bundle.executablePath, FileIdentity(path: path)?.noted == executable,
            let files = try? bundle.codeFiles()
        else { return nil }
        return Quarantine.Entry(bundle.displayIdentifier, bundlePath: bundle.bundlePath, files: files)
    }
}

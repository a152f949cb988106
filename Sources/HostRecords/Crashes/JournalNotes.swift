package import BundleReading
internal import CSandbox
import ELFImages
import Glibc
import HostBasics

/// What a process noted beside its crash journal about the plug-ins that it loaded: where each one is, which file its
/// executable was, and whether it can run in another process.
///
/// The journal contains only identifiers, because a signal handler writes it.
package struct JournalNotes {
    /// One plug-in.
    struct Plugin: Equatable {
        let bundlePath: String
        /// ``FileIdentity/noted`` of the executable when it was loaded.
        let executable: String
        var isRemote: Bool?
    }

    /// The plug-ins by identifier, shortened as in the journal.
    private(set) var plugins: [String: Plugin] = [:]

    private enum Kind {
        static let code = "code"
        static let remote = "remote"
    }

    /// The row about the code of a bundle.
    package static func code(of plugin: PluginInfo) -> [UInt8] { row(Kind.code, plugin, executable(of: plugin)) }

    /// ``FileIdentity/noted`` of the executable of a bundle; empty if there is none.
    static func executable(of plugin: PluginInfo) -> String {
        // A private copy no longer exists at the next start, so the installed files are noted.
        let original = plugin.originalPath
        let executable = plugin.executablePath.flatMap { path -> FileIdentity? in
            guard original != plugin.path, let part = Path.part(of: path, in: plugin.path) else {
                return FileIdentity(path: path)
            }
            return FileIdentity(path: Path.join(original, String(part)))
        }
        return executable?.noted ?? ""
    }

    package static func remote(_ isRemote: Bool, of plugin: PluginInfo) -> [UInt8] {
        row(Kind.remote, plugin, isRemote ? "1" : "0")
    }

    /// Four texts, each with a zero at its end.
    ///
    /// Zeros inside a text are removed.
    private static func row(_ kind: String, _ plugin: PluginInfo, _ value: String) -> [UInt8] {
        [kind, plugin.identifier, plugin.originalPath, value].flatMap { text in
            text.utf8.filter { $0 != 0 } + [0]
        }
    }

    /// Reads the notes of a journal.
    ///
    /// If a process was killed while it wrote, its last row may be cut off. Such a row is ignored.
    init(journalAt path: String) {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PHS_JOURNAL_NOTES)) { buffer, count in
            count = max(phs_journal_read_notes(path, buffer.baseAddress, buffer.count), 0)
        }
        var texts = bytes.split(separator: 0, omittingEmptySubsequences: false)
        // Drop what follows the last zero.
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

    /// An identifier as it is in the journal, which truncates long ones.
    private static func shortened(_ identifier: String) -> String {
        String(decoding: identifier.utf8.prefix(Int(PHS_JOURNAL_NAME) - 1), as: UTF8.self)
    }

    /// The plug-in that a death is evidence against, with its code files as they are now.
    ///
    /// - Returns: nil if the plug-in is gone, or was replaced since it was loaded: the new one did nothing.
    func evidence(against identifier: String) -> Quarantine.Entry? {
        guard let plugin = plugins[identifier],
            var entry = Self.evidence(against: plugin.bundlePath, whoseExecutableWas: plugin.executable)
        else { return nil }
        entry.isRemote = plugin.isRemote
        return entry
    }

    /// The plug-in that a death is evidence against, by the path of the bundle and the earlier ``executable(of:)``.
    static func evidence(against path: String, whoseExecutableWas executable: String) -> Quarantine.Entry? {
        do throws(PluginError) {
            let contents = try BundleContents.read(path)
            guard !isOfApplication(contents.path), let file = contents.executablePlaces.existingFile,
                FileIdentity(path: file)?.noted == executable, let opened = try contents.executablePlaces.open()
            else { return nil }
            let files = CodeFile.paths(of: opened.path, libraries: CarriedLibraries(of: contents))
                .compactMap(CodeFile.init(path:))
            let identifier = contents.manifest.identifier ?? Path.stem(contents.path)
            return Quarantine.Entry(identifier, bundlePath: contents.path, files: files)
        } catch {
            return nil
        }
    }

    /// Whether a directory is that of the application itself, whose code is never to blame.
    private static func isOfApplication(_ directory: String) -> Bool {
        let program = Path.mainProgram
        return Path.isInside(program, directory: directory)
            || Path.resolved(BundleLayout.mainDirectory(ofProgram: program)) == directory
    }
}

import HostBasics
internal import PropertyLists

/// The lists that the administrator of the machine wrote for an application, the most important first.
///
/// They are files with the same name in the application's directories in `$XDG_CONFIG_DIRS`, by default `/etc/xdg`. A
/// missing file is not an error. ``KeptContent/safest`` replaces a file that cannot be used, because it is unknown
/// which plug-ins the administrator meant. If the file is not damaged and this process read it before, the content that
/// it read then applies.
///
/// **Threads.** Any.
final class AdministratorLists<Content: KeptContent>: Sendable {
    private let paths: [String]
    private let words: ListWords
    /// The contents that were last read, by path.
    private let last = Lock<[String: Content]>([:])

    init(_ name: String, of application: String, _ words: ListWords) {
        self.words = words
        paths = UserDirectories.process.systemConfiguration.map { Path.join($0, "\(application)/\(name)") }
    }

    /// Reads the files.
    ///
    /// - Returns: the content of each file that exists, with its path, and the findings about the files.
    func read() -> (contents: [(path: String, content: Content)], findings: [PluginFinding]) {
        var contents: [(path: String, content: Content)] = [], findings: [PluginFinding] = []
        for path in paths {
            do throws(OwnFile.Refusal) {
                let content: Content? = try ListFile.read(path, words)
                last.withLock { $0[path] = content }
                if let content { contents.append((path, content)) }
            } catch {
                let known = error.isDamage ? nil : last.withLock { $0[path] }
                var finding = ListFile.unread(path, error, words)
                finding.message += " " + (known == nil ? words.safest : "What this process read there before holds.")
                findings.append(finding)
                contents.append((path, known ?? .safest))
            }
        }
        return (contents, findings)
    }
}

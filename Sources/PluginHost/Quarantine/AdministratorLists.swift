import HostBasics
internal import PropertyLists

/// The lists that the administrator of the machine wrote for an application, the most important first.
///
/// They are files of one name in the application's directory in `$XDG_CONFIG_DIRS`, by default `/etc/xdg`. A missing one is
/// no error. For one that cannot be used, ``KeptContent/safest`` holds: nobody knows which plug-ins the administrator meant.
/// If the system only refuses to open one that this process read before, what it read then holds.
///
/// **Threads.** Any.
final class AdministratorLists<Content: KeptContent>: Sendable {
    private let paths: [String]
    private let words: ListWords
    /// By path.
    private let last = Lock<[String: Content]>([:])

    init(_ name: String, of application: String, _ words: ListWords) {
        self.words = words
        paths = UserDirectories.process.systemConfiguration.map { Path.join($0, "\(application)/\(name)") }
    }

    /// Reads the files.
    func read() -> (contents: [Content], findings: [PluginFinding]) {
        var contents: [Content] = [], findings: [PluginFinding] = []
        for path in paths {
            do throws(OwnFile.Refusal) {
                let content: Content? = try ListFile.read(path, words)
                last.withLock { $0[path] = content }
                if let content { contents.append(content) }
            } catch {
                let known = error.isDamage ? nil : last.withLock { $0[path] }
                var finding = ListFile.unread(path, error, words)
                finding.message += " " + (known == nil ? words.safest : "What this process read there before holds.")
                findings.append(finding)
                contents.append(known ?? .safest)
            }
        }
        return (contents, findings)
    }
}

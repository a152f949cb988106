/// `PHExecution`: where a bundle asks its code to run.
enum ExecutionRequest: String, CaseIterable {
    /// Anywhere.
    case any
    /// In the application's process; it cannot run elsewhere.
    case inProcess = "in-process"
    /// In a process of its own.
    case isolated
    /// In a process of its own that may do only what it was granted.
    case sandboxed

    /// What keeps a bundle from running here, where all code runs in the application's process. Code never runs less
    /// safely than its bundle asks, so a request that this version does not know is refused as well.
    ///
    /// - Parameters:
    ///   - text: the value of the key; nil where the list does not have it.
    ///   - list: the path of the Info.plist.
    /// - Returns: a finding of severity error, or nil where the code may run here.
    static func finding(_ text: String?, list: String) -> PluginFinding? {
        guard let text else { return nil }
        let key = ManifestKey.execution.spelling
        switch ExecutionRequest(rawValue: text) {
        case .any, .inProcess: return nil
        case .isolated, .sandboxed:
            return PluginFinding(
                .hostIncompatible, filePath: list, subject: key,
                message: """
                    The key \(key) of \(quoted(list)) is \(quoted(text)): the bundle asks for a process of its own, and \
                    this version of PluginHost runs all code in the application's process.
                    """,
                remedy:
                    "Write \(quoted(any.rawValue)) if the code may run in the application's process, or remove the key."
            )
        case nil:
            let known = allCases.map { quoted($0.rawValue) }.joined(separator: ", ")
            return PluginFinding(
                .manifestInvalid, filePath: list, subject: key,
                message: "The key \(key) of \(quoted(list)) is \(quoted(text)), which is none of its values: \(known).",
                remedy: "Correct the key, or remove it.")
        }
    }
}

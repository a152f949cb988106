/// `PHExecution`: where the bundle's code must run.
enum ExecutionRequest: String, CaseIterable {
    /// Anywhere.
    case any
    /// In the application's process; it cannot run elsewhere.
    case inProcess = "in-process"
    /// In a separate process.
    case isolated
    /// In a separate process with restricted rights.
    case sandboxed

    /// Why a bundle cannot run here, where all code runs in the application's process.
    ///
    /// Code never runs less safely than its bundle requires, so an unknown request is refused too.
    ///
    /// - Parameters:
    ///   - text: the value of the key; nil if the list does not have it.
    ///   - list: the path of the Info.plist.
    /// - Returns: a finding of severity error, or nil if the code may run here.
    static func finding(_ text: String?, list: String) -> PluginFinding? {
        guard let text else { return nil }
        let key = ManifestKey.execution.spelling
        switch ExecutionRequest(rawValue: text) {
        case .any, .inProcess: return nil
        case .isolated, .sandboxed:
            return PluginFinding(
                .hostIncompatible, filePath: list, subject: key,
                message: """
                    The key \(key) of \(quoted(list)) is \(quoted(text)): the bundle requires a separate process, but \
                    this version of PluginHost runs all code in the application's process.
                    """,
                remedy:
                    "Write \(quoted(any.rawValue)) if the code may run in the application's process, or remove the key."
            )
        case nil:
            let known = allCases.map { quoted($0.rawValue) }.joined(separator: ", ")
            return PluginFinding(
                .manifestInvalid, filePath: list, subject: key,
                message: "The key \(key) of \(quoted(list)) is \(quoted(text)), not one of its values: \(known).",
                remedy: "Correct the key, or remove it.")
        }
    }
}

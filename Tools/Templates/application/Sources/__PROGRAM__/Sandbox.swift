import Glibc
import PluginHost

/// Runs plug-ins in processes of their own, which reach only what the user allowed.
struct Sandbox {
    /// The user's answers, which are kept: “pluginhost consents --application __PROGRAM__” lists them.
    private let consents = PluginConsents.of(application: "__PROGRAM__")

    /// Makes the answers the policy of the application.
    ///
    /// Make it before the first plug-in is loaded.
    init() {
        var policy = IsolationPolicy()
        policy.execution = { _ in .sandboxed }
        policy.grant = { [consents] plugin, _ in consents.allowed(plugin) }
        policy.callTime = .seconds(10)
        // A confined process must not belong to root.
        if geteuid() == 0 { policy.user = "nobody" }
        HostEnvironment.current.isolation = policy
    }

    /// Forgets what the user answered about a plug-in.
    func forgetAnswer(about plugin: PluginDescription) { consents.withdraw(plugin.identifier) }

    /// Asks the user about what a plug-in wants for the first time.
    ///
    /// Ask before the plug-in is used: a running process keeps what it has.
    func ask(about plugin: PluginDescription) {
        // This application gives access to files only; what else a plug-in asks for, it does not get.
        guard !consents.unanswered(plugin).files.isEmpty else { return }
        var wanted = PluginPermissions()
        wanted.files = plugin.permissions.files
        for file in wanted.files {
            let question = file.access == .read ? "%@ wants to read %@." : "%@ wants to change %@."
            say(localized(question, plugin.displayName, file.path))
        }
        if let reason = try? plugin.candidate.open().reason(forPermission: "files") { say(reason) }
        while true {
            say(localized("Allow it? Type “yes” or “no”:"))
            // Without an answer, as at the end of the input, it gets nothing now, and the question comes again.
            guard let answer = readLine()?.lowercased() else { return }
            if answer == localized("yes") || answer == localized("y") { return consents.give(wanted, to: plugin) }
            if answer == localized("no") || answer == localized("n") {
                consents.give(PluginPermissions(), to: plugin)
                return say(localized("Not allowed. To be asked again: %@", "__PROGRAM__ --sandboxed --ask …"))
            }
        }
    }
}

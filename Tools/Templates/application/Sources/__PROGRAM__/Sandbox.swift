import Glibc
import PluginHost

/// Runs plug-ins in processes of their own, which reach only what the user allowed.
struct Sandbox {
    /// The user's answers, which are kept: “pluginhost consents --application __PROGRAM__” lists them.
    private let consents = PluginConsents.of(application: "__PROGRAM__")

    /// Asks the user about plug-ins that want more than before, and makes the answers the policy of the application.
    ///
    /// Call it before the first plug-in is loaded.
    func apply(to catalog: PluginCatalog) {
        for plugin in catalog.plugins where !consents.unanswered(plugin).files.isEmpty { ask(about: plugin) }
        var policy = IsolationPolicy()
        policy.execution = { _ in .sandboxed }
        policy.grant = { [consents] plugin, _ in consents.allowed(plugin) }
        policy.callTime = .seconds(10)
        // A confined process must not belong to root.
        if geteuid() == 0 { policy.user = "nobody" }
        HostEnvironment.current.isolation = policy
    }

    /// Without an answer, as at the end of the input, the plug-in gets nothing now, and the question comes again.
    private func ask(about plugin: PluginDescription) {
        // This application gives access to files only; what else a plug-in asks for, it does not get.
        var wanted = PluginPermissions()
        wanted.files = plugin.permissions.files
        for file in wanted.files {
            let question = file.access == .read ? "%@ wants to read %@." : "%@ wants to change %@."
            say(localized(question, plugin.displayName, file.path))
        }
        if let reason = try? plugin.candidate.open().reason(forPermission: "files") { say(reason) }
        say(localized("Allow it? Type “yes” or “no”:"))
        guard let answer = readLine() else { return }
        consents.give(answer == localized("yes") ? wanted : PluginPermissions(), to: plugin)
    }
}

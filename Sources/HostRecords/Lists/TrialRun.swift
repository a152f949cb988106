import Glibc
package import HostBasics

/// A run of an application with other choices than the user's, which `pluginhost bisect` makes to find a plug-in at
/// fault.
///
/// The variable `<APPLICATION>_PLUGIN_CHOICES` names the file with these choices; see docs/administrators.md, “Finding
/// the plug-in at fault”. A program that runs with more rights than its user has ignores it.
///
/// Such a run is an experiment. So its crashes count against no plug-in: otherwise the plug-in that bisect looks for
/// would be in quarantine before it is found, and the runs after that would differ from those before.
package struct TrialRun {
    /// The file with the choices, as an absolute path.
    package let choices: String

    /// The trial run that an environment demands of an application; nil for a usual run.
    ///
    /// Why a file that does not exist is ignored: without any choices, the plug-ins that the user has disabled would be
    /// used.
    ///
    /// - Parameters:
    ///   - application: the name of the application's directories.
    ///   - user: the environment.
    package init?(of application: String, in user: UserDirectories = .process) {
        guard let path = user.absolute(Self.variable(of: application)), access(path, F_OK) == 0 else { return nil }
        choices = path
    }

    /// `DEMO_HOST_PLUGIN_CHOICES` for `demo-host`.
    package static func variable(of application: String) -> String {
        UserDirectories.variable(of: application, "PLUGIN_CHOICES")
    }
}

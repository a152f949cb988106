import Glibc
import HostBasics

/// A run of an application with other choices than the user's, which `pluginhost bisect` makes to find a plug-in at
/// fault.
///
/// The variable `<APPLICATION>_PLUGIN_CHOICES` names the file with these choices; see docs/administrators.md, “Finding
/// the plug-in at fault”. A program that runs with more rights than its user has ignores it.
///
/// Such a run is an experiment. So its crashes count against no plug-in: otherwise the plug-in that bisect looks for
/// would be in quarantine before it is found, and the runs after that would differ from those before.
struct TrialRun {
    /// The file with the choices, as an absolute path.
    let choices: String

    /// The trial run that an environment demands of an application; nil for a usual run.
    ///
    /// Why a file that does not exist is ignored: without any choices, the plug-ins that the user has disabled would be
    /// used.
    ///
    /// - Parameters:
    ///   - application: the name of the application's directories.
    ///   - user: the environment.
    init?(of application: String, in user: UserDirectories = .process) {
        guard let path = user.absolute(Self.variable(of: application)), access(path, F_OK) == 0 else { return nil }
        choices = path
    }

    /// `DEMO_HOST_PLUGIN_CHOICES` for `demo-host`.
    static func variable(of application: String) -> String {
        SearchEnvironment.variable(of: application, "PLUGIN_CHOICES")
    }
}

extension PluginCatalog {
    /// The variable that names another file with an application's choices: `DEMO_HOST_PLUGIN_CHOICES`.
    @_spi(Tools) public static func choicesVariable(of application: String) -> String {
        TrialRun.variable(of: application)
    }

    /// Writes the user's choices to another file, with more plug-ins disabled.
    ///
    /// The user's own file is only read.
    ///
    /// - Parameters:
    ///   - identifiers: the plug-ins that are disabled in addition.
    ///   - path: the other file, which is replaced.
    /// - Throws: ``PluginError`` of code `choicesUnreadable` if the file cannot be written.
    @_spi(Tools) public func writeTrialChoices(
        disabling identifiers: some Sequence<String>, to path: String
    ) throws(PluginError) {
        var trial = choices
        for identifier in identifiers { trial.apply(.disable(identifier)) }
        do throws(ListFile.Unwritable) {
            try ListFile.write(ListFile.bytes(trial), to: path)
        } catch {
            throw PluginError(
                bundlePath: path,
                PluginFinding(
                    .choicesUnreadable, filePath: path,
                    message: "The choices for a run cannot be written to \(quoted(path)) (\(error.reason)).",
                    remedy: error.remedy))
        }
    }
}

public import HostBasics
import HostRecords

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

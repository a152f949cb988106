import CatalogIndexing
import HostBasics
import HostRecords

extension PluginCatalog {
    /// The file with a user's choices about an application's plug-ins: `<application>/plugins.plist` in
    /// `$XDG_CONFIG_HOME`, by default in `~/.config`.
    ///
    /// In a run that `pluginhost bisect` makes, it is the file that the variable `<APPLICATION>_PLUGIN_CHOICES` names,
    /// spelled as in ``standardSearchPaths(for:)``: `DEMO_HOST_PLUGIN_CHOICES`. The path must be absolute, and the file
    /// must exist. A program that runs with more rights than its user has (set-user-ID) ignores the variable.
    ///
    /// - Parameter application: the name of the application's directories: one path component.
    /// - Returns: an absolute path, whether the file exists or not; nil if the user has no home directory.
    public static func choicesPath(for application: String) -> String? {
        if let trial = TrialRun(of: application) { return trial.choices }
        return UserDirectories.process.configuration.map { Path.join($0, application + "/plugins.plist") }
    }

    /// Whether the user has disabled a plug-in, or has not yet enabled one that is disabled by default
    /// (`PHEnabledByDefault`).
    ///
    /// - Parameter identifier: the plug-in's identifier.
    /// - Returns: whether the identifier is disabled. A plug-in that the user has disabled need not be installed.
    public func isDisabled(_ identifier: String) -> Bool {
        if choices.disables(identifier) { return true }
        if choices.enabled.contains(identifier) || plugin(identifier) != nil { return false }
        let index = current
        return (0..<index.candidateCount).lazy.map(index.candidateRow).contains {
            $0.verdict == .disabled && index.text(at: $0.identifier, is: identifier)
        }
    }

    /// Disables a plug-in for the user, or enables it again.
    ///
    /// This affects every bundle with the identifier; none needs to be installed. The choice is written to the file
    /// ``Options/choices``, and the catalogue is refreshed.
    ///
    /// Loaded code stays in the process, but the extensions of a disabled plug-in are no longer listed.
    ///
    /// - Parameters:
    ///   - identifier: the plug-in's identifier.
    ///   - isDisabled: true to disable it, false to enable it.
    /// - Returns: the changes.
    /// - Throws: ``PluginError`` of code `choicesUnreadable` if the file cannot be read or written. Nothing has changed
    ///   then.
    ///
    /// **Threads.** Any. Two processes that change a file at the same time wait for each other.
    @discardableResult
    public func setDisabled(_ identifier: String, _ isDisabled: Bool) throws -> CatalogChange {
        guard let path = options.choices else {
            throw PluginError(
                bundlePath: identifier,
                PluginFinding(
                    .choicesUnreadable, message: "The catalogue has no file for the user's choices.",
                    remedy: "Name one by PluginCatalog.Options.choices."))
        }
        do throws(PluginFinding) {
            try UserChoices.kept(at: path).write(isDisabled ? .disable(identifier) : .enable(identifier))
        } catch {
            throw PluginError(bundlePath: path, error)
        }
        return refresh()
    }
}

import HostBasics
internal import PluginABI
import PluginWorkers

extension PluginBundle {
    /// The directory in which the plug-in keeps its state, created if it does not exist.
    ///
    /// - Returns: nil if the host of this worker did not grant the directory, or if it cannot be created, which is
    ///   logged.
    func makeStateDirectory() -> String? {
        // The host has created a directory that it grants; a confined worker could not create it.
        if case .host(let granted) = codeState.state.withLock({ $0 }) { return granted }
        let application = HostEnvironment.current.name
        guard let directory = StateDirectory(of: displayIdentifier, in: application) else {
            HostEnvironment.log(
                .error, bundleIdentifier: displayIdentifier,
                """
                The plug-in has no directory for its state: the user has no home directory, or the name of the application, \
                \(quoted(application)), or the plug-in's identifier cannot be the name of a directory.
                """)
            return nil
        }
        do throws(StateDirectory.Failure) {
            try directory.make()
            return directory.path
        } catch {
            let finding = PluginFinding.stateDirectoryUnusable(directory.path, error.errno)
            HostEnvironment.log(
                .error, bundleIdentifier: displayIdentifier,
                "\(finding.message) \(describe(errno: error.errno)). \(finding.remedy)")
            return nil
        }
    }
}

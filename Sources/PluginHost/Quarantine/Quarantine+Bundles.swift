import HostBasics
public import HostRecords

extension Quarantine {
    /// Puts a plug-in into quarantine.
    ///
    /// It stays there until the content of one of its code files changes, or until ``clear(_:)``. Copies of it with the
    /// same code are in quarantine, too.
    ///
    /// - Parameters:
    ///   - bundle: the plug-in; none of its code runs.
    ///   - reason: why, as a sentence for the user.
    /// - Throws: ``PluginError`` if the bundle has no executable that can be opened: `notCode`, `executableMissing`,
    ///   `executableOutsideBundle`, `notLoadable`.
    ///
    /// **Cost.** Reads the code files and the libraries that they use.
    public func add(_ bundle: PluginBundle, reason: String) throws {
        let files = try bundle.codeFiles()
        add(bundle.displayIdentifier, bundlePath: bundle.originalPath, files: files, reason: reason)
    }
}

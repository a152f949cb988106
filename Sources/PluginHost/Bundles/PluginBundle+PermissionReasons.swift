import BundleReading

extension PluginBundle {
    /// Why the plug-in requests a permission, in the user's language, to show when asking the user to grant it.
    ///
    /// The text comes from the key `PHPermissions.NAME` in InfoPlist.strings, otherwise from `reasons` of
    /// `PHPermissions` in Info.plist.
    ///
    /// - Parameter name: the permission's name in `PHPermissions`: `files`, `network`, `processes`, `devices` or
    ///   `environment`.
    /// - Returns: the sentence, or nil if the plug-in gives none.
    public func reason(forPermission name: String) -> String? {
        let reason = resources.localizedInfo(forKey: "\(ManifestKey.permissions.spelling).\(name)")
        return reason ?? manifest.workerRequest?.permissions.reasons[name]
    }
}

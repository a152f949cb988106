package import HostBasics

/// The files with values that exist for a plug-in, of all layers.
package struct SettingsFiles: Sendable {
    package private(set) var distribution: SettingsFile?
    package private(set) var administrator: SettingsFile?
    /// The files whose locks count, the most important first.
    package private(set) var locking: [SettingsFile] = []
    package private(set) var user: SettingsFile?
    /// Why files, or parts of them, are not used.
    package private(set) var findings: [PluginFinding] = []

    /// Reads the files.
    ///
    /// In the directories of the distribution and of the administrator, the first file that can be used counts, whole.
    ///
    /// - Parameters:
    ///   - places: where they are.
    ///   - lockOwner: who must own a file with locks; nil for the one that the places name.
    package init(_ places: SettingsPlaces, lockOwner: UInt32? = nil) {
        let lockOwner = lockOwner ?? places.lockOwner
        distribution = Self.first(places.distribution, .distribution, lockOwner, &findings)
        administrator = Self.first(places.administrator, .administrator, lockOwner, &findings)
        locking = [administrator].compactMap(\.self)
        // The user can set the variable that names the other directories.
        if let path = places.locks, !places.administrator.contains(path) || administrator?.path != path {
            var unused: [PluginFinding] = []
            if let file = SettingsFile.read(path, of: .administrator, lockOwner: lockOwner, &unused) {
                locking.insert(file, at: 0)
                findings += unused
            }
        }
        user = places.user.flatMap { SettingsFile.read($0, of: .user, lockOwner: lockOwner, &findings) }
    }

    /// No files.
    package init() {}

    private static func first(
        _ paths: [String], _ layer: SettingsLayer, _ lockOwner: UInt32, _ findings: inout [PluginFinding]
    ) -> SettingsFile? {
        for path in paths {
            if let file = SettingsFile.read(path, of: layer, lockOwner: lockOwner, &findings) { return file }
        }
        return nil
    }

    /// The file that locks a setting; nil if none does.
    func lock(of declaration: SettingDeclaration) -> SettingsFile? {
        locking.first { file in
            file.locked.contains(declaration.key) || declaration.formerKeys.contains { file.locked.contains($0) }
        }
    }
}

import BundleReading
package import HostBasics

/// Where the paths of `PHPermissions` lead for one plug-in and this user.
package struct PermissionPlaces: Sendable {
    var home: String?
    var documents: String?
    var config: String?
    /// The plug-in's own directory: ``StateDirectory``.
    var state: String?
    /// `$HOST/name`: the directories of the application, by name.
    var host: [String: String]

    /// The places for the plug-in with an identifier, in the application with a name.
    package init(
        identifier: String, application: String, host: [String: String] = [:], user: UserDirectories = .process
    ) {
        let home = user.home
        self.home = home
        let config = user.absolute("XDG_CONFIG_HOME") ?? home.map { Path.join($0, ".config") }
        self.config = config
        documents = Self.documents(listedIn: config, home: home)
        state = StateDirectory(of: identifier, in: application, user: user)?.path
        self.host = host.filter { $0.value.hasPrefix("/") }
    }

    /// The directory at which a path begins, or nil if there is none.
    ///
    /// Links in it are not resolved.
    func directory(_ base: PermissionPath.Base) -> String? {
        switch base {
        case .root: "/"
        case .home: home
        case .documents: documents
        case .config: config
        case .state: state
        case .host(let name): host[name]
        }
    }

    /// The absolute path, or nil if there is no directory at which it begins.
    ///
    /// Links in it are not resolved.
    func path(_ path: PermissionPath) -> String? {
        guard let base = directory(path.base) else { return nil }
        let start = base == "/" ? "" : base
        let result = path.names.reduce(start) { $0 + "/" + $1 }
        return result.isEmpty ? "/" : result
    }

    /// The user's directory for documents: from the user's list of directories, otherwise `Documents`.
    ///
    /// Source: xdg-user-dirs, user-dirs.dirs(5): `XDG_DOCUMENTS_DIR="$HOME/…"` or an absolute path.
    private static func documents(listedIn config: String?, home: String?) -> String? {
        guard let home else { return nil }
        let usual = Path.join(home, "Documents")
        let mark = "XDG_DOCUMENTS_DIR=\""
        guard let config, let file = try? OpenedFile(path: Path.join(config, "user-dirs.dirs")),
            let bytes = try? file.bytes(atMost: 64 << 10),
            let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").last(where: { $0.hasPrefix(mark) })
        else { return usual }
        let value = line.dropFirst(mark.count).prefix { $0 != "\"" }
        if value == "$HOME" || value == "$HOME/" { return home }
        if value.hasPrefix("$HOME/") { return Path.normalized(home + value.dropFirst("$HOME".count)) ?? usual }
        return value.hasPrefix("/") ? Path.normalized(String(value)) ?? usual : usual
    }
}

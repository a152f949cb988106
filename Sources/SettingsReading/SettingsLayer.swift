/// Who set a value, from the one that counts least to the one that counts most.
public enum SettingsLayer: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// The plug-in: the `DefaultValue` of its Settings.bundle.
    case plugin
    /// The distribution: a file in `$XDG_DATA_DIRS`.
    case distribution
    /// The administrator: a file in `$XDG_CONFIG_DIRS`, by default in `/etc/xdg`.
    case administrator
    /// The user: a file in `$XDG_CONFIG_HOME`, by default in `~/.config`.
    case user
    /// The application, for this run only.
    case run

    /// Whether the first counts less than the second.
    public static func < (a: SettingsLayer, b: SettingsLayer) -> Bool {
        allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }

    /// Who it is, for a message: “the administrator”.
    public var words: String {
        switch self {
        case .plugin, .distribution, .administrator, .user: "the \(self == .plugin ? "plug-in" : rawValue)"
        case .run: "the application for this run"
        }
    }
}

import CPluginSupport.Shims
import Glibc

/// The environment variables that name the directories for files of the user and of the system, and the resulting
/// paths.
///
/// Source: XDG Base Directory Specification 0.8: relative paths are invalid and ignored.
package struct UserDirectories: Sendable {
    /// The value of a variable; nil if it is not set, or must not be trusted.
    package var variable: @Sendable (String) -> String?

    package init(variable: @escaping @Sendable (String) -> String?) { self.variable = variable }

    /// The variables of this process.
    ///
    /// A program that runs with more rights than its user has ignores all variables.
    package static let process = UserDirectories { name in
        phs_secure_getenv(name).flatMap { String(validatingCString: $0) }
    }

    /// The value of a variable that is an absolute path; other values count as not set.
    package func absolute(_ name: String) -> String? { variable(name).flatMap(Self.absolute) }

    /// The user's home directory.
    package var home: String? {
        if let home = absolute("HOME") { return home }
        guard let user = getpwuid(getuid()), let directory = user.pointee.pw_dir else { return nil }
        return String(validatingCString: directory).flatMap(Self.absolute)
    }

    /// The user's directory for data, then those of the system.
    package var data: [String] {
        [userData].compactMap(\.self) + systemData
    }

    /// The user's directory for data.
    package var userData: String? { absolute("XDG_DATA_HOME") ?? home.map { Path.join($0, ".local/share") } }

    /// The system's directories for data, the most important first.
    package var systemData: [String] {
        let list = variable("XDG_DATA_DIRS") ?? ""
        return (list.isEmpty ? "/usr/local/share:/usr/share" : list).split(separator: ":").compactMap {
            Self.absolute(String($0))
        }
    }

    /// The user's directory for configuration.
    package var configuration: String? { absolute("XDG_CONFIG_HOME") ?? home.map { Path.join($0, ".config") } }

    /// The user's directory for state that should outlive a restart.
    package var state: String? { absolute("XDG_STATE_HOME") ?? home.map { Path.join($0, ".local/state") } }

    /// The system's directories for configuration, the most important first.
    package var systemConfiguration: [String] {
        let list = variable("XDG_CONFIG_DIRS") ?? ""
        return (list.isEmpty ? "/etc/xdg" : list).split(separator: ":").compactMap { Self.absolute(String($0)) }
    }

    /// The name of a variable for an application: its name in capitals, with `_` for each character that is not an
    /// ASCII letter or digit, and then another `_` and a suffix.
    package static func variable(of application: String, _ suffix: String) -> String {
        String(application.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }) + "_" + suffix
    }

    /// Whether a text can be the name of a directory or file: one path component.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text != "." && text != ".." && text.utf8.count <= 255
            && !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    private static func absolute(_ path: String) -> String? {
        path.utf8.first == UInt8(ascii: "/") ? Path.normalized(path) : nil
    }
}

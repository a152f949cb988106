import Glibc
import HostBasics
@_spi(Tools) import PluginHost

/// Environment variables that are wrong, or that should be set.
struct EnvironmentCheck {
    private let application: String?
    private let variable: (String) -> String?

    init(application: String?, variable: @escaping (String) -> String? = Self.process) {
        self.application = application
        self.variable = variable
    }

    private static func process(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    var findings: [PluginFinding] { home + directories + lists + ownList + linker + language }

    // MARK: Directories

    private var home: [PluginFinding] {
        guard let home = variable("HOME"), !home.isEmpty else {
            return [
                finding("HOME", "HOME is not set; the user's directories are those of the user database.", "Set it.")
            ]
        }
        guard home.hasPrefix("/") else {
            return [finding("HOME", "HOME is “\(home)”, a relative path, which is ignored.", "Set an absolute path.")]
        }
        guard access(home, X_OK) != 0 else { return [] }
        let reason = describe(errno: errno)
        return [
            finding("HOME", "HOME is “\(home)”, which cannot be entered: \(reason).", "Set it to the user's directory.")
        ]
    }

    /// Source: XDG Base Directory Specification 0.8: relative paths are invalid and ignored.
    private var directories: [PluginFinding] {
        ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"].compactMap { name in
            guard let value = variable(name), !value.isEmpty, !value.hasPrefix("/") else { return nil }
            return finding(name, "\(name) is “\(value)”, a relative path, which is ignored.", "Set an absolute path.")
        }
    }

    private var lists: [PluginFinding] {
        ["XDG_DATA_DIRS", "XDG_CONFIG_DIRS"].flatMap { name in
            relativeElements(name).map {
                finding(
                    name, "\(name) has “\($0)”, a relative path, which is ignored.",
                    "Write absolute paths between the colons.")
            }
        }
    }

    /// The application's variable with search paths, which replace the standard ones.
    private var ownList: [PluginFinding] {
        guard let application else { return [] }
        let name = PluginCatalog.searchPathVariable(of: application)
        guard let value = variable(name) else { return [] }
        if value.isEmpty {
            return [
                finding(name, "\(name) is set but empty, which means the standard search paths.", "Unset it.")
            ]
        }
        let missing = value.split(separator: ":").filter { $0.hasPrefix("/") && access(String($0), F_OK) != 0 }.map {
            finding(name, "\(name) has “\($0)”, which does not exist.", "Create the directory, or correct the path.")
        }
        return missing
            + relativeElements(name).map {
                finding(
                    name, "\(name) has “\($0)”, a relative path: what is found depends on the current directory.",
                    "Write an absolute path.")
            }
    }

    private var linker: [PluginFinding] {
        guard let value = variable("LD_LIBRARY_PATH"), !value.isEmpty else { return [] }
        let elements = value.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }
        guard elements.contains(where: { !$0.hasPrefix("/") }) else { return [] }
        return [
            finding(
                "LD_LIBRARY_PATH",
                "LD_LIBRARY_PATH has an empty or relative element: libraries are taken from the current directory.",
                "Write absolute paths, without a colon at the beginning or end.")
        ]
    }

    private func relativeElements(_ name: String) -> [Substring] {
        (variable(name) ?? "").split(separator: ":").filter { !$0.hasPrefix("/") }
    }

    // MARK: Language

    private var language: [PluginFinding] {
        if let list = variable("LANGUAGE"), !list.isEmpty { return [] }
        for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            guard let value = variable(name), !value.isEmpty else { continue }
            // The first variable that is set decides. “C.UTF-8” is fine: containers and services without a user set it
            // for its encoding.
            guard ["C", "POSIX"].contains(value) else { return [] }
            return [
                finding(
                    name, "\(name) is “\(value)”, which is not a language: each bundle uses its own language.",
                    "If people read the texts, set a language, such as LANG=fr_FR.UTF-8.")
            ]
        }
        return [
            finding(
                "LANG", "No language is set: each bundle uses its own language.",
                "If people read the texts, set one, such as LANG=fr_FR.UTF-8.")
        ]
    }

    private func finding(_ subject: String, _ message: String, _ remedy: String) -> PluginFinding {
        PluginFinding(.warning, .environment, subject: subject, message: message, remedy: remedy)
    }
}

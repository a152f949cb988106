import Glibc
import HostBasics
@_spi(Tools) import PluginHost
import PropertyLists

extension PluginError.Code {
    /// Something that is meant for all users of the machine, and that only root can read.
    ///
    /// A warning.
    static let unreadableForUsers = Self(rawValue: "unreadableForUsers")
}

/// Whether users can read what root has installed for all of them.
///
/// Root reads everything, so no other check of root sees what users cannot.
struct UserAccessCheck {
    private var seen: Set<String> = []
    private var findings: [PluginFinding] = []

    /// Examines the bundles outside of root's own directories, and the administrator's lists and settings.
    ///
    /// - Returns: nil for another user than root.
    static func check(_ catalog: PluginCatalog, of application: String) -> DoctorCheck? {
        guard geteuid() == 0 else { return nil }
        return DoctorCheck("What users can read", UserAccessCheck(catalog, of: application).findings)
    }

    private init(_ catalog: PluginCatalog, of application: String) {
        let own = PluginCatalog.userDirectories.map { $0 + "/" }
        for candidate in catalog.candidates where !own.contains(where: candidate.path.hasPrefix) {
            examine(candidate.path)
            guard let bundle = try? candidate.open() else { continue }
            for path in [bundle.manifestPath, bundle.executablePath].compactMap(\.self) { examine(path) }
        }
        for root in PluginCatalog.systemConfiguration {
            let own = Path.join(root, application)
            for name in ["execution", "quarantine", "settings"] { examine(Path.join(own, name)) }
            let settings = Path.join(own, "settings")
            for name in (try? OpenedDirectory(path: settings).names) ?? [] {
                examine(Path.join(settings, OpenedDirectory.text(name)))
            }
        }
    }

    /// Examines a file or directory if it exists, and the directories above it.
    private mutating func examine(_ path: String) {
        guard let resolved = Path.resolved(path) else { return }
        var place = resolved
        while place != "/" {
            guard seen.insert(place).inserted else { return }
            examine(place, isAbove: place != resolved)
            place = Path.parent(place)
        }
    }

    private mutating func examine(_ path: String, isAbove: Bool) {
        var status = stat()
        guard stat(path, &status) == 0, findings.count < ReadingBudget.mostFindings else { return }
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        let needed: mode_t = isAbove ? S_IXOTH : isDirectory ? S_IROTH | S_IXOTH : S_IROTH
        // A group of the administrator's choice is meant.
        let isForGroup = status.st_gid != 0 && status.st_mode & (needed << 3) == needed << 3
        if status.st_mode & needed == needed || isForGroup { return }
        let mode = String(status.st_mode & 0o777, radix: 8)
        findings.append(
            PluginFinding(
                .warning, .unreadableForUsers, filePath: path,
                message: "Users cannot \(isAbove ? "enter" : "read") \(quoted(path)): its mode is \(mode).",
                remedy: "Let them: chmod go+\(isAbove ? "x" : "rX"). Then run doctor as one of them."))
    }
}

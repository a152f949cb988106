import Glibc
package import HostBasics

/// Where the values of a plug-in's settings are: `APPLICATION/settings/IDENTIFIER.plist` in the directories of the
/// distribution, the administrator and the user.
///
/// Source: XDG Base Directory Specification 0.8.
public struct SettingsPlaces: Sendable, Hashable {
    /// The files of the distribution, the most important first.
    public let distribution: [String]
    /// The files of the administrator, the most important first.
    public let administrator: [String]
    /// The file in which the administrator's locks always count, whatever the environment says.
    public let locks: String?
    /// The file of the user; nil if the user has no home directory.
    public let user: String?
    /// Who must own a file with locks.
    let lockOwner: UInt32

    /// No files: only what the plug-in declares and the application sets exists.
    public static let none = SettingsPlaces(distribution: [], administrator: [], locks: nil, user: nil)

    init(
        distribution: [String], administrator: [String], locks: String?, user: String?, lockOwner: UInt32 = 0
    ) {
        self.distribution = distribution
        self.administrator = administrator
        self.locks = locks
        self.user = user
        self.lockOwner = lockOwner
    }

    /// The files for a plug-in; ``none`` if one of the two names cannot be a file's.
    ///
    /// - Parameters:
    ///   - identifier: the plug-in's identifier.
    ///   - application: the name of the application's directories.
    public init(of identifier: String, in application: String) {
        self.init(of: identifier, in: application, .process)
    }

    /// The directory that every administrator knows.
    private static let usualDirectory = "/etc/xdg"

    package init(
        of identifier: String, in application: String, _ directories: UserDirectories,
        locksIn lockDirectory: String? = nil, lockOwner: UInt32 = 0
    ) {
        // The identifier comes from an Info.plist.
        guard UserDirectories.isName(application), UserDirectories.isName(identifier + ".plist"),
            UserDirectories.isName(identifier)
        else {
            self = .none
            return
        }
        let file = "\(application)/settings/\(identifier).plist"
        self.init(
            distribution: directories.systemData.map { Path.join($0, file) },
            administrator: directories.systemConfiguration.map { Path.join($0, file) },
            locks: Path.join(lockDirectory ?? Self.usualDirectory, file),
            user: directories.configuration.map { Path.join($0, file) }, lockOwner: lockOwner)
    }

    /// The files for a plug-in in one directory that has those of all layers, for a test.
    ///
    /// Files of the user who runs the test can lock.
    package init(of identifier: String, in application: String, below directory: String) {
        let administrator = Path.join(directory, "administrator")
        let places = [
            "XDG_DATA_DIRS": Path.join(directory, "distribution"), "XDG_CONFIG_DIRS": administrator,
            "XDG_CONFIG_HOME": Path.join(directory, "user"),
        ]
        self.init(
            of: identifier, in: application, UserDirectories { places[$0] }, locksIn: administrator,
            lockOwner: geteuid())
    }

    /// Gives the user's file of another plug-in the place of this one's, unless this one has a file.
    ///
    /// It moves completely or not at all.
    ///
    /// - Returns: the error of the system; 0 also if there was nothing to do.
    package func takeUserFile(of other: SettingsPlaces) -> CInt {
        guard let from = other.user, let to = user else { return 0 }
        // link() never replaces a file, unlike rename().
        if link(from, to) == 0 { return unlink(from) == 0 ? 0 : errno }
        let failure = errno
        // A process that ended between the two calls left one file with both names.
        if failure == EEXIST, let own = FileIdentity(path: to), FileIdentity(path: from)?.isSameFile(as: own) ?? false {
            return unlink(from) == 0 ? 0 : errno
        }
        return [ENOENT, EEXIST].contains(failure) ? 0 : failure
    }

    /// Every path, each once.
    public var all: [String] {
        var seen: Set<String> = []
        return (distribution + administrator + [locks, user].compactMap(\.self)).filter { seen.insert($0).inserted }
    }

    /// The file of the administrator to change: the one that counts, else the first that would.
    public var administratorToChange: String? {
        administrator.first { FileIdentity(path: $0) != nil } ?? administrator.first
    }
}

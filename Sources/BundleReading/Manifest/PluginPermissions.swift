/// What a sandboxed plug-in may reach outside of its bundle: requested in `PHPermissions`, granted by the application.
///
/// Empty, the default, permits nothing. A plug-in gets those of the requested permissions that
/// ``IsolationPolicy/grant`` allows.
public struct PluginPermissions: Sendable, Hashable {
    /// A directory or file with everything beneath it.
    public struct File: Sendable, Hashable {
        /// The path, which begins with `$HOME`, `$DOCUMENTS`, `$CONFIG`, `$STATE`, `$HOST/name` or `/`.
        ///
        /// `$STATE` is the plug-in's private directory, which the host creates. `$HOST/name` is a directory of
        /// ``IsolationPolicy/directories``. A path must not contain `.` or `..` as a part.
        public var path: String
        /// What the plug-in may do there.
        public var access: Access

        /// A grant for a path.
        public init(_ path: String, _ access: Access) {
            self.path = path
            self.access = access
        }
    }

    /// What a plug-in may do with files; a later case includes those before it.
    public enum Access: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Read files and list directories.
        case read
        /// Also change, create, rename and remove files and directories.
        case write

        /// Whether the second access allows more.
        public static func < (a: Access, b: Access) -> Bool { a == .read && b == .write }
    }

    /// Which connections a plug-in may make.
    public enum Network: Sendable, Hashable {
        /// None.
        case none
        /// TCP connections to the ports of the first set, and TCP servers on the ports of the second set.
        case ports(connect: Set<UInt16>, listen: Set<UInt16>)
        /// All.
        case any
    }

    /// Files and directories.
    public var files: [File] = []
    /// Connections.
    public var network: Network = .none
    /// Whether it may start programs: those of the system, and those in its bundle.
    ///
    /// They are confined like the plug-in, and end with its worker.
    public var processes = false
    /// The absolute paths of device files.
    public var devices: Set<String> = []
    /// The names of variables of the host's environment.
    public var environment: Set<String> = []
    /// Why the plug-in requests each permission, as a sentence by the permission's name in `PHPermissions`.
    ///
    /// The text is not localised; ``PluginBundle/reason(forPermission:)`` returns it in the user's language.
    public var reasons: [String: String] = [:]

    /// No permission.
    public init() {}

    /// The permissions, as `PHPermissions` spells them.
    @_spi(Tools) public enum Name: String, CaseIterable {
        case files, network, processes, devices, environment

        /// “files, network, …”.
        package static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
    }

    /// The key of ``reasons`` in `PHPermissions`.
    static let reasonsKey = "reasons"
    /// How many items each list may have.
    package static let most = 256

    /// The names of the permissions that are not empty.
    @_spi(Tools) public var names: [Name] {
        Name.allCases.filter { name in
            switch name {
            case .files: !files.isEmpty
            case .network: network != .none
            case .processes: processes
            case .devices: !devices.isEmpty
            case .environment: !environment.isEmpty
            }
        }
    }

    /// Whether nothing is permitted.
    public var isEmpty: Bool { names.isEmpty }
}

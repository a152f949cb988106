@_spi(Tools) public import BundleReading
@_spi(Tools) import ELFImages
@_spi(Tools) import HostBasics

extension PluginPermissions {
    /// Why a text is not a list of permissions.
    @_spi(Tools) public struct Fault: Error {
        /// A sentence.
        public let reason: String
    }

    /// Permissions in one line: `files=$HOME/Music:write,files=/srv/fonts,network=connect:443,processes`.
    ///
    /// `files` takes a path, then `:read` (the default) or `:write`; `network` takes `any`, `connect:PORT` or
    /// `listen:PORT`; `devices` takes a path and `environment` the name of a variable; `processes` takes no value. A
    /// permission may occur several times. A comma separates permissions only if the name of a permission follows, so a
    /// path may contain a comma.
    ///
    /// - Throws: ``Fault``, also for an unknown permission.
    @_spi(Tools) public init(parsing text: String) throws(Fault) {
        self.init()
        var parts: [String] = []
        for piece in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            let name = piece.prefix { $0 != "=" }
            let isValueOnly = name.count == piece.count && piece != Name.processes.rawValue
            if isValueOnly || name.contains("/"), !parts.isEmpty {
                parts[parts.count - 1] += "," + piece
            } else {
                parts.append(piece)
            }
        }
        for part in parts { try add(part) }
    }

    /// Permissions from texts in the form of ``items``.
    ///
    /// - Throws: ``Fault``, also for a permission that this version does not know.
    package init(items: [String]) throws(Fault) {
        self.init()
        for item in items { try add(item) }
    }

    /// The permissions without their reasons, each as ``init(parsing:)`` spells it.
    @_spi(Tools) public var items: [String] {
        var items = files.map { "files=\($0.path):\($0.access.rawValue)" }
        switch network {
        case .none: break
        case .any: items.append("network=any")
        case .ports(let connect, let listen):
            items += connect.sorted().map { "network=connect:\($0)" } + listen.sorted().map { "network=listen:\($0)" }
        }
        if processes { items.append(Name.processes.rawValue) }
        return items + devices.sorted().map { "devices=\($0)" } + environment.sorted().map { "environment=\($0)" }
    }

    /// Adds other permissions to these.
    @_spi(Tools) public mutating func add(_ other: PluginPermissions) {
        files += other.files
        network = network.joined(with: other.network)
        processes = processes || other.processes
        devices.formUnion(other.devices)
        environment.formUnion(other.environment)
    }

    private mutating func add(_ part: String) throws(Fault) {
        let name = String(part.prefix { $0 != "=" })
        let value = part.count == name.count ? nil : String(part.dropFirst(name.count + 1))
        guard let permission = Name(rawValue: name) else {
            throw Fault(reason: "\(quoted(name)) is no permission; these are: \(Name.list).")
        }
        if permission == .processes {
            guard value == nil else { throw Fault(reason: "“processes” has no value.") }
            processes = true
            return
        }
        guard let value, !value.isEmpty else { throw Fault(reason: "“\(name)” needs a value, as in “\(name)=…”.") }
        switch permission {
        case .files: files.append(try Self.file(value))
        case .network: add(try Self.network(value))
        case .devices: devices.insert(value)
        case .environment: environment.insert(value)
        case .processes: break
        }
    }

    private static func file(_ value: String) throws(Fault) -> File {
        var file = File(value, .read)
        for access in Access.allCases where value.hasSuffix(":\(access.rawValue)") {
            file = File(String(value.dropLast(access.rawValue.count + 1)), access)
        }
        do throws(PermissionPath.Fault) {
            _ = try PermissionPath(file.path)
        } catch {
            throw Fault(reason: "The path \(quoted(file.path)) \(error.reason).")
        }
        return file
    }

    private static func network(_ value: String) throws(Fault) -> PluginPermissions {
        var permissions = PluginPermissions()
        let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let port = parts.count == 2 ? UInt16(parts[1]) : nil
        switch (parts[0], port) {
        case ("any", nil) where parts.count == 1: permissions.network = .any
        case ("connect", let port?) where port > 0: permissions.network = .ports(connect: [port], listen: [])
        case ("listen", let port?) where port > 0: permissions.network = .ports(connect: [], listen: [port])
        default: throw Fault(reason: "\(quoted(value)) is not “any”, “connect:PORT” or “listen:PORT”.")
        }
        return permissions
    }
}

extension PluginPermissions.Network {
    fileprivate func joined(with other: Self) -> Self {
        switch (self, other) {
        case (.any, _), (_, .any): .any
        case (.none, let one), (let one, .none): one
        case (.ports(let connect, let listen), .ports(let others, let otherListens)):
            .ports(connect: connect.union(others), listen: listen.union(otherListens))
        }
    }
}

@_spi(Tools) package import BundleReading
@_spi(Tools) import ELFImages
@_spi(Tools) internal import HostBasics

extension PluginPermissions {
    /// The part of these permissions that another set allows.
    ///
    /// A file in both sets gets the lesser access. If one set has a directory and the other has a path in it, the path
    /// in it is granted. So `$HOME` allows `$HOME/Music`, and if only `$HOME/Music` is allowed, it is all that is left
    /// of `$HOME`.
    ///
    /// - Parameters:
    ///   - allowed: what may be granted.
    ///   - places: where the paths lead, so that different spellings of a directory are recognised.
    /// - Returns: the permissions that both have.
    package func granted(by allowed: PluginPermissions, at places: PermissionPlaces) -> PluginPermissions {
        var granted = PluginPermissions()
        granted.files = Self.common(files, allowed.files, places)
        granted.network = network.common(with: allowed.network)
        granted.processes = processes && allowed.processes
        granted.devices = devices.intersection(allowed.devices)
        granted.environment = environment.intersection(allowed.environment)
        let names = Set(granted.names.map(\.rawValue))
        granted.reasons = reasons.filter { names.contains($0.key) }
        return granted
    }

    /// The part of these permissions that another set does not include.
    ///
    /// - Parameters:
    ///   - known: the other set.
    ///   - places: where the paths lead, so that different spellings of a directory are recognised.
    /// - Returns: the new permissions, with their reasons only.
    package func beyond(_ known: PluginPermissions, at places: PermissionPlaces) -> PluginPermissions {
        var new = PluginPermissions()
        let knownFiles = known.files.compactMap { PlacedFile($0, places) }
        new.files = files.filter { file in
            guard let place = PlacedFile(file, places) else { return true }
            return !knownFiles.contains { place.isIn($0) && file.access <= $0.file.access }
        }
        new.network = network.beyond(known.network)
        new.processes = processes && !known.processes
        new.devices = devices.subtracting(known.devices)
        new.environment = environment.subtracting(known.environment)
        let names = Set(new.names.map(\.rawValue))
        new.reasons = reasons.filter { names.contains($0.key) }
        return new
    }

    /// Whether a path in `$STATE` is among them.
    package var hasStateDirectory: Bool { files.contains { (try? PermissionPath($0.path))?.base == .state } }

    private static func common(_ asked: [File], _ allowed: [File], _ places: PermissionPlaces) -> [File] {
        let asked = asked.compactMap { PlacedFile($0, places) }, allowed = allowed.compactMap { PlacedFile($0, places) }
        var common: [PlacedFile] = []
        for one in asked {
            for other in allowed {
                guard var inner = one.isIn(other) ? one : other.isIn(one) ? other : nil else { continue }
                inner.file.access = min(one.file.access, other.file.access)
                common.append(inner)
            }
        }
        // Drop a grant that another one includes. Of two equal grants, keep the first.
        return common.enumerated().filter { number, one in
            !common.enumerated().contains { other, wider in
                other != number && one.isIn(wider) && one.file.access <= wider.file.access
                    && (!wider.isIn(one) || one.file.access < wider.file.access || other < number)
            }
        }.map(\.element.file)
    }

    /// A file with the parts of its path.
    private struct PlacedFile {
        var file: File
        private let parts: [Substring]

        /// Nil for text that is not a path: an application's policy may have any text.
        init?(_ file: File, _ places: PermissionPlaces) {
            guard let path = try? PermissionPath(file.path) else { return nil }
            self.file = file
            // Without such a place, only equal spellings match: no absolute path begins with a dollar sign.
            parts = (places.path(path) ?? file.path).split(separator: "/")
        }

        func isIn(_ other: PlacedFile) -> Bool { parts.starts(with: other.parts) }
    }
}

extension PluginPermissions.Network {
    fileprivate func common(with other: Self) -> Self {
        switch (self, other) {
        case (.none, _), (_, .none): return .none
        case (.any, let rest), (let rest, .any): return rest
        case (.ports(let connect, let listen), .ports(let others, let otherListens)):
            let connect = connect.intersection(others), listen = listen.intersection(otherListens)
            return connect.isEmpty && listen.isEmpty ? .none : .ports(connect: connect, listen: listen)
        }
    }

    fileprivate func beyond(_ known: Self) -> Self {
        switch (self, known) {
        case (.none, _), (_, .any): return .none
        case (.any, _), (_, .none): return self
        case (.ports(let connect, let listen), .ports(let others, let otherListens)):
            let connect = connect.subtracting(others), listen = listen.subtracting(otherListens)
            return connect.isEmpty && listen.isEmpty ? .none : .ports(connect: connect, listen: listen)
        }
    }
}

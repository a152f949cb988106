import Synchronization

/// Which bundle offers what at the extension points of the process: a name is unique at its point.
final class ProviderTable: Sendable {
    static let shared = ProviderTable()

    /// The path of the bundle that offers it, by point and name.
    private let owners = Mutex<[Registrations.Key: String]>([:])

    /// Enters all keys or none.
    ///
    /// - Parameter predecessor: the bundle whose keys may be taken over.
    /// - Throws: ``PluginError`` of code `duplicateFactory` that names both bundles.
    func insert(
        _ keys: [Registrations.Key], of bundlePath: String, inPlaceOf predecessor: String? = nil
    ) throws(PluginError) {
        guard !keys.isEmpty else { return }
        let conflict: (key: Registrations.Key, owner: String)? = owners.withLock { owners in
            for key in keys {
                if let owner = owners[key], owner != predecessor { return (key, owner) }
            }
            for key in keys { owners[key] = bundlePath }
            return nil
        }
        guard let conflict else { return }
        throw PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .duplicateFactory, subject: conflict.key.name,
                message:
                    "The name \(quoted(conflict.key.name)) at the extension point \(quoted(conflict.key.point)) is "
                    + "taken by the bundle \(quoted(conflict.owner)).",
                remedy: "Remove or unload one of the two bundles, or rename the provider."))
    }

    /// Undoes an insertion: what was taken over from another bundle goes back to it.
    func remove(
        _ keys: [Registrations.Key], of bundlePath: String,
        backTo predecessor: (path: String, keys: [Registrations.Key])
    ) {
        let old = Set(predecessor.keys)
        owners.withLock { owners in
            for key in keys where owners[key] == bundlePath { owners[key] = old.contains(key) ? predecessor.path : nil }
        }
    }

    /// The paths of the bundles that have a name at an extension point.
    func owners(at point: String) -> Set<String> {
        owners.withLock { owners in Set(owners.lazy.filter { $0.key.point == point }.map(\.value)) }
    }

    func remove(_ keys: [Registrations.Key], of bundlePath: String) {
        owners.withLock { owners in
            for key in keys where owners[key] == bundlePath { owners[key] = nil }
        }
    }
}

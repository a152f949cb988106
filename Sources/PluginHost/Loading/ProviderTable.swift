import HostBasics
import Synchronization

/// Which bundle owns which name at the extension points of the process.
///
/// Each name is unique at its point.
final class ProviderTable: Sendable {
    static let shared = ProviderTable()

    private struct Owner {
        /// The path of the bundle that owns the name.
        var path: String
        /// The path of the bundle that is about to take over the name.
        var successor: String?
    }

    /// By point and name.
    private let owners = Lock<[Registrations.Key: Owner]>([:])

    /// Adds all keys or none.
    ///
    /// A predecessor keeps its keys until ``takeOver(_:by:)``. `predecessor`: the bundle whose keys may be taken over.
    /// Throws ``PluginError`` of code `duplicateFactory` that names both bundles.
    func insert(
        _ keys: [Registrations.Key], of bundlePath: String, inPlaceOf predecessor: String? = nil
    ) throws(PluginError) {
        guard !keys.isEmpty else { return }
        let conflict: (key: Registrations.Key, owner: String)? = owners.withLock { owners in
            for key in keys {
                if let owner = owners[key], owner.path != predecessor { return (key, owner.path) }
            }
            for key in keys {
                if owners[key] == nil {
                    owners[key] = Owner(path: bundlePath)
                } else {
                    owners[key]?.successor = bundlePath
                }
            }
            return nil
        }
        guard let conflict else { return }
        throw PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .duplicateFactory, subject: conflict.key.name,
                message:
                    "The name \(quoted(conflict.key.name)) at the extension point \(quoted(conflict.key.point)) is "
                    + "already taken by the bundle \(quoted(conflict.owner)).",
                remedy: "Remove or unload one of the two bundles, or rename the provider."))
    }

    /// Makes a bundle the owner of the keys for which it was added as the successor.
    func takeOver(_ keys: [Registrations.Key], by bundlePath: String) {
        owners.withLock { owners in
            for key in keys where owners[key]?.successor == bundlePath { owners[key] = Owner(path: bundlePath) }
        }
    }

    /// Removes a bundle's keys.
    ///
    /// Keys that the bundle was about to take over stay with the other bundle. Keys that another bundle was about to
    /// take over go to that bundle now.
    func remove(_ keys: [Registrations.Key], of bundlePath: String) {
        owners.withLock { owners in
            for key in keys {
                guard let owner = owners[key] else { continue }
                if owner.path == bundlePath {
                    owners[key] = owner.successor.map { Owner(path: $0) }
                } else if owner.successor == bundlePath {
                    owners[key]?.successor = nil
                }
            }
        }
    }

    /// The paths of the bundles that own a name at an extension point.
    func owners(at point: String) -> Set<String> {
        owners.withLock { owners in Set(owners.lazy.filter { $0.key.point == point }.map(\.value.path)) }
    }
}

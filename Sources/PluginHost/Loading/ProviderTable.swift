import HostBasics
import Synchronization

/// Which bundle has which name at the extension points of the process: each name is unique at its point.
final class ProviderTable: Sendable {
    static let shared = ProviderTable()

    private struct Owner {
        /// The path of the bundle that has it.
        var path: String
        /// The path of the bundle that is about to take it over.
        var successor: String?
    }

    /// By point and name.
    private let owners = Lock<[Registrations.Key: Owner]>([:])

    /// Adds all keys or none.
    ///
    /// Keys of a predecessor stay with it until ``takeOver(_:by:)``. `predecessor`: the bundle whose keys may be taken
    /// over. Throws ``PluginError`` of code `duplicateFactory` that names both bundles.
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

    /// Moves the keys that a bundle was added for as a successor to that bundle.
    func takeOver(_ keys: [Registrations.Key], by bundlePath: String) {
        owners.withLock { owners in
            for key in keys where owners[key]?.successor == bundlePath { owners[key] = Owner(path: bundlePath) }
        }
    }

    /// Removes a bundle's keys.
    ///
    /// Keys that it was about to take over stay with the other bundle; keys that another bundle was about to take over
    /// go to that bundle now.
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

    /// The paths of the bundles that have a name at an extension point.
    func owners(at point: String) -> Set<String> {
        owners.withLock { owners in Set(owners.lazy.filter { $0.key.point == point }.map(\.value.path)) }
    }
}

import ELFImages
import HostBasics
import Synchronization

/// The libraries that bundles brought into this process, by the names under which the dynamic linker finds them.
///
/// The dynamic linker gives every later file that needs a name the first image with that name. So a name belongs to the
/// first bundle that carries a library with it; another bundle's library of that name is loaded from a private copy
/// that has names of its own (``OwnNamesCopy``).
///
/// **Threads.** Any. **Cost.** None for a bundle whose needed libraries were in the process before any bundle.
final class CarriedNames: Sendable {
    static let shared = CarriedNames()

    /// A library that has a name.
    struct Carrier: Sendable {
        let bundlePath: String
        let path: String
        fileprivate let file: FileIdentity
    }

    /// Libraries that a bundle is about to open, and their unique symbols.
    struct Claim {
        let bundlePath: String
        var libraries: [(name: String, carrier: Carrier)] = []
        /// Hashes of the names of unique symbols.
        var uniqueSymbols: [UInt64] = []

        init(of bundlePath: String) { self.bundlePath = bundlePath }

        mutating func append(_ name: String, _ path: String, _ file: FileIdentity) {
            libraries.append((name, Carrier(bundlePath: bundlePath, path: path, file: file)))
        }
    }

    private struct State {
        var libraries: [String: Carrier] = [:]
        /// The bundles that define unique symbols.
        var uniqueSymbols: [UInt64: String] = [:]
    }

    private let state = Lock(State())

    /// Who has a name; nil if no bundle does.
    func carrier(of name: String) -> Carrier? { state.withLock { $0.libraries[name] } }

    /// The paths of all libraries that bundles brought.
    var paths: Set<String> { state.withLock { Set($0.libraries.values.map(\.path)) } }

    /// Gives a bundle all names that it claims, or none.
    ///
    /// A name that the system's libraries have counts as taken, because the next plug-in that needs the system's library
    /// would get this one. Not in a confined worker, where a copy is impossible and most often no other plug-in follows.
    ///
    /// - Returns: why the bundle's libraries need names of their own; nil if the bundle now has the names.
    func take(_ claim: Claim) -> LibraryClash? {
        var free: Set<String> = []
        for (name, carrier) in claim.libraries {
            if let known = self.carrier(of: name) {
                // A library that was replaced after it could not be loaded.
                if known.bundlePath == claim.bundlePath, !LoadedLibrary.isPresent(name) { free.insert(name) }
            } else if OwnNamesCopy.isAllowed.load(ordering: .relaxed),
                let path = Self.systemLibrary(name, otherThan: carrier.file, in: Self.cache)
            {
                return LibraryClash(name, carrier.path, .system(path))
            }
        }
        let clash: LibraryClash? = state.withLock { state in
            for (name, carrier) in claim.libraries where !free.contains(name) {
                if let known = state.libraries[name], !known.file.isSameFile(as: carrier.file) {
                    return LibraryClash(name, carrier.path, .bundle(known.bundlePath, library: known.path))
                }
            }
            for symbol in claim.uniqueSymbols {
                if let known = state.uniqueSymbols[symbol], known != claim.bundlePath {
                    return LibraryClash(nil, claim.bundlePath, .uniqueSymbol(known))
                }
            }
            for (name, carrier) in claim.libraries where state.libraries[name] == nil || free.contains(name) {
                state.libraries[name] = carrier
            }
            for symbol in claim.uniqueSymbols { state.uniqueSymbols[symbol] = claim.bundlePath }
            return nil
        }
        if clash == nil { for (name, _) in claim.libraries { KnownLibraries.setCarried(name) } }
        return clash
    }

    // MARK: The system's libraries

    /// Read once, because a library that is installed later is rare, and then only shares as it did before.
    private static let cache = LinkerCache()

    /// The system's library of a name as the system has it now; nil if it has none.
    ///
    /// **Cost.** Reads the dynamic linker's cache.
    static func systemLibrary(_ name: String) -> String? { systemLibrary(name, otherThan: nil, in: LinkerCache()) }

    private static func systemLibrary(
        _ name: String, otherThan file: FileIdentity?, in cache: LinkerCache
    ) -> String? {
        cache.paths(of: name).first { path in
            guard let other = try? OpenedFile(path: path), ELFInspector.machine(of: other) == ELF.hostMachine else {
                return false
            }
            return file.map { !$0.isSameFile(as: other.identity) } ?? true
        }
    }
}

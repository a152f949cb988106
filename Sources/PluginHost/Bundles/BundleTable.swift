import HostBasics
import Synchronization

/// All bundle objects of the process: one per directory.
///
/// Objects are held weakly until their code is loaded. Loaded code stays in the process, and so does its bundle object.
final class BundleTable: Sendable {
    static let shared = BundleTable()

    private struct Row {
        let reference: WeakReference<PluginBundle>
        /// A running number: of two equal candidates, the newer one wins.
        let number: Int
    }

    private struct State {
        var byPath: [String: Row] = [:]
        /// The bundles of the loaded libraries, sorted by address, highest first.
        ///
        /// A new library usually has a lower address than all others, so it is appended.
        var libraries: [(base: UInt, bundle: PluginBundle)] = []
        /// Bundles whose code is linked into the program, by the address of their entry.
        var byEntry: [UInt: PluginBundle] = [:]
        /// The classes that these bundles registered.
        var byLinkedClass: [ObjectIdentifier: PluginBundle] = [:]
        /// Bundles of libraries that were not loaded by PluginHost.
        var byOtherLibrary: [UInt: PluginBundle] = [:]
        var created = 0

        /// The index in ``images`` of the library at an address, or the index where it would be inserted.
        func place(ofLibrary base: UInt) -> Int {
            if let last = libraries.last, last.base <= base {
                return libraries.indices.partitioningIndex { libraries[$0].base <= base }
            }
            return libraries.count
        }
    }

    private let state = Lock(State())

    /// The object of a directory, if one exists.
    func bundle(atPath path: String) -> PluginBundle? {
        // Load the object outside the lock, because this strong reference may turn out to be the last.
        state.withLock { $0.byPath[path]?.reference }?.object
    }

    /// Adds a new object and returns it.
    ///
    /// If another thread has already added one, returns that one.
    func insert(_ bundle: PluginBundle) -> PluginBundle {
        state.withLock { state in
            // An object that could not be read is replaced by one that was read later.
            if let existing = state.byPath[bundle.bundlePath]?.reference.object, !existing.isProvisional {
                return existing
            }
            state.created += 1
            state.byPath[bundle.bundlePath] = Row(reference: WeakReference(bundle), number: state.created)
            return bundle
        }
    }

    /// Removes the row of a directory whose object is gone.
    ///
    /// Called when the object is destroyed.
    func removeDead(path: String) {
        state.withLock { state in
            // The row may already belong to a new object of the same directory.
            if let row = state.byPath[path], !row.reference.isAlive { state.byPath[path] = nil }
        }
    }

    /// Records which bundle a library belongs to, and keeps that bundle until the process ends.
    ///
    /// - Returns: the bundle that already owns the library; nil if it had no owner.
    func claimLibrary(base: UInt, for bundle: PluginBundle) -> PluginBundle? {
        state.withLock { state in
            let place = state.place(ofLibrary: base)
            if place == state.libraries.count {
                state.libraries.append((base, bundle))
                return nil
            }
            if state.libraries[place].base == base { return state.libraries[place].bundle }
            state.libraries.insert((base, bundle), at: place)
            return nil
        }
    }

    /// Records which bundle has a function of the program as its entry, and keeps that bundle until the process ends.
    ///
    /// - Returns: the other bundle that already owns the function; nil if it had no owner or already belongs to this
    ///   bundle.
    func claimEntry(_ address: UInt, for bundle: PluginBundle) -> PluginBundle? {
        state.withLock { state in
            if let owner = state.byEntry[address] { return owner === bundle ? nil : owner }
            state.byEntry[address] = bundle
            return nil
        }
    }

    /// Records which bundle these classes of the program belong to.
    func add(linkedClasses: [AnyClass], of bundle: PluginBundle) {
        state.withLock { state in
            for aClass in linkedClasses { state.byLinkedClass[ObjectIdentifier(aClass)] = bundle }
        }
    }

    /// The bundle of a class whose code is linked into the program.
    func bundle(linkedClass: AnyClass) -> PluginBundle? {
        state.withLock { $0.byLinkedClass[ObjectIdentifier(linkedClass)] }
    }

    /// The bundle whose code is in the library at a base address.
    func bundle(libraryBase: UInt) -> PluginBundle? {
        state.withLock { state in
            let place = state.place(ofLibrary: libraryBase)
            return place < state.libraries.count && state.libraries[place].base == libraryBase
                ? state.libraries[place].bundle : nil
        }
    }

    /// The bundle of a library that was not loaded by PluginHost.
    ///
    /// The search runs once for each library: a library that defines Swift classes is never unmapped, so its address
    /// stays valid. A bundle that could not be read is searched for again.
    func bundle(ofOtherLibrary base: UInt, find: () -> PluginBundle) -> PluginBundle {
        if let known = state.withLock({ $0.byOtherLibrary[base] }) { return known }
        let found = find()
        if found.isProvisional { return found }
        state.withLock { $0.byOtherLibrary[base] = found }
        return found
    }

    /// All existing objects, oldest first.
    var all: [PluginBundle] {
        state.withLock { Array($0.byPath.values) }.sorted { $0.number < $1.number }.compactMap(\.reference.object)
    }

    /// The base addresses of the libraries that bundles have loaded.
    var libraryBases: [UInt] { state.withLock { $0.libraries.map(\.base) } }
}

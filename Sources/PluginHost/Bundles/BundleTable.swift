import HostBasics
import Synchronization

/// All bundle objects of the process: one per directory.
///
/// Objects are held weakly until their code is loaded. Code stays in the process, and so does its bundle.
final class BundleTable: Sendable {
    static let shared = BundleTable()

    private struct Row {
        let reference: WeakReference<PluginBundle>
        /// A running number; of two equal candidates the one created last wins.
        let number: Int
    }

    private struct State {
        var byPath: [String: Row] = [:]
        /// The bundles of the loaded images, sorted by address, highest first.
        ///
        /// A new image usually has a lower address than all others, so it is appended.
        var images: [(base: UInt, bundle: PluginBundle)] = []
        /// Bundles whose code is linked into the program, by the address of their entry.
        var byEntry: [UInt: PluginBundle] = [:]
        /// The classes that these bundles registered.
        var byLinkedClass: [ObjectIdentifier: PluginBundle] = [:]
        /// Bundles of libraries that were not loaded by PluginHost.
        var byForeignImage: [UInt: PluginBundle] = [:]
        var created = 0

        /// The index of the image at an address in ``images``, or the index where it would be inserted.
        func place(ofImage base: UInt) -> Int {
            if let last = images.last, last.base <= base {
                return images.indices.partitioningIndex { images[$0].base <= base }
            }
            return images.count
        }
    }

    private let state = Lock(State())

    /// The object of a directory, if there is one.
    func bundle(atPath path: String) -> PluginBundle? {
        // Read outside of the lock, because this strong reference may turn out to be the last.
        state.withLock { $0.byPath[path]?.reference }?.object
    }

    /// Adds a new object, unless another thread was faster; then returns that thread's object.
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

    /// Removes the row of a directory whose object is gone; called when the object is destroyed.
    func removeDead(path: String) {
        state.withLock { state in
            // The row may already belong to a new object of the same directory.
            if let row = state.byPath[path], !row.reference.isAlive { state.byPath[path] = nil }
        }
    }

    /// Records which bundle an image belongs to, and keeps that bundle until the process ends.
    ///
    /// - Returns: the bundle that the image belonged to before; nil if it was free.
    func claimImage(base: UInt, for bundle: PluginBundle) -> PluginBundle? {
        state.withLock { state in
            let place = state.place(ofImage: base)
            if place == state.images.count {
                state.images.append((base, bundle))
                return nil
            }
            if state.images[place].base == base { return state.images[place].bundle }
            state.images.insert((base, bundle), at: place)
            return nil
        }
    }

    /// Records which bundle a function of the program is the entry of, and keeps that bundle until the process ends.
    ///
    /// - Returns: the other bundle to which it belongs; nil if it was free or already belongs to this bundle.
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

    /// The bundle to which a class belongs whose code is linked into the program.
    func bundle(linkedClass: AnyClass) -> PluginBundle? {
        state.withLock { $0.byLinkedClass[ObjectIdentifier(linkedClass)] }
    }

    /// The bundle whose code is in the image at a base address.
    func bundle(imageBase: UInt) -> PluginBundle? {
        state.withLock { state in
            let place = state.place(ofImage: imageBase)
            return place < state.images.count && state.images[place].base == imageBase
                ? state.images[place].bundle : nil
        }
    }

    /// The bundle of a library that was not loaded by PluginHost.
    ///
    /// The search runs once for each library: a library that defines Swift classes is never unmapped, so its address
    /// stays valid. A bundle that could not be read is searched for again.
    func bundle(ofForeignImage base: UInt, find: () -> PluginBundle) -> PluginBundle {
        if let known = state.withLock({ $0.byForeignImage[base] }) { return known }
        let found = find()
        if found.isProvisional { return found }
        state.withLock { $0.byForeignImage[base] = found }
        return found
    }

    /// All existing objects, oldest first.
    var all: [PluginBundle] {
        state.withLock { Array($0.byPath.values) }.sorted { $0.number < $1.number }.compactMap(\.reference.object)
    }

    /// The base addresses of the images that bundles have loaded.
    var imageBases: [UInt] { state.withLock { $0.images.map(\.base) } }
}

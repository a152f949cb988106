import Synchronization

/// Every bundle object of the process: one for each directory.
///
/// Objects are held weakly until their code is loaded: code stays in the process, and so does its bundle.
final class BundleTable: Sendable {
    static let shared = BundleTable()

    private struct Entry {
        let reference: WeakReference<PluginBundle>
        /// Counts up; the last created wins ties.
        let number: Int
    }

    private struct State {
        var byPath: [String: Entry] = [:]
        /// By where the image stands, the highest address first: a new image mostly stands below all others, and is
        /// appended.
        var images: [(base: UInt, bundle: PluginBundle)] = []
        /// Bundles whose code is linked into the program, by the address of their entry.
        var byEntry: [UInt: PluginBundle] = [:]
        /// The classes that they registered.
        var byLinkedClass: [ObjectIdentifier: PluginBundle] = [:]
        /// Bundles of libraries that the process has without us.
        var byForeignImage: [UInt: PluginBundle] = [:]
        var created = 0

        /// Where the image at an address is among ``images``, or would be.
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

    /// Enters a new object, unless another thread was faster: then that one's.
    func insert(_ bundle: PluginBundle) -> PluginBundle {
        state.withLock { state in
            // One that could not be read gives its place to one that was read again.
            if let existing = state.byPath[bundle.bundlePath]?.reference.object, !existing.isProvisional {
                return existing
            }
            state.created += 1
            state.byPath[bundle.bundlePath] = Entry(reference: WeakReference(bundle), number: state.created)
            return bundle
        }
    }

    /// Forgets a directory whose object is gone; called when the object is destroyed.
    func removeDead(path: String) {
        state.withLock { state in
            // The entry may already belong to a new object of the same directory.
            if let entry = state.byPath[path], !entry.reference.isAlive { state.byPath[path] = nil }
        }
    }

    /// Notes whose code stands in an image, and keeps that bundle for the life of the process.
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

    /// Notes whose entry a function of the program is, and keeps that bundle for the life of the process.
    ///
    /// - Returns: the other bundle that it belongs to; nil if it was free, or is this bundle's.
    func claimEntry(_ address: UInt, for bundle: PluginBundle) -> PluginBundle? {
        state.withLock { state in
            if let owner = state.byEntry[address] { return owner === bundle ? nil : owner }
            state.byEntry[address] = bundle
            return nil
        }
    }

    /// Notes whose classes of the program are.
    func add(linkedClasses: [AnyClass], of bundle: PluginBundle) {
        state.withLock { state in
            for aClass in linkedClasses { state.byLinkedClass[ObjectIdentifier(aClass)] = bundle }
        }
    }

    /// The bundle that a class belongs to whose code is linked into the program.
    func bundle(linkedClass: AnyClass) -> PluginBundle? {
        state.withLock { $0.byLinkedClass[ObjectIdentifier(linkedClass)] }
    }

    /// The bundle whose code stands in the image at a base address.
    func bundle(imageBase: UInt) -> PluginBundle? {
        state.withLock { state in
            let place = state.place(ofImage: imageBase)
            return place < state.images.count && state.images[place].base == imageBase
                ? state.images[place].bundle : nil
        }
    }

    /// The bundle of a library that came into the process without us, found once: one that defines Swift classes is
    /// never unmapped, so that its address stays its own. One that could not be read is looked for again.
    func bundle(ofForeignImage base: UInt, find: () -> PluginBundle) -> PluginBundle {
        if let known = state.withLock({ $0.byForeignImage[base] }) { return known }
        let found = find()
        if found.isProvisional { return found }
        state.withLock { $0.byForeignImage[base] = found }
        return found
    }

    /// All live objects, oldest first.
    var all: [PluginBundle] {
        state.withLock { Array($0.byPath.values) }.sorted { $0.number < $1.number }.compactMap(\.reference.object)
    }

    /// The bases of the images that bundles have brought into the process.
    var imageBases: [UInt] { state.withLock { $0.images.map(\.base) } }
}

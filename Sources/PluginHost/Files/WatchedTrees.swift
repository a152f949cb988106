import CPluginSupport.Shims
import Glibc

/// Which directories are watched and why: trees of directories, and the directories above each, by which a tree that is
/// removed, made anew, or reached through another link is found again.
struct WatchedTrees {
    /// A directory and those below it.
    private struct Tree {
        /// Where it is.
        let path: String
        /// Whether every directory of the root is entered, or only those that the owner wants.
        let isEnteredWholly: Bool
        /// The watches of the root and the directories below it, by how they are called in reports.
        var watches: [String: CInt] = [:]
        var above: Set<CInt> = []
    }

    /// Why a directory is watched.
    private struct Place: Hashable {
        /// The tree, by the name of its root in reports.
        let tree: String
        /// The directory, as reports call it; for one above the tree, its path.
        let directory: String
        /// Where the directory is.
        let path: String
        /// Levels below the root; -1 for a directory above the tree.
        let depth: Int
        /// In a directory above the tree, the one name that leads to the tree.
        var name = ""
    }

    private let inotify: Inotify
    private let enters: @Sendable (String) -> Bool
    private var trees: [String: Tree] = [:]
    private var places: [CInt: Set<Place>] = [:]
    /// Why a directory could not be watched, since somebody last asked.
    private var failure: Inotify.Failure?

    /// Deeper directories are no part of any bundle.
    private static let mostLevels = 32

    private static let content = Int(
        IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
            | IN_MOVE_SELF)
    private static let ancestry = Int(
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
    private static let selfEvents = Int(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)

    /// - Parameter enters: whether to watch the inside of a directory, or of a link to one, that stands in a root.
    init(_ inotify: Inotify, enters: @escaping @Sendable (String) -> Bool) {
        self.inotify = inotify
        self.enters = enters
    }

    /// The roots that the owner has named.
    var roots: [String] { trees.filter { !$0.value.isEnteredWholly }.map(\.key) }

    /// The number of directories that the kernel watches.
    var count: Int { places.count }

    // MARK: Trees

    mutating func insert(_ root: String) {
        guard trees[root] == nil else { return }
        trees[root] = Tree(path: root, isEnteredWholly: false)
        attach(root)
    }

    mutating func remove(_ root: String) {
        for tree in trees.keys where tree == root || BundlePath.isInside(tree, directory: root) {
            detach(tree)
            trees[tree] = nil
        }
    }

    /// What kept a directory from being watched since the last call.
    mutating func takeFailure() -> Inotify.Failure? {
        defer { failure = nil }
        return failure
    }

    private mutating func attach(_ name: String) {
        guard let tree = trees[name] else { return }
        var above = "/"
        for component in tree.path.split(separator: "/") {
            let place = Place(tree: name, directory: above, path: above, depth: -1, name: String(component))
            // Where this directory is missing, the one above it tells when it comes. One that may not be read cannot be
            // watched, and those below it still can.
            if let watch = add(place, Self.ancestry) { trees[name]?.above.insert(watch) }
            above = BundlePath.join(above, String(component))
        }
        enter(Place(tree: name, directory: name, path: tree.path, depth: 0))
    }

    private mutating func detach(_ name: String) {
        guard let tree = trees[name] else { return }
        for watch in Set(tree.watches.values).union(tree.above) { forget(watch) { $0.tree == name } }
        trees[name]?.watches = [:]
        trees[name]?.above = []
    }

    /// Watches a directory and what is below it. The names are read when the watch is there, so that none is missed.
    private mutating func enter(_ place: Place) {
        guard place.depth < Self.mostLevels, let watch = add(place, Self.content) else { return }
        trees[place.tree]?.watches[place.directory] = watch
        for (name, kind) in DirectoryListing(path: place.path).names where kind != .file { consider(name, in: place) }
    }

    /// Enters what a name stands for, if it is a directory that belongs to the tree.
    private mutating func consider(_ name: String, in place: Place) {
        let isChoice = place.depth == 0 && !(trees[place.tree]?.isEnteredWholly ?? true)
        guard !isChoice || enters(name) else { return }
        let path = BundlePath.join(place.path, name)
        let directory = BundlePath.join(place.directory, name)
        switch Self.kind(path) {
        case S_IFDIR:
            enter(Place(tree: place.tree, directory: directory, path: path, depth: place.depth + 1))
        case S_IFLNK where isChoice:
            // What the link leads to is a tree of its own: it may be made anew where it stands.
            guard trees[directory] == nil, let target = Self.target(of: path) else { return }
            trees[directory] = Tree(path: target, isEnteredWholly: true)
            attach(directory)
        default: break
        }
    }

    private static func kind(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    /// Where a link leads, also if nothing is there yet.
    private static func target(of link: String) -> String? {
        if let resolved = BundlePath.resolved(link) { return resolved }
        guard let target = BundlePath.linkTarget(link) else { return nil }
        return BundlePath.normalized(target.hasPrefix("/") ? target : BundlePath.parent(link) + "/" + target)
    }

    // MARK: Watches

    private mutating func add(_ place: Place, _ mask: Int) -> CInt? {
        do throws(Inotify.Failure) {
            let watch = try inotify.add(place.path, mask)
            places[watch, default: []].insert(place)
            return watch
        } catch {
            // What is missing or may not be read is not watched; that the kernel has no more watches must be told.
            if error.errno == ENOSPC || error.errno == ENOMEM { failure = error }
            return nil
        }
    }

    private mutating func forget(_ watch: CInt, where isGone: (Place) -> Bool) {
        guard let rest = places[watch]?.filter({ !isGone($0) }) else { return }
        places[watch] = rest.isEmpty ? nil : rest
        if rest.isEmpty { inotify.remove(watch) }
    }

    /// Stops watching a directory that went away from its place, and those below it.
    private mutating func leave(_ directory: String, of tree: String) {
        for (known, watch) in trees[tree]?.watches ?? [:]
        where known == directory || BundlePath.isInside(known, directory: directory) {
            trees[tree]?.watches[known] = nil
            forget(watch) { $0.tree == tree && $0.directory == known }
        }
        // A link in the root leads to a tree that bears the link's name.
        if directory != tree, trees[directory] != nil { remove(directory) }
    }

    // MARK: Events

    /// Brings the tables up to date with an event, and notes what it means for the owner.
    ///
    /// - Returns: whether it means anything.
    mutating func apply(
        _ event: Inotify.Event, to changes: inout DirectoryChanges, _ quiet: inout QuietPeriod
    ) -> Bool {
        if event.isAny(of: Int(IN_Q_OVERFLOW)) {
            for root in Array(trees.keys) { renew(root, &changes) }
            return true
        }
        guard let affected = places[event.watch] else { return false }
        // The kernel has removed the watch by itself, as the directory is gone.
        if event.isAny(of: Int(IN_IGNORED)) { places[event.watch] = nil }
        var isOfUse = false
        for place in affected {
            if event.isAny(of: Self.selfEvents) {
                if place.depth <= 0 { renew(place.tree, &changes) } else { leave(place.directory, of: place.tree) }
            } else if place.depth < 0 {
                // Of a directory above a tree, only the name that leads to the tree.
                guard place.name == event.name else { continue }
                renew(place.tree, &changes)
            } else {
                // Of a directory itself only its permissions are told, which its parent tells too.
                guard !event.name.isEmpty else { continue }
                noteName(event, in: place, &changes, &quiet)
            }
            isOfUse = true
        }
        return isOfUse
    }

    /// Finds a tree again by its path. Events that were on their way are lost by that, so all of it may have changed.
    private mutating func renew(_ tree: String, _ changes: inout DirectoryChanges) {
        // The trees that links in this one lead to are found again with it.
        for other in trees.keys where BundlePath.isInside(other, directory: tree) { remove(other) }
        guard trees[tree] != nil else { return }
        detach(tree)
        attach(tree)
        changes.insert(wholly: tree)
    }

    private mutating func noteName(
        _ event: Inotify.Event, in place: Place, _ changes: inout DirectoryChanges, _ quiet: inout QuietPeriod
    ) {
        changes.insert(event.name, in: place.directory, root: place.tree)
        let directory = BundlePath.join(place.directory, event.name)
        if event.isAny(of: Int(IN_MOVED_FROM | IN_DELETE)) {
            leave(directory, of: place.tree)
            quiet.ended(writing: directory)
        }
        if event.isAny(of: Int(IN_CREATE | IN_MOVED_TO)), trees[place.tree]?.watches[directory] == nil {
            consider(event.name, in: place)
        }
        if event.isAny(of: Int(IN_ISDIR)) { return }
        if event.isAny(of: Int(IN_CREATE)), Self.isBeingWritten(BundlePath.join(place.path, event.name)) {
            quiet.began(writing: directory)
        }
        if event.isAny(of: Int(IN_MODIFY)) { quiet.began(writing: directory) }
        if event.isAny(of: Int(IN_CLOSE_WRITE)) { quiet.ended(writing: directory) }
    }

    /// Whether a file that came to be was opened for that; a link to a file was not, and is never closed.
    private static func isBeingWritten(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
    }
}

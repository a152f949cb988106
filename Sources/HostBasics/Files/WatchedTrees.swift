import CPluginSupport.Shims
import Glibc

/// The directories that are watched, and why.
///
/// They are trees of directories, and the directories above each tree. Watching those finds a tree again after it was
/// removed and created again, or after a link on its path was changed.
///
/// The number of watched directories is limited (``Limits``), for each bundle and in total. Beyond the limits, the
/// watch continues with the directories that it has, upper directories before deeper ones, and a ``WatchGap`` reports
/// where changes are not noticed.
package struct WatchedTrees {
    /// How many directories are watched at most; docs/bundle-format.md, "Limits", lists the values.
    package struct Limits: Sendable {
        /// For one bundle, or for the target of a link in a root.
        package var bundle = 1_024
        /// For a directory that is the target of a link in a root but not a bundle: enough to notice when it becomes
        /// one.
        package var noBundle = 64
        /// For everything in one watch: the user's other programs need watches too.
        package var total: Int
        /// The maximum depth: no bundle has deeper directories that belong to it.
        package var levels = 32

        /// - Parameter total: nil for a sixteenth of the user's limit in the system, but at most 16,384.
        package init(total: Int? = nil) {
            self.total = total ?? min(16_384, (Inotify.limit("fs.inotify.max_user_watches") ?? 8_192) / 16)
        }
    }

    /// A directory and those below it.
    private struct Tree {
        /// The path that leads to it, perhaps through links.
        let origin: String
        /// Where it is, without links.
        var path: String
        /// Which directories in it are entered.
        let content: Content
        /// Whether it is the target of a link and does not look like a bundle: only its upper directories are watched.
        var isShallow = false
        /// How many directories are watched for each bundle.
        var counts: [String: Int] = [:]
        /// The watches of the root and the directories below it, by their names in reports.
        var watches: [String: CInt] = [:]
        var above: Set<CInt> = []
    }

    private enum Content {
        /// In a root that the owner added: the directories that the owner wants.
        case chosen
        /// In the target of a link in a root: all.
        case bundle
        /// In the target of a link at the top of a bundle, such as `Contents`: all.
        case partOfBundle
    }

    /// Why a directory is watched.
    private struct Place: Hashable {
        /// The tree, by the name of its root in reports.
        let tree: String
        /// The directory's name in reports; for a directory above the tree, its path.
        let directory: String
        /// Where the directory is.
        let path: String
        /// Levels below the root; -1 for a directory above the tree.
        let depth: Int
        /// The name in reports of the bundle that contains the directory; for the root, the root's name.
        let bundle: String
        /// In a directory above the tree, the only name that leads to the tree.
        var name = ""
    }

    private let inotify: Inotify
    private let enters: @Sendable (String) -> Bool
    private let isBundle: @Sendable (String) -> Bool
    private let limits: Limits
    private var trees: [String: Tree] = [:]
    private var places: [CInt: Set<Place>] = [:]
    /// Why a directory could not be watched; reset by ``takeFailure()``.
    private var failure: Inotify.Failure?
    /// Where changes are not noticed; reset by ``takeGaps()``.
    private var gaps: [WatchGap] = []
    /// The gaps that were already reported.
    private var reportedGaps: Set<WatchGap> = []
    private static let mostGaps = 256
    /// Directories that the system refused to read, to be tried again.
    private var unread: Set<Place> = []

    private static let content = Int(
        IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
            | IN_MOVE_SELF)
    private static let ancestry = Int(
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
    private static let selfEvents = Int(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)

    /// Creates an empty set, for an inotify object that watches the directories.
    ///
    /// `enters`: takes the name of a directory in a root, or of a link to one; returns whether to watch its content.
    /// `isBundle`: takes the path to which a link leads; returns whether it is a bundle.
    package init(
        _ inotify: Inotify, limits: Limits = Limits(), enters: @escaping @Sendable (String) -> Bool,
        isBundle: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.inotify = inotify
        self.limits = limits
        self.enters = enters
        self.isBundle = isBundle
    }

    /// The roots that the owner has added.
    package var roots: [String] { trees.filter { $0.value.content == .chosen }.map(\.key) }

    /// The number of directories that the kernel watches.
    package var count: Int { places.count }

    // MARK: Trees

    package mutating func insert(_ root: String) {
        guard trees[root] == nil else { return }
        trees[root] = Tree(origin: root, path: root, content: .chosen)
        attach(root)
    }

    package mutating func remove(_ root: String) {
        for tree in trees.keys where tree == root || Path.isInside(tree, directory: root) {
            detach(tree)
            trees[tree] = nil
        }
    }

    /// Why a directory could not be watched since the last call, or nil.
    mutating func takeFailure() -> Inotify.Failure? {
        defer { failure = nil }
        return failure
    }

    /// The gaps that were not reported yet.
    mutating func takeGaps() -> [WatchGap] {
        defer { gaps = [] }
        return gaps
    }

    private mutating func note(_ gap: WatchGap) {
        if reportedGaps.count < Self.mostGaps, reportedGaps.insert(gap).inserted { gaps.append(gap) }
    }

    /// Whether there are directories to try again.
    var hasUnread: Bool { !unread.isEmpty }

    /// Tries again to read the unreadable directories.
    ///
    /// Anything may have changed in those that are readable now.
    mutating func readAgain(_ changes: inout DirectoryChanges) {
        let places = unread
        unread = []
        for place in places where trees[place.tree] != nil {
            enter(place)
            if !unread.contains(place) { changes.insert(wholly: place.directory) }
        }
    }

    private mutating func attach(_ name: String) {
        guard let tree = trees[name] else { return }
        var walk = PathWalk(tree.origin)
        while let step = walk.next() {
            let place = Place(
                tree: name, directory: step.directory, path: step.directory, depth: -1, bundle: name, name: step.name)
            // If this directory is missing, the watch of the one above reports its creation. An unreadable directory
            // cannot be watched, but those below it may still be.
            if hasRoom(for: place), let watch = add(place, Self.ancestry) { trees[name]?.above.insert(watch) }
            // Only after the watch was added, so that no change of a link is missed.
            walk.advance()
        }
        let path = walk.isFinished ? walk.directory : tree.origin
        trees[name]?.path = path
        if tree.content == .bundle { trees[name]?.isShallow = !isBundle(path) }
        enter(Place(tree: name, directory: name, path: path, depth: 0, bundle: name))
    }

    private mutating func detach(_ name: String) {
        guard let tree = trees[name] else { return }
        for watch in Set(tree.watches.values).union(tree.above) { forget(watch) { $0.tree == name } }
        trees[name]?.watches = [:]
        trees[name]?.above = []
        trees[name]?.counts = [:]
        unread = unread.filter { $0.tree != name }
    }

    /// Watches a directory and everything below it, the upper directories first.
    ///
    /// The names are read after the watch was added, so that none is missed.
    private mutating func enter(_ place: Place) {
        var waiting = [place]
        var next = 0
        while next < waiting.count {
            let place = waiting[next]
            next += 1
            guard hasRoom(for: place), let watch = add(place, Self.content) else { continue }
            if trees[place.tree]?.watches.updateValue(watch, forKey: place.directory) == nil {
                trees[place.tree]?.counts[place.bundle, default: 0] += 1
            }
            // The upper two levels are enough to notice that it becomes a bundle.
            if place.depth > 0, trees[place.tree]?.isShallow ?? false { continue }
            let listing = DirectoryListing(path: place.path)
            if let errno = listing.failure {
                note(WatchGap(directory: place.directory, reason: .unreadable(errno: errno)))
                unread.insert(place)
            } else if !reportedGaps.isEmpty {
                reportedGaps = reportedGaps.filter { $0.directory != place.directory }
            }
            for (name, kind) in listing.names where kind != .file {
                // Directories beyond the limit need not be remembered.
                guard waiting.count - next <= limits.total else { break }
                if let child = child(name, kind, in: place) { waiting.append(child) }
            }
        }
    }

    /// Whether one more directory may be watched; records a gap if not.
    private mutating func hasRoom(for place: Place) -> Bool {
        guard let tree = trees[place.tree] else { return false }
        // The roots that the owner has added, and the directories above them, are few.
        if place.depth <= 0, tree.content == .chosen { return true }
        if places.count >= limits.total {
            note(WatchGap(directory: place.tree, reason: .manyBundles(limit: limits.total)))
            return false
        }
        let limit = tree.isShallow ? limits.noBundle : limits.bundle
        if tree.counts[place.bundle, default: 0] >= limit {
            // Changes below a directory that is not a bundle do not matter.
            if !tree.isShallow { note(WatchGap(directory: place.bundle, reason: .bundleIsLarge(limit: limit))) }
            return false
        }
        if place.depth >= limits.levels {
            note(WatchGap(directory: place.directory, reason: .deep(limit: limits.levels)))
            return false
        }
        return true
    }

    /// The place for a name, if it is a directory that belongs to the tree.
    ///
    /// The target of a link becomes a separate tree. `kind`: the kind from the listing; nil if it is not known.
    private mutating func child(_ name: String, _ kind: DirectoryListing.Kind?, in place: Place) -> Place? {
        guard let content = trees[place.tree]?.content else { return nil }
        let isChoice = place.depth == 0 && content == .chosen
        guard !isChoice || enters(name) else { return nil }
        let path = Path.join(place.path, name)
        let directory = Path.join(place.directory, name)
        switch kind == .directory ? S_IFDIR : Self.kind(path) {
        case S_IFDIR:
            return Place(
                tree: place.tree, directory: directory, path: path, depth: place.depth + 1,
                bundle: isChoice ? directory : place.bundle)
        case S_IFLNK where isChoice: addTree(directory, Tree(origin: path, path: path, content: .bundle))
        case S_IFLNK where place.depth == (content == .chosen ? 1 : 0) && content != .partOfBundle:
            if Self.leadsToDirectory(path, outside: place.path) {
                addTree(directory, Tree(origin: path, path: path, content: .partOfBundle))
            }
        default: break
        }
        return nil
    }

    private mutating func addTree(_ directory: String, _ tree: Tree) {
        // The link may have been created again in the same place.
        guard trees[directory] == nil else { return }
        trees[directory] = tree
        attach(directory)
    }

    private static func kind(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    /// Whether a link leads to a directory that is neither inside another one, nor the same, nor contains it.
    ///
    /// Also true if the target is missing.
    private static func leadsToDirectory(_ link: String, outside directory: String) -> Bool {
        var status = stat()
        if stat(link, &status) == 0, status.st_mode & S_IFMT != S_IFDIR { return false }
        guard let target = Path.resolved(link) else { return true }
        return target != directory && !Path.isInside(target, directory: directory)
            && !Path.isInside(directory, directory: target)
    }

    // MARK: Watches

    private mutating func add(_ place: Place, _ mask: Int) -> CInt? {
        do throws(Inotify.Failure) {
            // A root may be a link. An item in it is not a link, or was not a moment ago.
            let watch = try inotify.add(place.path, place.depth > 0 ? mask | Int(IN_DONT_FOLLOW) : mask)
            places[watch, default: []].insert(place)
            return watch
        } catch {
            // A missing or unreadable directory is not watched. Only a lack of watches or memory in the kernel must be
            // reported.
            if error.errno == ENOSPC || error.errno == ENOMEM { failure = error }
            return nil
        }
    }

    private mutating func forget(_ watch: CInt, where isGone: (Place) -> Bool) {
        guard let rest = places[watch]?.filter({ !isGone($0) }) else { return }
        places[watch] = rest.isEmpty ? nil : rest
        if rest.isEmpty { inotify.remove(watch) }
    }

    /// Stops watching a directory that was moved or removed, and those below it.
    private mutating func leave(_ directory: String, of tree: String) {
        for (known, watch) in trees[tree]?.watches ?? [:]
        where known == directory || Path.isInside(known, directory: directory) {
            trees[tree]?.watches[known] = nil
            if let bundle = places[watch]?.first(where: { $0.tree == tree && $0.directory == known })?.bundle {
                trees[tree]?.counts[bundle, default: 1] -= 1
            }
            forget(watch) { $0.tree == tree && $0.directory == known }
        }
        // A link in the root or in a bundle leads to a tree that has the link's name.
        if directory != tree { remove(directory) }
    }

    // MARK: Events

    /// Updates the tables after an event, and records the changes for the owner.
    ///
    /// - Returns: whether the event matters.
    package mutating func apply(
        _ event: Inotify.Event, to changes: inout DirectoryChanges, _ quiet: inout QuietPeriod
    ) -> Bool {
        if event.isAny(of: Int(IN_Q_OVERFLOW)) {
            for root in Array(trees.keys) { renew(root, &changes) }
            return true
        }
        guard let affected = places[event.watch] else { return false }
        // The kernel has already removed the watch, because the directory is gone.
        if event.isAny(of: Int(IN_IGNORED)) { places[event.watch] = nil }
        var isOfUse = false
        for place in affected {
            if event.isAny(of: Self.selfEvents) {
                if place.depth <= 0 { renew(place.tree, &changes) } else { leave(place.directory, of: place.tree) }
            } else if place.depth < 0 {
                // In a directory above a tree, only the name that leads to the tree matters.
                guard place.name == event.name else { continue }
                renew(place.tree, &changes)
            } else {
                // An event without a name concerns only the directory's permissions, which the directory above reports
                // too.
                guard !event.name.isEmpty else { continue }
                noteName(event, in: place, &changes, &quiet)
            }
            isOfUse = true
        }
        return isOfUse
    }

    /// Finds a tree again by its path.
    ///
    /// This loses the pending events of the tree, so anything in it may have changed.
    private mutating func renew(_ tree: String, _ changes: inout DirectoryChanges) {
        // Links in this tree lead to other trees, which are found again together with it.
        for other in trees.keys where Path.isInside(other, directory: tree) { remove(other) }
        guard trees[tree] != nil else { return }
        detach(tree)
        attach(tree)
        changes.insert(wholly: tree)
    }

    private mutating func noteName(
        _ event: Inotify.Event, in place: Place, _ changes: inout DirectoryChanges, _ quiet: inout QuietPeriod
    ) {
        changes.insert(event.name, in: place.directory, root: place.tree)
        let directory = Path.join(place.directory, event.name)
        if event.isAny(of: Int(IN_MOVED_FROM | IN_DELETE)) {
            leave(directory, of: place.tree)
            quiet.ended(writing: directory)
        }
        // Another link was renamed over the previous one of the same name.
        if event.isAny(of: Int(IN_CREATE | IN_MOVED_TO)), directory != place.tree, trees[directory] != nil {
            remove(directory)
            changes.insert(wholly: directory)
        }
        // A directory that has become accessible could not be watched before. Of two that were exchanged, the new one has
        // come before the old one goes.
        if event.isAny(of: Int(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_ATTRIB)),
            trees[place.tree]?.watches[directory] == nil, let child = child(event.name, nil, in: place)
        {
            enter(child)
        }
        if let tree = trees[place.tree], tree.isShallow, isBundle(tree.path) { return renew(place.tree, &changes) }
        if event.isAny(of: Int(IN_ISDIR)) { return }
        if event.isAny(of: Int(IN_CREATE)), Self.isBeingWritten(Path.join(place.path, event.name)) {
            quiet.began(writing: directory)
        }
        if event.isAny(of: Int(IN_MODIFY)) { quiet.began(writing: directory) }
        if event.isAny(of: Int(IN_CLOSE_WRITE)) { quiet.ended(writing: directory) }
    }

    /// Whether a new file was created by opening it for writing.
    ///
    /// A new hard link is not open for writing, so no event will report that it was closed.
    private static func isBeingWritten(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
    }
}

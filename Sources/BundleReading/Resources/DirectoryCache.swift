import Glibc
package import HostBasics

/// The directories that were read, and how long their content may be trusted.
///
/// Cached content is trusted for ``trust`` after it was last compared with the file system. The next look-up after that
/// compares again, with one stat() for each directory on which its answer depends. Why: a stat() at each look-up would
/// cost five times the look-up itself. inotify would report changes immediately, but reading it is a system call at
/// each look-up too, it needs a descriptor, and it does not see changes made by other machines. A program with
/// occasional look-ups pays for the stat() and does not notice the microsecond; a program that only makes look-ups pays
/// for it at one look-up in a hundred. The time is a hundredth of a millisecond, because creating, removing or renaming
/// a file takes about that long: a program that changes a file and then looks for it nearly always finds the new state.
/// The guarantee: an answer was true at some time in the last 10 microseconds before the question.
///
/// **Threads.** A value, guarded by its owner.
package struct DirectoryCache: Sendable {
    /// How long an answer is trusted without a check, in nanoseconds.
    package static let trust: UInt64 = 10_000

    /// How many directories and other paths one finder caches; then it starts again with an empty cache.
    package static let mostNodes = 4_096

    /// Grows whenever cached content turns out to be outdated; all earlier answers are then void.
    package private(set) var generation: UInt64 = 0

    private var nodes: [Node] = []
    /// The numbers of nodes by their paths, for directories and for the targets of paths; used when there are many
    /// nodes.
    private var numbers: (directories: [String: Int], targets: [String: Int])?
    private var sets: [WatchSet] = []

    /// A directory, or the target of a path; when it changes, the answers that depend on it are void.
    private struct Node: Sendable {
        let path: String
        var content: Content { didSet { settled = content.settled } }
        var checked: UInt64
        /// ``Content/settled``, stored separately so that comparing it copies nothing.
        private(set) var settled: FileIdentity?

        init(path: String, content: Content, checked: UInt64) {
            self.path = path
            self.content = content
            self.checked = checked
            settled = content.settled
        }

        var isTarget: Bool {
            if case .target = content { true } else { false }
        }
    }

    private enum Content: Sendable {
        case directory(DirectoryListing, sorted: [String]?)
        /// The target of a path; nil if there is none, or if it is not a resource.
        case target(DirectoryListing.Kind?, failure: CInt?)

        /// The identity of a directory, which changes with its content; nil for anything else, and if a change might
        /// not show.
        var settled: FileIdentity? {
            guard case .directory(let listing, _) = self, listing.isSettled, listing.failure == nil else { return nil }
            return listing.identity
        }

        /// The error number that kept the content from being read, or nil.
        var failure: CInt? {
            switch self {
            case .directory(let listing, _): listing.failure
            case .target(_, let failure): failure
            }
        }
    }

    /// The nodes on which an answer depends.
    ///
    /// A few sets are enough for all answers of a bundle.
    private struct WatchSet: Sendable {
        let members: [Int]
        var freshUntil: UInt64
    }

    /// A monotonic time, in nanoseconds.
    ///
    /// It is read through the vDSO, without a system call.
    package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Whether ``forgetAll()`` should be called.
    package var isFull: Bool { nodes.count >= Self.mostNodes }

    mutating func forgetAll() {
        self = DirectoryCache(generation: generation + 1)
    }

    package init() {}

    private init(generation: UInt64) {
        self.generation = generation
    }

    // MARK: Reading

    /// The number of a directory.
    ///
    /// The directory is read if it is not known, or if it was read too long ago.
    package mutating func directory(_ path: String, now: UInt64) -> Int {
        if let known = known(path, isTarget: false) {
            refresh(known, now: now)
            return known
        }
        return add(path, .directory(DirectoryListing(path: path), sorted: nil), now: now)
    }

    /// The number of a path's target.
    package mutating func target(of path: String, now: UInt64) -> Int {
        if let known = known(path, isTarget: true) {
            refresh(known, now: now)
            return known
        }
        return add(path, Self.target(path), now: now)
    }

    /// With more nodes than this, a dictionary is used.
    private static let mostSearched = 64

    private mutating func add(_ path: String, _ content: Content, now: UInt64) -> Int {
        nodes.append(Node(path: path, content: content, checked: Self.checked(content, now: now)))
        if numbers == nil, nodes.count > Self.mostSearched {
            numbers = ([:], [:])
            for number in nodes.indices { note(number) }
        } else if numbers != nil {
            note(nodes.count - 1)
        }
        return nodes.count - 1
    }

    private mutating func note(_ number: Int) {
        if nodes[number].isTarget {
            numbers?.targets[nodes[number].path] = number
        } else {
            numbers?.directories[nodes[number].path] = number
        }
    }

    /// A node that could not be examined is not trusted at all: the next look-up examines it again.
    private static func checked(_ content: Content, now: UInt64) -> UInt64 { content.failure == nil ? now : 0 }

    /// The error number for a directory or a target that could not be examined, or nil.
    package func failure(of number: Int) -> CInt? { nodes[number].content.failure }

    /// The number of a cached directory, or of the cached target of a path; nil if there is none.
    ///
    /// A dictionary is used only for many nodes: most bundles have few directories, and cached answers need no
    /// dictionary.
    private func known(_ path: String, isTarget: Bool) -> Int? {
        if let numbers { return isTarget ? numbers.targets[path] : numbers.directories[path] }
        return nodes.firstIndex { node in
            node.path.utf8.count == path.utf8.count && node.isTarget == isTarget && node.path == path
        }
    }

    /// The absolute path of a directory.
    package func path(of directory: Int) -> String { nodes[directory].path }

    /// A name as spelled in a directory, and its kind.
    package func item(_ name: String, in directory: Int) -> DirectoryListing.Item? {
        guard case .directory(let listing, _) = nodes[directory].content else { return nil }
        return listing.entries[name]
    }

    /// Whether a directory may contain variants for this platform.
    func hasPlatformVariants(in directory: Int) -> Bool {
        guard case .directory(let listing, _) = nodes[directory].content else { return false }
        return listing.hasPlatformVariants
    }

    /// The names in a directory that may be localisations, in order.
    func localizationNames(in directory: Int) -> [String] {
        guard case .directory(let listing, _) = nodes[directory].content else { return [] }
        return listing.localizations.sorted()
    }

    /// All names in a directory, in order.
    mutating func sortedNames(in directory: Int) -> [String] {
        guard case .directory(let listing, let sorted) = nodes[directory].content else { return [] }
        if let sorted { return sorted }
        let names = listing.names.keys.sorted()
        nodes[directory].content = .directory(listing, sorted: names)
        return names
    }

    /// The kind of a path's target; nil if it is not a resource.
    package func kind(ofTarget target: Int) -> DirectoryListing.Kind? {
        guard case .target(let kind, _) = nodes[target].content else { return nil }
        return kind
    }

    /// The target of a path, examined without opening it.
    private static func target(_ path: String) -> Content {
        guard let identity = FileIdentity(path: path) else {
            let number = errno
            return .target(nil, failure: ErrorNumber.leadsNowhere(number) ? nil : number)
        }
        if identity.isRegularFile { return .target(.file, failure: nil) }
        return .target(identity.isDirectory ? .directory : nil, failure: nil)
    }

    // MARK: Comparing with the file system

    /// The number of the set with these members.
    mutating func watchSet(_ members: [Int]) -> Int {
        // From the end, because the next question is often about the same directories. There is no dictionary, for the
        // reason that QueryTable gives.
        if let index = sets.lastIndex(where: { $0.members == members }) {
            sets[index].freshUntil = freshUntil(members)
            return index
        }
        sets.append(WatchSet(members: members, freshUntil: freshUntil(members)))
        return sets.count - 1
    }

    private func freshUntil(_ members: [Int]) -> UInt64 {
        var until = UInt64.max
        for member in members { until = min(until, nodes[member].checked &+ Self.trust) }
        return until
    }

    /// Whether everything on which an answer depends is unchanged.
    @inline(__always)
    mutating func isFresh(_ set: Int) -> Bool {
        // A set without members depends on nothing that can change.
        let until = sets[set].freshUntil
        if until == .max { return true }
        let now = Self.now()
        return now < until || renew(set, now: now)
    }

    @inline(never)
    private mutating func renew(_ set: Int, now: UInt64) -> Bool {
        let before = generation
        for member in sets[set].members { refresh(member, now: now) }
        sets[set].freshUntil = freshUntil(sets[set].members)
        return generation == before
    }

    /// Compares a node with the file system, unless it was compared within ``trust``.
    private mutating func refresh(_ index: Int, now: UInt64) {
        guard now >= nodes[index].checked &+ Self.trust else { return }
        // Nearly every directory is unchanged.
        if let settled = nodes[index].settled, FileIdentity(path: nodes[index].path) == settled {
            nodes[index].checked = now
            return
        }
        defer { nodes[index].checked = Self.checked(nodes[index].content, now: now) }
        let path = nodes[index].path
        switch nodes[index].content {
        case .directory(let listing, _):
            if listing.isSettled, FileIdentity(path: path) == listing.identity { return }
            let fresh = DirectoryListing(path: path)
            let isSame = fresh.entries == listing.entries && fresh.identity?.inode == listing.identity?.inode
            nodes[index].content = .directory(fresh, sorted: nil)
            if !isSame { generation += 1 }
        case .target(let known, _):
            nodes[index].content = Self.target(path)
            if kind(ofTarget: index) != known { generation += 1 }
        }
    }
}

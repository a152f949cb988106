import Glibc

/// The directories that were read, and how long what was read may be believed.
///
/// What is remembered is believed for ``trust`` after it was last compared with the file system; the next look-up after
/// that compares again, with one stat() for each directory its answer rests on. Why so: a stat() at each look-up would
/// cost five times the look-up itself. inotify would tell at once, but asking it is a system call at each look-up too,
/// it takes a descriptor, and it is deaf to changes made by other machines. A program that looks something up now and
/// then pays for the stat() and does not notice the microsecond; one that does nothing else pays for one in a hundred.
/// The time is a hundredth of a millisecond, because making, removing or renaming a file takes about that long: who
/// changes a file and then looks for it finds what is there. That is a likelihood; the guarantee is that an answer
/// tells what was true at some time in the last 10 microseconds before the question.
///
/// **Threads.** A value, guarded by its owner.
struct DirectoryCache: Sendable {
    /// How long an answer is believed unseen, in nanoseconds.
    static let trust: UInt64 = 10_000

    /// Directories and other paths one finder remembers; then it begins anew.
    static let mostNodes = 4_096

    /// Grows whenever something known turned out to be different: what was concluded from it is void.
    private(set) var generation: UInt64 = 0

    private var nodes: [Node] = []
    /// The numbers of nodes by their paths, once there are many: of directories, and of what paths lead to.
    private var numbers: (directories: [String: Int], targets: [String: Int])?
    private var sets: [WatchSet] = []

    /// Something whose change makes answers void: a directory, or what a path leads to.
    private struct Node: Sendable {
        let path: String
        var content: Content { didSet { settled = content.settled } }
        var checked: UInt64
        /// ``Content/settled``, beside the rest, so that comparing it copies nothing.
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
        /// What a path leads to, nil if nowhere, or to what is no resource.
        case target(DirectoryListing.Kind?, failure: CInt?)

        /// What a directory is as long as nothing in it changes; nil for anything else, and where a change need not show.
        var settled: FileIdentity? {
            guard case .directory(let listing, _) = self, listing.isSettled, listing.failure == nil else { return nil }
            return listing.identity
        }

        /// Why nobody knows, or nil.
        var failure: CInt? {
            switch self {
            case .directory(let listing, _): listing.failure
            case .target(_, let failure): failure
            }
        }
    }

    /// The nodes that an answer rests on. Few sets serve all answers of a bundle.
    private struct WatchSet: Sendable {
        let members: [Int]
        var freshUntil: UInt64
    }

    /// Time that only goes forward, in nanoseconds. Read through the vDSO: no system call.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Whether it is time to forget everything, by ``forgetAll()``.
    var isFull: Bool { nodes.count >= Self.mostNodes }

    mutating func forgetAll() {
        self = DirectoryCache(generation: generation + 1)
    }

    init() {}

    private init(generation: UInt64) {
        self.generation = generation
    }

    // MARK: Reading

    /// The number of a directory, read if it was not or if that was too long ago.
    mutating func directory(_ path: String, now: UInt64) -> Int {
        if let known = known(path, isTarget: false) {
            refresh(known, now: now)
            return known
        }
        return add(path, .directory(DirectoryListing(path: path), sorted: nil), now: now)
    }

    /// The number of what a path leads to.
    mutating func target(of path: String, now: UInt64) -> Int {
        if let known = known(path, isTarget: true) {
            refresh(known, now: now)
            return known
        }
        return add(path, Self.target(path), now: now)
    }

    /// More nodes than this are found by a dictionary.
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

    /// What could not be looked at is not believed for any time: the next question looks again.
    private static func checked(_ content: Content, now: UInt64) -> UInt64 { content.failure == nil ? now : 0 }

    /// Why a directory or what a path leads to could not be looked at, or nil.
    func failure(of number: Int) -> CInt? { nodes[number].content.failure }

    /// The number of a directory, or of what its path leads to.
    ///
    /// Not by a dictionary, unless there are many: most bundles have few directories, and remembered answers do not ask
    /// for any.
    private func known(_ path: String, isTarget: Bool) -> Int? {
        if let numbers { return isTarget ? numbers.targets[path] : numbers.directories[path] }
        return nodes.firstIndex { node in
            node.path.utf8.count == path.utf8.count && node.isTarget == isTarget && node.path == path
        }
    }

    /// The absolute path of a directory.
    func path(of directory: Int) -> String { nodes[directory].path }

    /// A name in a directory, as it stands there, and its kind.
    func item(_ name: String, in directory: Int) -> DirectoryListing.Item? {
        guard case .directory(let listing, _) = nodes[directory].content else { return nil }
        return listing.entries[name]
    }

    /// Whether a directory may hold variants for this platform.
    func hasPlatformVariants(in directory: Int) -> Bool {
        guard case .directory(let listing, _) = nodes[directory].content else { return false }
        return listing.hasPlatformVariants
    }

    /// The names of a directory that may be localisations', in order.
    func localizationNames(in directory: Int) -> [String] {
        guard case .directory(let listing, _) = nodes[directory].content else { return [] }
        return listing.localizations.sorted()
    }

    /// All names of a directory in order.
    mutating func sortedNames(in directory: Int) -> [String] {
        guard case .directory(let listing, let sorted) = nodes[directory].content else { return [] }
        if let sorted { return sorted }
        let names = listing.names.keys.sorted()
        nodes[directory].content = .directory(listing, sorted: names)
        return names
    }

    /// What the path leads to, nil if to no resource.
    func kind(ofTarget target: Int) -> DirectoryListing.Kind? {
        guard case .target(let kind, _) = nodes[target].content else { return nil }
        return kind
    }

    /// What a path leads to, without opening it.
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
        // From the end: the next question is often about the same directories. No dictionary, for the reason that
        // QueryTable gives.
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

    /// Whether all that an answer rests on is as it was.
    @inline(__always)
    mutating func isFresh(_ set: Int) -> Bool {
        // A set without members rests on nothing that can change.
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

    /// Compares a node with the file system unless that was done just now.
    private mutating func refresh(_ index: Int, now: UInt64) {
        guard now >= nodes[index].checked &+ Self.trust else { return }
        // Nearly every directory is as it was.
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

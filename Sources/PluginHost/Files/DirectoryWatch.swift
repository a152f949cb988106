import CPluginSupport.Shims
import Glibc
import Synchronization

/// Tells what changes in directories and those below them, gathered until nothing has happened for a while.
///
/// A root may be missing: it is watched from when it comes to be, and again when it was removed, renamed or replaced,
/// also where a link in its path is turned to another directory. Links inside a root are followed where the owner wants
/// the inside of what they lead to, and never below that. The number of directories has limits (``WatchedTrees/Limits``).
///
/// **Threads.** Any. The handler is called on a thread of the watch's own, one call after the other, without a lock.
/// **Lifetime.** Until ``cancel()``, or until nobody holds it: the thread and the two descriptors are gone soon after, when
/// the handler is done. In a process that was forked, the child has no watch, and nothing it does reaches the parent's.
final class DirectoryWatch: Sendable {
    private let loop: WatchLoop

    /// - Parameters:
    ///   - quietPeriod: how long nothing must happen before the handler is called.
    ///   - longestWait: how long the first event waits at most.
    ///   - limits: how many directories are watched.
    ///   - enters: whether a directory that stands in a root is watched with everything below it, or only for coming
    ///     and going; by its name.
    ///   - isBundle: whether what a link in a root leads to is a bundle, by its path. Of any other directory only the upper
    ///     two levels are watched.
    ///   - handler: takes what happened.
    /// - Throws: ``PluginError`` of code `watchFailed` that names the limit that was reached.
    init(
        quietPeriod: Duration = .milliseconds(200), longestWait: Duration = .seconds(2),
        limits: WatchedTrees.Limits = WatchedTrees.Limits(),
        enters: @escaping @Sendable (String) -> Bool = { _ in true },
        isBundle: @escaping @Sendable (String) -> Bool = { _ in true },
        handler: @escaping @Sendable (DirectoryChanges) -> Void
    ) throws(PluginError) {
        do throws(Inotify.Failure) {
            let inotify = try Inotify()
            loop = try WatchLoop(
                inotify, WatchedTrees(inotify, limits: limits, enters: enters, isBundle: isBundle),
                quiet: QuietPeriod(length: quietPeriod, longestWait: longestWait), handler: handler)
        } catch {
            throw error.asError(directory: "/")
        }
    }

    deinit { loop.stop() }

    /// Watches a directory, also one that does not exist yet.
    ///
    /// - Throws: ``PluginError`` of code `watchFailed`; then nothing of the directory is watched.
    func add(_ root: String) throws(PluginError) {
        do throws(Inotify.Failure) {
            try loop.add(root)
        } catch {
            throw error.asError(directory: root)
        }
    }

    func remove(_ root: String) { loop.remove(root) }

    /// Tells of all roots as if anything in them had changed.
    func tellAll() { loop.tellAll() }

    /// Tells of all roots some seconds from now, as ``tellAll()`` does: for an owner that could not do its work. The time is
    /// doubled each time, up to a minute, until a report passes without another request.
    func tellAllLater() { loop.tellAllLater() }

    /// Ends the watch. The handler may be in a call; it is not called again.
    func cancel() { loop.stop() }

    /// The number of directories that the kernel watches.
    var watchCount: Int { loop.watchCount }
}

/// The thread of a ``DirectoryWatch`` and what it works on.
private final class WatchLoop: Sendable {
    private let inotify: Inotify
    private let trees: Lock<WatchedTrees>
    private let quiet: QuietPeriod
    private let handler: @Sendable (DirectoryChanges) -> Void
    /// Readable when one of the two below is set. Closed with the object.
    private let signal: CInt
    private let isStopped = Atomic(false)
    private let isAllToTell = Atomic(false)
    private let isAllToTellLater = Atomic(false)
    private let forkGeneration = phs_fork_generation()

    init(
        _ inotify: Inotify, _ trees: sending WatchedTrees, quiet: QuietPeriod,
        handler: @escaping @Sendable (DirectoryChanges) -> Void
    ) throws(Inotify.Failure) {
        self.inotify = inotify
        signal = phs_open_signal()
        guard signal >= 0 else { throw Inotify.Failure(step: .descriptor, errno: errno) }
        self.trees = Lock(trees)
        self.quiet = quiet
        self.handler = handler
        try start()
    }

    deinit { close(signal) }

    var watchCount: Int { trees.withLock { $0.count } }

    func add(_ root: String) throws(Inotify.Failure) {
        // In a child the queue is the parent's, too.
        guard !isForked else { throw Inotify.Failure(step: .directory, errno: EBADF) }
        let failure = trees.withLock { trees in
            trees.insert(root)
            let failure = trees.takeFailure()
            if failure != nil { trees.remove(root) }
            return failure
        }
        if let failure { throw failure }
        // The thread tells of what is not watched.
        phs_signal(signal)
    }

    func remove(_ root: String) {
        if !isForked { trees.withLock { $0.remove(root) } }
    }

    func stop() {
        if !isForked, !isStopped.exchange(true, ordering: .acquiringAndReleasing) { phs_signal(signal) }
    }

    func tellAll() {
        guard !isForked else { return }
        isAllToTell.store(true, ordering: .releasing)
        phs_signal(signal)
    }

    func tellAllLater() { isAllToTellLater.store(true, ordering: .releasing) }

    private var isForked: Bool { forkGeneration != phs_fork_generation() }

    // MARK: The thread

    /// The thread holds the loop, and the loop's owner holds no thread: the last of the two closes the descriptors.
    private func start() throws(Inotify.Failure) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        // Signals are for the application's threads.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let retained = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, &attributes,
            { context in
                Unmanaged<WatchLoop>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, retained.toOpaque())
        guard status == 0 else {
            retained.release()
            throw Inotify.Failure(step: .thread, errno: status)
        }
    }

    private func run() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Inotify.bufferSize, alignment: 8)
        defer { buffer.deallocate() }
        var changes = DirectoryChanges()
        var quiet = quiet
        var later = Later()
        while !isStopped.load(ordering: .acquiring) {
            let hasEvents = wait(until: [quiet.due, later.due].compactMap(\.self).min())
            // Before the events: they may be of no interest, and then the next wait is for ever.
            if isAllToTell.exchange(false, ordering: .acquiring) || later.isAllDue() {
                for root in trees.withLock(\.roots) { changes.insert(wholly: root) }
                quiet.note(at: .now)
            }
            if noteGaps(&changes, readsAgain: later.isReadingDue()) { quiet.note(at: .now) }
            if hasEvents {
                gather(&changes, &quiet, buffer)
                // It is not quiet while there are more.
                if !quiet.isOverdue(at: .now) { continue }
            }
            if trees.withLock(\.hasUnread) { later.readAgain() }
            guard let due = quiet.due, due <= .now else { continue }
            quiet.reset()
            let report = changes
            changes = DirectoryChanges()
            if !report.isEmpty, !isStopped.load(ordering: .acquiring) {
                HeldLocks.preconditionNone(before: "the handler of a watch")
                handler(report)
            }
            later.tellAll(isWanted: isAllToTellLater.exchange(false, ordering: .acquiring))
        }
    }

    /// Notes where nothing is watched, and tries to read what could not be read.
    ///
    /// - Returns: whether there is anything to tell.
    private func noteGaps(_ changes: inout DirectoryChanges, readsAgain: Bool) -> Bool {
        trees.withLock { trees in
            let before = changes.wholly
            if readsAgain { trees.readAgain(&changes) }
            let gaps = trees.takeGaps()
            changes.gaps += gaps
            return !gaps.isEmpty || changes.wholly != before
        }
    }

    /// - Returns: whether there are events.
    private func wait(until due: ContinuousClock.Instant?) -> Bool {
        var descriptors = [
            pollfd(fd: inotify.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signal, events: Int16(POLLIN), revents: 0),
        ]
        var timeout: CInt = -1
        if let due {
            // Rounded up, or the last part of a millisecond is waited for in a circle.
            let left = (due - .now).components
            timeout = CInt(clamping: max(0, left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1))
        }
        guard poll(&descriptors, 2, timeout) > 0 else { return false }
        if descriptors[1].revents != 0 {
            var count: UInt64 = 0
            read(signal, &count, 8)
        }
        return descriptors[0].revents != 0
    }

    private func gather(
        _ changes: inout DirectoryChanges, _ quiet: inout QuietPeriod, _ buffer: UnsafeMutableRawBufferPointer
    ) {
        let now = ContinuousClock.now
        trees.withLock { trees in
            for event in inotify.read(into: buffer) where trees.apply(event, to: &changes, &quiet) {
                quiet.note(at: now)
            }
            // Told with the changes, because a directory that is not watched comes with one.
            if let failure = trees.takeFailure() { changes.failure = failure }
            changes.gaps += trees.takeGaps()
        }
    }
}

/// What a watch does some time later, because it could not be done now.
private struct Later {
    private static let first = Duration.seconds(2)
    private static let longest = Duration.seconds(64)

    private var reading: ContinuousClock.Instant?
    private var all: ContinuousClock.Instant?
    private var delay = first

    var due: ContinuousClock.Instant? { [reading, all].compactMap(\.self).min() }

    mutating func readAgain() { reading = reading ?? .now + Self.first }

    mutating func tellAll(isWanted: Bool) {
        guard isWanted else {
            if all == nil { delay = Self.first }
            return
        }
        all = .now + delay
        delay = min(delay * 2, Self.longest)
    }

    mutating func isReadingDue() -> Bool { Self.isDue(&reading) }
    mutating func isAllDue() -> Bool { Self.isDue(&all) }

    private static func isDue(_ instant: inout ContinuousClock.Instant?) -> Bool {
        guard let due = instant, due <= .now else { return false }
        instant = nil
        return true
    }
}

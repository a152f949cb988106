import CPluginSupport.Shims
import Glibc
import Synchronization

/// Reports changes in directories and everything below them, collected until nothing has happened for a while.
///
/// A root may be missing: it is watched as soon as it exists, and again after it was removed, renamed or replaced, or
/// after a link in its path was changed to another directory. Links inside a root are followed if the owner wants the
/// content of their targets, but links below those targets are never followed. The number of directories is limited
/// (``WatchedTrees/Limits``).
///
/// **Threads.** Any. The handler is called on a thread of the watch, one call after the other, without a lock.
/// **Lifetime.** Until ``cancel()`` is called, or the last reference to the watch is released. The thread and the two
/// descriptors are released soon afterwards, when the handler has returned. After a fork, the child has no watch and
/// does not affect the parent's.
package final class DirectoryWatch: Sendable {
    private let loop: WatchLoop

    /// - Parameters:
    ///   - quietPeriod: how long no change may happen before the handler is called.
    ///   - longestWait: how long the first event waits at most.
    ///   - limits: how many directories are watched.
    ///   - enters: takes the name of a directory in a root; returns whether everything below it is watched. Otherwise
    ///     only its creation and removal are noticed.
    ///   - isBundle: takes the path to which a link in a root leads; returns whether it is a bundle. Of any other
    ///     directory only the upper two levels are watched.
    ///   - handler: receives the changes.
    /// - Throws: ``PluginError`` of code `watchFailed` that names the limit that was reached.
    package init(
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

    /// Watches a directory, which need not exist yet.
    ///
    /// - Throws: ``PluginError`` of code `watchFailed`; no part of the directory is then watched.
    package func add(_ root: String) throws(PluginError) {
        do throws(Inotify.Failure) {
            try loop.add(root)
        } catch {
            throw error.asError(directory: root)
        }
    }

    package func remove(_ root: String) { loop.remove(root) }

    /// Reports all roots as if anything in them had changed.
    package func reportAll() { loop.reportAll() }

    /// Calls ``reportAll()`` some seconds from now, for an owner that could not process a report.
    ///
    /// The delay is doubled each time, up to a minute, until a report passes without another request.
    package func reportAllLater() { loop.reportAllLater() }

    /// Ends the watch.
    ///
    /// The handler may still be running; it is not called again.
    package func cancel() { loop.stop() }

    /// The number of directories that the kernel watches.
    package var watchCount: Int { loop.watchCount }
}

/// The thread of a ``DirectoryWatch`` and its data.
private final class WatchLoop: Sendable {
    private let inotify: Inotify
    private let trees: Lock<WatchedTrees>
    private let quiet: QuietPeriod
    private let handler: @Sendable (DirectoryChanges) -> Void
    /// The file descriptor that wakes the thread: it is readable when one of the two values below is set.
    ///
    /// It is closed with the object.
    private let signal: CInt
    private let isStopped = Atomic(false)
    private let isAllToReport = Atomic(false)
    private let isAllToReportLater = Atomic(false)
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
        // A forked child shares the queue with its parent.
        guard !isForked else { throw Inotify.Failure(step: .directory, errno: EBADF) }
        let failure = trees.withLock { trees in
            trees.insert(root)
            let failure = trees.takeFailure()
            if failure != nil { trees.remove(root) }
            return failure
        }
        if let failure { throw failure }
        // Wakes the thread, which reports the directories that are not watched.
        phs_signal(signal)
    }

    func remove(_ root: String) {
        if !isForked { trees.withLock { $0.remove(root) } }
    }

    func stop() {
        if !isForked, !isStopped.exchange(true, ordering: .acquiringAndReleasing) { phs_signal(signal) }
    }

    func reportAll() {
        guard !isForked else { return }
        isAllToReport.store(true, ordering: .releasing)
        phs_signal(signal)
    }

    func reportAllLater() { isAllToReportLater.store(true, ordering: .releasing) }

    private var isForked: Bool { forkGeneration != phs_fork_generation() }

    // MARK: The thread

    /// Both the thread and the watch hold the loop.
    ///
    /// Whichever releases it last closes the descriptors.
    private func start() throws(Inotify.Failure) {
        let status = DetachedThread.start { self.run() }
        guard status == 0 else { throw Inotify.Failure(step: .thread, errno: status) }
    }

    private func run() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Inotify.bufferSize, alignment: 8)
        defer { buffer.deallocate() }
        var changes = DirectoryChanges()
        var quiet = quiet
        var later = Later()
        while !isStopped.load(ordering: .acquiring) {
            let hasEvents = wait(until: [quiet.due, later.due].compactMap(\.self).min())
            // Checked before the events: if these turn out to be irrelevant, the next wait has no time limit.
            if isAllToReport.exchange(false, ordering: .acquiring) || later.isAllDue() {
                for root in trees.withLock(\.roots) { changes.insert(wholly: root) }
                quiet.note(at: .now)
            }
            if noteGaps(&changes, readsAgain: later.isReadingDue()) { quiet.note(at: .now) }
            if hasEvents {
                gather(&changes, &quiet, buffer)
                // The quiet period has not begun while there are more events.
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
            later.reportAll(isWanted: isAllToReportLater.exchange(false, ordering: .acquiring))
        }
    }

    /// Records where nothing is watched and, if requested, tries again to read unreadable directories.
    ///
    /// - Returns: whether there is anything to report.
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
            // Rounded up; otherwise the last fraction of a millisecond would be spent in a busy loop.
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
            // Reported with the changes: a directory that cannot be watched is always found through a change.
            if let failure = trees.takeFailure() { changes.failure = failure }
            changes.gaps += trees.takeGaps()
        }
    }
}

/// Work that a watch postpones because it could not be done now.
private struct Later {
    private static let first = Duration.seconds(2)
    private static let longest = Duration.seconds(64)

    private var reading: ContinuousClock.Instant?
    private var all: ContinuousClock.Instant?
    private var delay = first

    var due: ContinuousClock.Instant? { [reading, all].compactMap(\.self).min() }

    mutating func readAgain() { reading = reading ?? .now + Self.first }

    mutating func reportAll(isWanted: Bool) {
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

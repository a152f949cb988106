/// The changes in watched directories over a period.
package struct DirectoryChanges: Sendable {
    /// The names that were created, changed, renamed or removed, by their directory.
    package private(set) var names: [String: Set<String>] = [:]
    /// Directories in or below which anything may have changed: new ones, replaced ones, and all directories if the
    /// kernel had to drop events.
    package private(set) var wholly: Set<String> = []
    /// Why a new directory is not watched, or nil.
    package var failure: Inotify.Failure?

    /// Where changes are not noticed; each gap is reported once.
    package var gaps: [WatchGap] = []

    private var count = 0
    /// With more names, anything in the root counts as changed.
    private static let mostNames = 100_000

    package var isEmpty: Bool { names.isEmpty && wholly.isEmpty && failure == nil && gaps.isEmpty }

    package mutating func insert(_ name: String, in directory: String, root: String) {
        guard count < Self.mostNames else { return insert(wholly: root) }
        if names[directory, default: []].insert(name).inserted { count += 1 }
    }

    package mutating func insert(wholly directory: String) { wholly.insert(directory) }
}

/// When to report changes: after a period without any, but no later than a fixed time after the first.
package struct QuietPeriod {
    /// How long no change may happen before a report.
    package let length: Duration
    /// How long the first event waits at most, so that continuous writing does not delay the report for ever.
    package let longestWait: Duration

    private var first: ContinuousClock.Instant?
    private var last: ContinuousClock.Instant?
    /// Files that were written to and not yet closed.
    private var unfinished: Set<String> = []

    init(length: Duration, longestWait: Duration) {
        self.length = length
        self.longestWait = longestWait
    }

    package mutating func note(at now: ContinuousClock.Instant) {
        if first == nil { first = now }
        last = now
    }

    /// Notes that a file is being written, so that a report waits until it is closed.
    ///
    /// A linker that maps its output into memory writes for seconds without an event. So until the file is closed, only
    /// the longest wait counts.
    package mutating func began(writing path: String) { unfinished.insert(path) }

    package mutating func ended(writing path: String) { unfinished.remove(path) }

    /// When to report; nil if nothing has happened.
    package var due: ContinuousClock.Instant? {
        guard let first, let last else { return nil }
        return unfinished.isEmpty ? min(last + length, first + longestWait) : first + longestWait
    }

    /// Whether the first event has waited for the longest time.
    func isOverdue(at now: ContinuousClock.Instant) -> Bool { first.map { $0 + longestWait <= now } ?? false }

    package mutating func reset() { self = QuietPeriod(length: length, longestWait: longestWait) }
}

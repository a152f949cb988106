/// The changes in watched directories over a period.
struct DirectoryChanges: Sendable {
    /// The names that were created, changed, renamed or removed, by their directory.
    private(set) var names: [String: Set<String>] = [:]
    /// Directories in or below which anything may have changed: new ones, replaced ones, and all directories if the
    /// kernel had to drop events.
    private(set) var wholly: Set<String> = []
    /// Why a new directory is not watched, or nil.
    var failure: Inotify.Failure?

    /// Where changes are not noticed; each gap is reported once.
    var gaps: [WatchGap] = []

    private var count = 0
    /// More names are reported as "anything".
    private static let mostNames = 100_000

    var isEmpty: Bool { names.isEmpty && wholly.isEmpty && failure == nil && gaps.isEmpty }

    mutating func insert(_ name: String, in directory: String, root: String) {
        guard count < Self.mostNames else { return insert(wholly: root) }
        if names[directory, default: []].insert(name).inserted { count += 1 }
    }

    mutating func insert(wholly directory: String) { wholly.insert(directory) }
}

/// When to report changes: after a period without any, but no later than a fixed time after the first.
struct QuietPeriod {
    /// How long nothing must happen.
    let length: Duration
    /// How long the first event waits at most, so that continuous writing does not delay the report for ever.
    let longestWait: Duration

    private var first: ContinuousClock.Instant?
    private var last: ContinuousClock.Instant?
    /// Files that were written to and not yet closed.
    private var unfinished: Set<String> = []

    init(length: Duration, longestWait: Duration) {
        self.length = length
        self.longestWait = longestWait
    }

    mutating func note(at now: ContinuousClock.Instant) {
        if first == nil { first = now }
        last = now
    }

    /// Notes that a file is being written, so that a report waits until it is closed.
    ///
    /// A linker that maps its output into memory writes for seconds without an event. So until the file is closed, only
    /// the longest wait counts.
    mutating func began(writing path: String) { unfinished.insert(path) }

    mutating func ended(writing path: String) { unfinished.remove(path) }

    /// When to report; nil if nothing has happened.
    var due: ContinuousClock.Instant? {
        guard let first, let last else { return nil }
        return unfinished.isEmpty ? min(last + length, first + longestWait) : first + longestWait
    }

    /// Whether the first event has waited for the longest time.
    func isOverdue(at now: ContinuousClock.Instant) -> Bool { first.map { $0 + longestWait <= now } ?? false }

    mutating func reset() { self = QuietPeriod(length: length, longestWait: longestWait) }
}

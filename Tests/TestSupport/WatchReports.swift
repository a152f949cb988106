import Dispatch
package import HostBasics
import Synchronization

/// The reports of a watch, one after the other.
package final class WatchReports: Sendable {
    private let reports = Mutex<[DirectoryChanges]>([])
    private let count = DispatchSemaphore(value: 0)

    package init() {}

    package func take(_ changes: DirectoryChanges) {
        reports.withLock { $0.append(changes) }
        count.signal()
    }

    /// The next report; nil if none arrives within a time that is long enough for any machine.
    package func next(within seconds: Int = 30) -> DirectoryChanges? {
        guard count.wait(timeout: .now() + .seconds(seconds)) == .success else { return nil }
        return reports.withLock { $0.removeFirst() }
    }

    /// Reads reports until one matches.
    package func first(where holds: (DirectoryChanges) -> Bool) -> DirectoryChanges? {
        while let report = next() {
            if holds(report) { return report }
        }
        return nil
    }

    /// How many have arrived and were not read.
    package var waiting: Int { reports.withLock { $0.count } }
}

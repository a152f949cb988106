import Synchronization

/// The calls after which worker processes of one plug-in ended.
///
/// A call that ended two of them is refused, and both ends count as one: the document that makes a plug-in crash does not
/// cost the user all others.
final class PoisonCalls: Sendable {
    struct Call: Hashable {
        let provider: String
        let method: String
        /// Of the bytes of the arguments.
        let digest: UInt64
    }

    /// After so many ends, a call is refused.
    static let most = 2
    /// A plug-in that crashes at more calls is at fault itself.
    private static let mostCalls = 1_000

    private struct Ends {
        var count = 0
        /// The process that ended last.
        var last = WeakReference<AnyObject>(nil)
    }

    private let ends = Lock<[Call: Ends]>([:])
    private let hasPoison = Atomic(false)

    /// Whether any call is refused.
    var isNeeded: Bool { hasPoison.load(ordering: .relaxed) }

    /// A process ended during a call; the same call on several threads ends it once.
    ///
    /// - Returns: whether the call had ended another process before.
    @discardableResult
    func note(_ call: Call, in process: AnyObject) -> Bool {
        let count = ends.withLock { ends in
            guard ends[call] != nil || ends.count < Self.mostCalls else { return 0 }
            guard ends[call]?.last.object !== process else { return 0 }
            ends[call, default: Ends()].count += 1
            ends[call]!.last = WeakReference(process)
            return ends[call]!.count
        }
        if count >= Self.most { hasPoison.store(true, ordering: .relaxed) }
        return count > 1
    }

    func isPoison(_ call: Call) -> Bool { ends.withLock { $0[call]?.count ?? 0 } >= Self.most }
}

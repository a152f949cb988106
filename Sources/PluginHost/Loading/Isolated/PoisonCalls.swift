import HostBasics
@_spi(PluginHost) internal import PluginABI
import PluginWorkers
import Synchronization

/// The calls during which worker processes of one plug-in crashed.
///
/// A call at which two of them crashed is refused for some minutes, and both ends count as one: the user does not lose
/// all other documents because of the one that makes a plug-in crash. A call is the same only if its object received
/// the same calls before: a method without arguments works on the values of earlier calls.
///
/// Recording the calls of each object costs time, so they are recorded only in the minutes after a crash.
final class PoisonCalls: Sendable {
    struct Call: Hashable {
        let provider: String
        /// The history of the object, including the call.
        let history: CallHistory
    }

    /// After this number of crashes, a call is refused.
    static let most = 2
    /// How long a crash counts.
    ///
    /// Later, the things that the call depends on, such as a file, may have changed.
    static let age = Duration.seconds(300)
    /// A plug-in that crashes at more calls is itself faulty.
    private static let mostCalls = 1_000

    private struct Crashes {
        var count = 0
        /// The latest process that crashed, and when it did.
        var last = WeakReference<AnyObject>(nil)
        var time: UInt64 = 0
    }

    private struct State {
        var crashes: [Call: Crashes] = [:]
        /// The time of the latest crash, at any call.
        var latest: UInt64 = 0

        mutating func removeOld(at now: UInt64) {
            crashes = crashes.filter { MonotonicTime.time($0.value.time, plus: PoisonCalls.age) > now }
        }
    }

    private let state = Lock(State())
    private let hasCrashed = Atomic(false)
    private let now: @Sendable () -> UInt64

    /// `now`: the monotonic clock, or the clock of a test.
    init(now: @escaping @Sendable () -> UInt64 = { MonotonicTime.now }) { self.now = now }

    /// Whether a process has crashed recently, so that calls have to be recorded.
    var isNeeded: Bool { hasCrashed.load(ordering: .relaxed) }

    /// Records that the code of a call ended its process.
    ///
    /// The same call on several threads counts once.
    ///
    /// - Parameters:
    ///   - call: the call; nil if it cannot be recognised.
    ///   - process: the process.
    /// - Returns: whether the call had already ended another process.
    @discardableResult
    func note(_ call: Call?, in process: AnyObject) -> Bool {
        let now = now()
        return state.withLock { state in
            state.latest = now
            hasCrashed.store(true, ordering: .relaxed)
            state.removeOld(at: now)
            guard let call, state.crashes[call] != nil || state.crashes.count < Self.mostCalls else { return false }
            var crashes = state.crashes[call] ?? Crashes()
            guard crashes.last.object !== process else { return false }
            crashes.count += 1
            crashes.last = WeakReference(process)
            crashes.time = now
            state.crashes[call] = crashes
            return crashes.count > 1
        }
    }

    /// How long a call is still refused; nil if it is not refused.
    func refusalTime(of call: Call) -> Duration? {
        let now = now()
        return state.withLock { state in
            state.removeOld(at: now)
            if MonotonicTime.time(state.latest, plus: Self.age) <= now {
                hasCrashed.store(false, ordering: .relaxed)
            }
            guard let crashes = state.crashes[call], crashes.count >= Self.most else { return nil }
            return .nanoseconds(MonotonicTime.time(crashes.time, plus: Self.age) - now)
        }
    }
}

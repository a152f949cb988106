import HostBasics
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// The calls during which worker processes of one plug-in crashed.
///
/// A call at which two of them crashed is refused for some minutes, and both ends count as one: the document that makes a
/// plug-in crash does not cost the user all others. A call is the same only if its object was called for the same before:
/// a method without arguments works on what earlier calls brought.
///
/// Noting what each object is called for costs time. So it is noted only in the minutes after a crash.
final class PoisonCalls: Sendable {
    struct Call: Hashable {
        let provider: String
        /// That of the object, with the call.
        let history: CallHistory
    }

    /// After so many crashes, a call is refused.
    static let most = 2
    /// For how long a crash counts: what the call depends on, such as a file, may be another one later.
    static let age = Duration.seconds(300)
    /// A plug-in that crashes at more calls is at fault itself.
    private static let mostCalls = 1_000

    private struct Crashes {
        var count = 0
        /// The process that crashed last, and when.
        var last = WeakReference<AnyObject>(nil)
        var time: UInt64 = 0
    }

    private struct State {
        var crashes: [Call: Crashes] = [:]
        /// When the latest crash was, at whatever call.
        var latest: UInt64 = 0

        mutating func removeOld(at now: UInt64) {
            crashes = crashes.filter { MonotonicTime.time($0.value.time, plus: PoisonCalls.age) > now }
        }
    }

    private let state = Lock(State())
    private let hasCrashed = Atomic(false)
    private let now: @Sendable () -> UInt64

    /// `now`: the monotonic clock, or that of a test.
    init(now: @escaping @Sendable () -> UInt64 = { MonotonicTime.now }) { self.now = now }

    /// Whether a process has crashed lately, so that calls have to be noted.
    var isNeeded: Bool { hasCrashed.load(ordering: .relaxed) }

    /// The code of a call ended its process; the same call on several threads ends it once.
    ///
    /// - Parameters:
    ///   - call: the call; nil if it cannot be recognised.
    ///   - process: the process.
    /// - Returns: whether the call had ended another process before.
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

    /// For how long a call is refused from now on; nil if it is not.
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

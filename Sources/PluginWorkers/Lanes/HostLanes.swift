internal import CPluginSupport.Shims
internal import CSandbox
import Dispatch
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// The host's side of a connection with a worker: each call uses one lane, on the thread of its caller.
///
/// While all lanes are in use, further callers wait. The time of a call includes its callbacks.
///
/// **Threads.** Any. **Lifetime.** Proxies hold it; it does not hold its owner.
final class HostLanes: RemoteConnection {
    /// The objects of the application that the worker may use while it performs a call.
    let server: RemoteServer
    let window: LaneWindow
    private weak let owner: (any LaneOwner)?
    private let times: Times
    private let channels: [HostChannel]
    private let threads = LaneThreads(atMost: Int(PHS_LANES))
    private let fork = phs_fork_generation()
    /// Whether the owner is notified when the last call has ended.
    let reportsEnds = Atomic(false)

    /// How long calls may take.
    struct Times: Sendable {
        /// The time of a call with all its callbacks; nil for no limit.
        var call: Duration?
        /// The time of a call after its caller has cancelled it, or the caller's own time is over; nil for no limit.
        var cancel: Duration?
    }

    /// - Parameters:
    ///   - window: the memory that is shared with the worker.
    ///   - owner: the worker.
    ///   - server: the objects of the application that the worker may use.
    ///   - times: how long calls may take.
    init(
        window: LaneWindow, owner: any LaneOwner,
        server: RemoteServer = RemoteServer { _ in
            throw RemoteFailure(.callRefused, "The application has no services for plug-ins in other processes.")
        },
        times: Times = Times()
    ) {
        self.window = window
        self.owner = owner
        self.server = server
        self.times = times
        channels = (0..<Int(PHS_LANES)).map { HostChannel($0, of: window, owner: owner, times: times) }
    }

    /// The worker has ended: all calls under way, and all later ones, throw ``LaneFailure/ended``.
    ///
    /// `calls`: the calls that it was performing; they throw ``LaneFailure/endedInCall``.
    func end(in calls: [LaneCall] = []) {
        for call in calls { channels[call.lane].isEnding(call) }
        window.end()
        for channel in channels { channel.mail.end() }
    }

    /// Keeps descriptors that the worker passed for a turn of a lane. [the monitor's thread]
    ///
    /// - Returns: false if the worker must not pass them: no call is under way on the lane, or it has already passed
    ///   descriptors for the turn.
    func put(_ descriptors: [RemoteDescriptor], lane: UInt32, turn: UInt32) -> Bool {
        guard lane < channels.count else { return false }
        let channel = channels[Int(lane)]
        guard channel.isUnderWay, channel.mail.put(descriptors, turn: turn) else { return false }
        if channel.isUnderWay { return true }
        // Either this thread or the call's thread sees what the other one has stored.
        channel.mail.empty()
        return false
    }

    /// The semaphores of the threads that wait for announced descriptors: see ``DescriptorMail/waiting``.
    var descriptorWaits: [DispatchSemaphore] { channels.compactMap(\.mail.waiting) }

    /// The calls under way.
    ///
    /// If a later list still has the same call, it has had no answer since then.
    var calls: [LaneCall] { channels.compactMap(\.call) }

    /// How many lanes have ever been in use at the same time; each costs the worker a thread.
    var usedLanes: Int { channels.count { $0.isUsed } }

    // MARK: RemoteConnection

    func open() throws -> any RemoteChannel {
        guard phs_fork_generation() == fork else { throw LaneFailure.forked }
        let within = PluginCall.deadline.map { MonotonicTime.after($0 - .now) } ?? 0
        let limit = MonotonicTime.earliest(within, times.call.map(MonotonicTime.after) ?? 0)
        guard let index = try takeLane(limit) else { throw LaneFailure.noLane }
        channels[index].begin()
        return channels[index]
    }

    /// The milliseconds after which a waiting thread checks whether its call was cancelled.
    static let lookTime: UInt32 = 20

    /// Waits for a free lane.
    ///
    /// Once the call is cancelled, waits only as long as a cancelled call may take.
    private func takeLane(_ limit: UInt64) throws -> Int? {
        guard PluginCall.isCancellable else { return try window.takeLane(limit) }
        // A deadline that has passed: this does not wait, and reads no clock if a lane is free.
        if let index = try window.takeLane(1) { return index }
        var (limit, isCancelled) = (limit, false)
        while true {
            let look = isCancelled ? 0 : MonotonicTime.after(.milliseconds(Int(Self.lookTime)))
            let next = MonotonicTime.earliest(look, limit)
            if let index = try window.takeLane(next) { return index }
            if next == limit { return nil }
            isCancelled = PluginCall.isCancelled
            if isCancelled { limit = MonotonicTime.earliest(limit, times.cancel.map(MonotonicTime.after) ?? 0) }
        }
    }

    func close(_ channel: any RemoteChannel) {
        let channel = unsafeDowncast(channel, to: HostChannel.self)
        // A lane in the middle of a conversation cannot be used again.
        if channel.end() { window.giveBackLane(channel.index) }
        if reportsEnds.load(ordering: .sequentiallyConsistent), calls.isEmpty { owner?.lastCallEnded() }
    }

    func release(_ object: UInt32) { owner?.release(object) }

    func start(_ work: @escaping @Sendable () -> Void) { threads.run(work) }

    func violated(_ failure: RemoteFailure, on channel: (any RemoteChannel)?) {
        owner?.violated(failure, in: (channel as? HostChannel)?.call)
    }
}

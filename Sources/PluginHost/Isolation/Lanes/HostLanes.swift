internal import CPluginSupport.Shims
internal import CSandbox
import Dispatch
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// The host's side of a connection with a worker: calls run over a lane each, on the thread of the caller.
///
/// More callers than lanes wait for one another. The time of a call includes its callbacks.
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
    /// Whether the owner learns when the last call has ended.
    let reportsEnds = Atomic(false)

    /// How long calls may take.
    struct Times: Sendable {
        /// With all callbacks; nil for no limit.
        var call: Duration?
        /// After the caller has cancelled the call, or its own time is over; nil for no limit.
        var cancel: Duration?
    }

    /// - Parameters:
    ///   - window: the memory that the worker has, too.
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
    /// `calls`: those that it performed then; they throw ``LaneFailure/endedInCall``.
    func end(in calls: [LaneCall] = []) {
        for call in calls { channels[call.lane].isEnding(call) }
        window.end()
        for channel in channels { channel.mail.end() }
    }

    /// Keeps descriptors that the worker passed for a turn of a lane. [the monitor's thread]
    ///
    /// - Returns: false if the worker must not pass them: no call is under way there, or it has passed some for the turn.
    func put(_ descriptors: [RemoteDescriptor], lane: UInt32, turn: UInt32) -> Bool {
        guard lane < channels.count else { return false }
        let channel = channels[Int(lane)]
        guard channel.isUnderWay, channel.mail.put(descriptors, turn: turn) else { return false }
        if channel.isUnderWay { return true }
        // Either this thread or the one of the call sees what the other has stored.
        channel.mail.empty()
        return false
    }

    /// What the threads wait for to whose calls the worker has announced descriptors: see ``DescriptorMail/waiting``.
    var descriptorWaits: [DispatchSemaphore] { channels.compactMap(\.mail.waiting) }

    /// The calls under way.
    ///
    /// The worker is called since a while without an answer if the same call is still there later.
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

    /// After so many milliseconds, a thread that waits looks whether its call was cancelled.
    static let lookTime: UInt32 = 20

    /// Waits for a free lane; after its call was cancelled, only as long as a cancelled call may take.
    private func takeLane(_ limit: UInt64) throws -> Int? {
        guard PluginCall.isCancellable else { return try window.takeLane(limit) }
        // A time that is over: it only looks, and needs no clock if there is one.
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
        // A lane that is in the middle of a conversation is of no use to anyone.
        if channel.end() { window.giveBackLane(channel.index) }
        if reportsEnds.load(ordering: .sequentiallyConsistent), calls.isEmpty { owner?.lastCallEnded() }
    }

    func release(_ object: UInt32) { owner?.release(object) }

    func start(_ work: @escaping @Sendable () -> Void) { threads.run(work) }

    func violated(_ failure: RemoteFailure, on channel: (any RemoteChannel)?) {
        owner?.violated(failure, in: (channel as? HostChannel)?.call)
    }
}

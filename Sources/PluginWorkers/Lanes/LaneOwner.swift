@_spi(PluginHost) package import PluginABI

/// The owner of lanes: in the host the worker process, in the worker its program.
///
/// **Threads.** Any; the functions are called without a lock. They may wait only where their comment says so.
package protocol LaneOwner: AnyObject, Sendable {
    /// Notifies the other process that one of its objects is no longer used here.
    func release(_ object: UInt32)

    /// Ends the worker, because the other side broke the protocol.
    ///
    /// `call`: the host's call during which this happened, if known.
    func violated(_ failure: RemoteFailure, in call: LaneCall?)

    /// Host: ends the worker, because a call has had no answer in time.
    func timedOut(_ call: LaneCall, _ time: CallTime)

    /// Host: how long a debugger has been attached to the worker, in nanoseconds. Meanwhile the time of a call does not
    /// run.
    var timeOfDebuggers: UInt64 { get }

    /// Host: the same, after checking the worker, which costs about twenty microseconds.
    func lookForDebugger() -> UInt64

    /// Host: no call is under way any more; called if ``HostLanes/reportsEnds`` is set.
    func lastCallEnded()

    /// Passes descriptors to the other process, whose lane takes them by the number of the turn.
    ///
    /// It may wait for the other process to read.
    ///
    /// - Parameters:
    ///   - descriptors: the caller keeps and closes them.
    ///   - lane: the index of the lane.
    ///   - turn: the number of the turn.
    /// - Throws: the reason why they cannot be passed; the call then fails with it.
    func send(_ descriptors: [Int32], lane: Int, turn: UInt32) throws

    /// A lane waits for descriptors that the other process has passed: check whether they have arrived.
    ///
    /// - Returns: whether descriptors can arrive at all.
    func awaitDescriptors() -> Bool
}

extension LaneOwner {
    package func timedOut(_ call: LaneCall, _ time: CallTime) {}
    package var timeOfDebuggers: UInt64 { 0 }
    package func lookForDebugger() -> UInt64 { 0 }
    package func lastCallEnded() {}
}

/// A time that a call may take.
package enum CallTime: Sendable, Hashable {
    /// The time of every call. A plug-in that does not answer within this time hangs.
    case ofCall(Duration)
    /// The time of a call after its caller has cancelled it, or the caller's own time is over.
    case afterCancelling(Duration)
}

/// A call under way, for reports.
package struct LaneCall: Sendable, Hashable {
    let lane: Int
    /// Each call on the lane has its own number.
    let number: UInt32
    /// False if an object is being created.
    let isOfMethod: Bool
    /// The number of the bundle whose code is called; 0 if it is not known.
    let bundle: UInt32
    /// The number of the provider that made the object or is making it; 0 for an object of the worker itself.
    let provider: UInt32
    /// The object of the call; 0 for a creation.
    let object: UInt32
    /// The number of the method in the worker; the number of the provider for a creation.
    let method: UInt32
    /// Whether code of the plug-in is running, and not a callback of the host.
    ///
    /// The worker may lie about this.
    let isInPlugin: Bool
}

/// Why a call over a lane has no answer.
enum LaneFailure: Error, CustomStringConvertible {
    /// The worker has ended before it got the call, or code other than that of the call ended it.
    case ended
    /// The worker has ended while its code performed the call.
    case endedInCall
    /// The answer did not come in time. The owner was asked to end the worker.
    case timedOut
    /// No lane was free in time. Nothing was sent, and the worker is not ended.
    case noLane
    /// This process is a child of the host; it has no worker.
    case forked
    /// The sender withdrew its message. The caller never gets this.
    case withdrawn

    var description: String {
        switch self {
        case .ended, .endedInCall: "The worker has ended."
        case .timedOut: "The worker did not answer in time."
        case .noLane: "All lanes of the worker were in use until the time of the call was over, or it was cancelled."
        case .forked: "This process is a copy of the one that started the worker."
        case .withdrawn: "The message was withdrawn."
        }
    }
}

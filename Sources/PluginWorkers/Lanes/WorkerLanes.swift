internal import CSandbox
import Glibc
import HostBasics
@_spi(PluginHost) package import PluginABI

/// The worker's side of the connection with its host: a thread for each lane in use performs the host's calls.
///
/// **Threads.** Any. **Lifetime.** The threads hold it.
package final class WorkerLanes: RemoteConnection {
    /// The objects of the plug-ins.
    package let server: RemoteServer
    private let window: LaneWindow
    private weak let owner: (any LaneOwner)?
    private let channels: [WorkerChannel]
    private let threads = LaneThreads(atMost: Int(PHS_LANES))

    /// - Parameters:
    ///   - window: the host's memory.
    ///   - server: the objects of the plug-ins.
    ///   - owner: the worker's program, which the caller keeps alive.
    package init(window: LaneWindow, server: RemoteServer, owner: any LaneOwner) {
        self.window = window
        self.server = server
        self.owner = owner
        channels = (0..<Int(PHS_LANES)).map { WorkerChannel($0, of: window, owner: owner) }
        for (channel, next) in zip(channels, channels.dropFirst()) {
            channel.onFirstRequest = { [unowned self, unowned next] in serve(next) }
        }
    }

    /// Starts to serve; returns at once.
    package func run() { serve(channels[0]) }

    /// Keeps descriptors that the host passed for a turn of a lane.
    package func put(_ descriptors: [RemoteDescriptor], lane: UInt32, turn: UInt32) {
        if lane < channels.count { _ = channels[Int(lane)].mail.put(descriptors, turn: turn) }
    }

    /// Ends each thread once it has answered the call that it performs.
    package func end() {
        window.end()
        for channel in channels { channel.mail.end() }
    }

    /// Serves a lane on a separate thread.
    ///
    /// The host takes the lowest free lane. So the first request on a lane starts the thread of the next lane. It does
    /// so before the plug-in's code runs, because that code may use up the resources of the process.
    private func serve(_ channel: WorkerChannel) {
        let status = DetachedThread.start {
            do { try self.server.serve(channel, of: self) } catch {
                // If the channel has failed, its failure was already reported.
                if !channel.hasFailed { self.violated(.violation("Calls are no longer served: \(error)"), on: nil) }
            }
        }
        // Otherwise the host would wait for an answer that never comes.
        if status != 0 {
            violated(
                RemoteFailure(
                    .callFailed, "No thread can be started for calls: \(String(cString: strerror(status))).",
                    remedy: "Raise the limits “threads” and “addressSpace” of the plug-in."), on: nil)
        }
    }

    // MARK: RemoteConnection

    package func open() throws -> any RemoteChannel {
        throw RemoteFailure(
            .callRefused,
            """
            The plug-in uses an object of the application outside of a call, on another thread, or from two tasks at once.
            """,
            remedy: """
                Use objects of the application only while the application calls the plug-in: on the thread of that \
                call, or one at a time in the task of an asynchronous method. To call the application from other threads, let it pass a RemoteCallback.
                """)
    }

    package func close(_ channel: any RemoteChannel) {}

    package func release(_ object: UInt32) { owner?.release(object) }

    package func start(_ work: @escaping @Sendable () -> Void) { threads.run(work) }

    package func violated(_ failure: RemoteFailure, on channel: (any RemoteChannel)?) {
        owner?.violated(failure, in: nil)
    }
}

/// What a worker does on a lane.
///
/// It is written to the lane's word for reports.
enum LanePhase: UInt32 {
    case waiting = 0
    /// Code of a plug-in runs.
    case plugin
    /// The worker waits while the host performs a callback.
    case callback
}

/// The worker's side of one lane.
private final class WorkerChannel: LaneChannel, @unchecked Sendable {
    // @unchecked for the reason stated in LaneChannel.
    /// Called once; set before the channel is used.
    var onFirstRequest: (() -> Void)?
    /// The requests of the host that have no answer yet.
    private var depth = 0
    /// The turn that began the call.
    ///
    /// It identifies the call when the host cancels it.
    private var firstTurn: UInt32 = 0

    override var isCancelled: Bool { depth > 0 && phs_lane_is_cancelled(lane, firstTurn) }

    override func willRead(_ head: RemoteHead, number: UInt32) {
        guard !head.isAnswer else { return }
        depth += 1
        if depth == 1 { firstTurn = number }
    }

    // Set before the host has the message, because the host may read the phase at once.
    override func willSend(_ head: RemoteHead) { if !head.isAnswer { set(.callback) } }

    override func didNotSend(_ head: RemoteHead) { set(.plugin) }

    override func didNotRead(_ head: RemoteHead) { if !head.isAnswer { depth -= 1 } }

    override func didSend(_ head: RemoteHead) { if head.isAnswer { depth -= 1 } }

    override func wait(for turn: inout phs_turn, isPiece: Bool) throws {
        if !isPiece { set(depth == 0 ? .waiting : .callback) }
        let error = phs_lane_receive(lane, isPiece, 0, &turn)
        guard error == 0 else { throw failure(error) }
        if !isPiece { set(.plugin) }
        if let start = onFirstRequest {
            onFirstRequest = nil
            start()
        }
    }

    private func set(_ phase: LanePhase) { phs_lane_set_phase(lane, phase.rawValue) }
}

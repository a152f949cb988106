@_spi(PluginHost) public import PluginABI

/// The host's side of lanes without a ``PluginWorker``, for the benchmark and the fuzzer.
@_spi(Tools) public final class LaneLink: Sendable {
    private let lanes: HostLanes
    private let owner: Owner

    /// - Parameters:
    ///   - longest: how many bytes a message may have.
    ///   - callTime: how long a call may take; nil for no limit.
    /// - Throws: the system call that failed.
    public init(longest: Int, callTime: Duration? = nil) throws {
        owner = Owner()
        lanes = HostLanes(window: try LaneWindow(longest: longest), owner: owner, times: .init(call: callTime))
    }

    /// The connection for proxies.
    public var connection: any RemoteConnection { lanes }

    /// The descriptor of the window; it belongs to this object.
    public var descriptor: Int32 { lanes.window.descriptor }

    /// Ends all calls, as the end of a worker does.
    public func end() { lanes.end() }

    /// Starts serving as a worker does, and returns at once.
    ///
    /// - Parameters:
    ///   - server: the objects of the worker.
    ///   - descriptor: the descriptor of the host's window.
    ///   - longest: how many bytes a message may have.
    /// - Throws: the system call that failed.
    public static func serve(_ server: RemoteServer, descriptor: Int32, longest: Int) throws {
        let window = try LaneWindow(descriptor: descriptor, longest: longest)
        WorkerLanes(window: window, server: server, owner: Owner()).run()
    }

    /// An owner that passes no descriptors and ends nothing.
    private final class Owner: LaneOwner {
        private struct Refused: Error {}

        func release(_ object: UInt32) {}
        func violated(_ failure: RemoteFailure, in call: LaneCall?) {}
        func send(_ descriptors: [Int32], lane: Int, turn: UInt32) throws { throw Refused() }
        func awaitDescriptors() -> Bool { false }
    }
}

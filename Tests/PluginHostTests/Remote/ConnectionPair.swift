import Foundation
@_spi(PluginHost) import PluginABI

@testable import PluginHost
@testable import PluginWorkers

/// A way to connect two sides, so that a test runs over each.
enum Transport: CaseIterable {
    /// Mailboxes of this process, with pieces of any size.
    case memory
    /// Lanes, both of whose sides are threads of this process.
    case lanes

    /// Connects a host with the objects of a worker; `pieces`: the size of the pieces of a message, which lanes choose
    /// themselves.
    func connect(
        worker: RemoteServer, host: RemoteServer = RemoteServer { _ in throw PluginFailure("There is no service.") },
        pieces: Int = 64, times: HostLanes.Times = HostLanes.Times()
    ) throws -> any ConnectionPair {
        switch self {
        case .memory: MemoryPair(worker: worker, host: host, pieces: pieces)
        case .lanes: try LanePair(worker: worker, host: host, times: times)
        }
    }
}

/// Both sides of a connection; without it the connection ends.
protocol ConnectionPair: AnyObject {
    var host: any RemoteConnection { get }
    var worker: any RemoteConnection { get }
    /// What was wrong with messages of the worker.
    var violations: [RemoteFailure] { get }
    /// How many channels a side has used at the same time.
    var channelsOfHost: Int { get }
    var channelsOfWorker: Int { get }
    /// Ends every conversation, as the end of the worker does.
    func end()
    /// Whether an error is the one that callers then get.
    func isEnd(_ error: any Error) -> Bool
}

private final class MemoryPair: ConnectionPair {
    private let sides: (host: MemoryConnection, worker: MemoryConnection)

    init(worker: RemoteServer, host: RemoteServer, pieces: Int) {
        sides = MemoryConnection.pair(worker: worker, host: host, pieces: pieces)
    }

    deinit { end() }

    var host: any RemoteConnection { sides.host }
    var worker: any RemoteConnection { sides.worker }
    var violations: [RemoteFailure] { sides.host.violations }
    var channelsOfHost: Int { sides.host.channels }
    var channelsOfWorker: Int { sides.worker.channels }

    func end() {
        sides.host.end()
        sides.worker.end()
    }

    func isEnd(_ error: any Error) -> Bool { error is MemoryConnection.Ended }
}

/// Both sides of a window, as two processes have them: each maps the memory for itself.
final class LanePair: ConnectionPair {
    let hostLanes: HostLanes
    let workerLanes: WorkerLanes
    let hostOwner: LaneOwnerFixture
    let workerOwner: LaneOwnerFixture
    let workerWindow: LaneWindow

    init(
        worker: RemoteServer, host: RemoteServer = RemoteServer { _ in throw PluginFailure("There is no service.") },
        longest: Int = 1 << 20, times: HostLanes.Times = HostLanes.Times(), serves: Bool = true
    ) throws {
        let window = try LaneWindow(longest: longest)
        workerWindow = try LaneWindow(descriptor: window.descriptor, longest: longest)
        hostOwner = LaneOwnerFixture(other: worker)
        workerOwner = LaneOwnerFixture(other: host)
        hostOwner.peer = workerOwner
        workerOwner.peer = hostOwner
        hostLanes = HostLanes(window: window, owner: hostOwner, server: host, times: times)
        workerLanes = WorkerLanes(window: workerWindow, server: worker, owner: workerOwner)
        hostOwner.deliver = { [hostLanes] in _ = hostLanes.put($0, lane: $1, turn: $2) }
        workerOwner.deliver = { [workerLanes] in workerLanes.put($0, lane: $1, turn: $2) }
        hostOwner.onEnd = { [hostLanes, workerLanes] in
            hostLanes.end()
            workerLanes.end()
        }
        if serves { workerLanes.run() }
    }

    deinit { end() }

    var host: any RemoteConnection { hostLanes }
    var worker: any RemoteConnection { workerLanes }
    var violations: [RemoteFailure] { hostOwner.violations }
    var channelsOfHost: Int { hostLanes.usedLanes }
    var channelsOfWorker: Int { 0 }

    func end() {
        hostLanes.end()
        workerLanes.end()
    }

    func isEnd(_ error: any Error) -> Bool { if case LaneFailure.ended = error { true } else { false } }
}

/// Does for one side of a window what a process and its control socket do.
final class LaneOwnerFixture: LaneOwner, @unchecked Sendable {
    // @unchecked because of the lock; the other properties are set before the lanes are used.
    weak var peer: LaneOwnerFixture?
    var onEnd: (@Sendable () -> Void)?
    /// Passes on what arrived for a turn of a lane.
    var deliver: (@Sendable ([RemoteDescriptor], UInt32, UInt32) -> Void)?
    private let other: RemoteServer
    private let lock = NSLock()
    private var failures: [RemoteFailure] = []
    private var late: [LaneCall] = []
    private var times: [CallTime] = []

    /// `other`: the objects of the other side.
    init(other: RemoteServer) { self.other = other }

    var violations: [RemoteFailure] { lock.withLock { failures } }
    var lateCalls: [LaneCall] { lock.withLock { late } }
    /// The times that were over for them.
    var lateTimes: [CallTime] { lock.withLock { times } }

    func release(_ object: UInt32) { other.release(object) }

    func violated(_ failure: RemoteFailure, in call: LaneCall?) { lock.withLock { failures.append(failure) } }

    func timedOut(_ call: LaneCall, _ time: CallTime) {
        lock.withLock {
            late.append(call)
            times.append(time)
        }
        onEnd?()
    }

    func send(_ descriptors: [Int32], lane: Int, turn: UInt32) throws {
        peer?.deliver?(try descriptors.map { try RemoteDescriptor(duplicating: $0) }, UInt32(lane), turn)
    }

    /// What was passed is there at once.
    func awaitDescriptors() -> Bool { false }
}

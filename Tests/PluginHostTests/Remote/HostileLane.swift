import CSandbox
import Foundation
@_spi(PluginHost) import PluginABI
import TestSupport

@testable import PluginHost
@testable import PluginWorkers

/// A worker that answers by hand, so that it can break every rule.
final class HostileWorker: @unchecked Sendable {
    // @unchecked because the stored properties never change, and the flag has a lock.
    let pair: LanePair
    private let lock = NSLock()
    private var isOver = false
    private let done = DispatchSemaphore(value: 0)

    /// A function of the worker that gets each request on lane 0; it answers by ``Lane/answer(_:_:)`` or otherwise.
    typealias Answer = @Sendable (Lane, phs_turn) -> Void

    /// `longest`: of a message.
    init(longest: Int = 4 << 20, times: HostLanes.Times = .init(), _ answer: @escaping Answer) throws {
        pair = try LanePair(worker: .ofConverters(), longest: longest, times: times, serves: false)
        let window = pair.workerWindow
        Thread { [self] in
            let lane = Lane(0, of: window)
            while !lock.withLock({ isOver }) {
                var turn = phs_turn()
                switch phs_lane_receive(lane.pointer, false, MonotonicTime.after(.milliseconds(20)), &turn) {
                case 0 where turn.status == RemoteHead.Kind.create.rawValue: lane.answerCreation()
                case 0: answer(lane, turn)
                case ETIMEDOUT: continue
                default:
                    done.signal()
                    return
                }
            }
            done.signal()
        }.start()
    }

    /// Ends the worker's thread.
    func end() {
        pair.end()
        lock.withLock { isOver = true }
        done.wait(until: "the hostile worker has ended")
    }

    /// Creates an object in the worker, calls it with a text, and returns the text that comes back.
    func call(_ text: String = "text", progress: RemoteCallback<Bool, Double>? = nil) throws -> String {
        let interface = RemoteInterface<any Converter>(
            proxy: { ConverterProxy($0, ()) },
            methods: [RemoteMethod("convert") { (_: any Converter, text: String) in text }])
        let proxy = try interface.make(0, methods: ["convert"], over: pair.host) as! ConverterProxy
        guard let progress else { return try proxy.remoteForTests.call(0, text) }
        return try proxy.remoteForTests.call(0, text, progress)
    }

    /// A lane as the worker has it.
    struct Lane: @unchecked Sendable {
        // @unchecked because of the pointers: a test keeps the window until its threads have ended.
        let pointer: OpaquePointer
        let data: UnsafeMutableRawPointer
        let head: UnsafeMutablePointer<phs_lane_head>

        init(_ index: Int, of window: LaneWindow) {
            pointer = phs_window_lane(window.pointer, Int32(index))
            data = phs_lane_data(pointer)
            head = (data - Int(PHS_LANE_HEAD_SIZE)).assumingMemoryBound(to: phs_lane_head.self)
        }

        /// Hands over the turn with some bytes.
        func send(_ kind: RemoteHead.Kind, _ bytes: [UInt8], change: (inout phs_turn) -> Void = { _ in }) {
            bytes.withUnsafeBytes {
                if let start = $0.baseAddress { data.copyMemory(from: start, byteCount: $0.count) }
            }
            var turn = phs_turn()
            turn.status = kind.rawValue
            turn.length = UInt32(bytes.count)
            change(&turn)
            phs_lane_send(pointer, &turn)
        }

        /// Returns a text.
        func answer(_ text: String = "text", change: (inout phs_turn) -> Void = { _ in }) {
            send(.returned, (try? MessageFixture.bytes(of: text)) ?? [], change: change)
        }

        /// Returns the object 1, without constants.
        fileprivate func answerCreation() { send(.returned, [1, 0, 0, 0] + [UInt8](repeating: 0, count: 8)) }

        /// Waits for the next turn of the host.
        func receive() -> phs_turn? {
            var turn = phs_turn()
            return phs_lane_receive(pointer, false, MonotonicTime.after(.seconds(60)), &turn) == 0 ? turn : nil
        }
    }
}

import CFuzz
import CSandbox
import Glibc
import HostBasics
@_spi(PluginHost) import PluginABI
@_spi(Tools) import PluginHost
@_spi(Tools) import PluginWorkers

/// Checks rules that hold for whatever a worker writes into a lane: the call ends with a value or an error, soon, and
/// takes memory by the size of the message only.
///
/// Host and worker are threads of this process; each has the window mapped for itself.
struct LaneChecks {
    let bytes: UnsafeRawBufferPointer

    static let capacity = UInt32(PHS_LANE_CAPACITY)
    /// Of a message: two pieces.
    private static let longest = 2 << 20
    /// An element of one byte has at most so many in memory.
    private static let mostMemory = 64 * longest

    func run() throws(Violation) {
        let (isText, turns) = HostileLanes.decoded(bytes)
        let start = Self.milliseconds
        let host = Host.current
        host.worker.play(turns)
        do {
            let progress = RemoteCallback<Bool, Double> { _ in true }
            if isText {
                let text: String = try host.object.remote.call(0, progress)
                // The bytes may have changed after they were checked.
                guard String(validating: Array(text.utf8), as: UTF8.self) == text else {
                    throw Violation("a text that is not UTF-8 reached the caller")
                }
            } else {
                let value: LaneValue = try host.object.remote.call(1, progress)
                let again = try MessageBytes.read(try MessageBytes.written { try $0.write(value) }) {
                    try $0.next(LaneValue.self)
                }
                // A number that is none differs from itself.
                guard again == value || value.hasNaN else { throw Violation("a value is not written as it was read") }
            }
        } catch let violation as Violation {
            throw violation
        } catch {
            Host.current.end()
        }
        guard Self.milliseconds - start < 3_000 else {
            throw Violation("the call takes \(Self.milliseconds - start) ms")
        }
        guard fuzz_memory_peak() < Self.mostMemory else {
            throw Violation("the call takes \(fuzz_memory_peak()) bytes of memory")
        }
    }

    private static var milliseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }

    /// A host with an object in its worker, until something is wrong with a lane; then another one.
    private final class Host {
        let link: LaneLink
        let worker: ScriptedWorker
        let object: FuzzedProxy

        nonisolated(unsafe) private static var existing: Host?

        static var current: Host {
            if let existing { return existing }
            do {
                let host = try Host()
                existing = host
                return host
            } catch { fatalError("There is no host: \(error)") }
        }

        private init() throws {
            link = try LaneLink(longest: LaneChecks.longest, callTime: .seconds(2))
            worker = ScriptedWorker(descriptor: link.descriptor)
            let names = FuzzedProxy.interface.methodNames
            worker.play([.init(kind: RemoteHead.Kind.returned.rawValue, bytes: [1] + [UInt8](repeating: 0, count: 11))])
            object = try FuzzedProxy.interface.make(0, methods: names, over: link.connection)
        }

        func end() {
            link.end()
            worker.end()
            Self.existing = nil
        }
    }

    private final class FuzzedProxy {
        let remote: RemoteObject
        private init(_ remote: RemoteObject) { self.remote = remote }
        static let interface = RemoteInterface<FuzzedProxy>(
            proxy: { FuzzedProxy($0) },
            methods: [RemoteMethod("text") { (_: FuzzedProxy) in }, RemoteMethod("value") { (_: FuzzedProxy) in }])
    }
}

extension LaneValue {
    fileprivate var hasNaN: Bool { numbers.contains(where: \.isNaN) || parts.contains(where: \.hasNaN) }
}

/// A thread that answers the requests of lane 0 as a script demands.
private final class ScriptedWorker: @unchecked Sendable {
    // @unchecked because the mutex guards what changes.
    private let window: OpaquePointer
    private let lane: OpaquePointer
    private let head: UnsafeMutablePointer<phs_lane_head>
    private let data: UnsafeMutableRawPointer
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var turns: ArraySlice<HostileLanes.Turn> = []

    init(descriptor: Int32) {
        guard let window = phs_window_open(descriptor, nil) else { fatalError("The window cannot be opened.") }
        self.window = window
        lane = phs_window_lane(window, 0)
        data = phs_lane_data(lane)
        head = (data - Int(PHS_LANE_HEAD_SIZE)).assumingMemoryBound(to: phs_lane_head.self)
        pthread_mutex_init(mutex, nil)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<ScriptedWorker>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        guard status == 0 else { fatalError("There is no thread.") }
        pthread_detach(thread)
    }

    deinit {
        phs_window_free(window)
        mutex.deallocate()
    }

    /// Answers the next requests by these turns, after all that it still writes for the last ones.
    func play(_ turns: [HostileLanes.Turn]) {
        pthread_mutex_lock(mutex)
        self.turns = turns[...]
        pthread_mutex_unlock(mutex)
    }

    /// The host has ended; the thread ends too.
    func end() { phs_window_end(window) }

    private func run() {
        var request = phs_turn()
        while phs_lane_receive(lane, false, 0, &request) == 0 {
            pthread_mutex_lock(mutex)
            // After the script an answer that ends the call.
            answer(turns.popFirst() ?? HostileLanes.Turn(kind: .max, bytes: []))
            pthread_mutex_unlock(mutex)
        }
    }

    private func answer(_ turn: HostileLanes.Turn) {
        turn.bytes.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { data.copyMemory(from: start, byteCount: bytes.count) }
        }
        var answer = phs_turn()
        answer.status = turn.kind
        answer.method = turn.method
        answer.object = turn.object
        answer.more = turn.more
        answer.descriptors = turn.descriptors
        answer.length = UInt32(turn.bytes.count) &+ turn.surplus
        let number = phs_lane_next_number(lane)
        phs_lane_send(lane, &answer)
        // Too late if the host has seen the right number.
        if turn.skew != 0 { head.pointee.reply = number &+ turn.skew }
        var random = SeededGenerator(seed: UInt64(turn.noise))
        for _ in 0..<turn.noise {
            // Not into what this side waits for and what wakes the sides: then the call only takes all its time.
            let place = random.oneIn(8) ? 4 + random.below(4) : 16 + random.below(48 + max(turn.bytes.count, 8))
            (UnsafeMutableRawPointer(head) + place)
                .storeBytes(of: UInt8(truncatingIfNeeded: random.next()), as: UInt8.self)
        }
    }
}

import CSandbox
import Foundation
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@testable import PluginHost
@testable import PluginWorkers

/// A worker that writes what it wants into the lanes: the host gets an error or a value, and its owner learns of every
/// violation.
@Suite struct LaneFaultTests {
    /// Expects a call to fail with a violation of which the owner learned.
    private func expectViolation(
        _ message: String, times: HostLanes.Times = .init(), answer: @escaping HostileWorker.Answer
    ) throws {
        let worker = try HostileWorker(times: times, answer)
        defer { worker.end() }
        let error = #expect(throws: RemoteFailure.self) { try worker.call() }
        #expect(error?.code == .protocolViolation)
        #expect(error?.message == message)
        #expect(worker.pair.violations.map(\.message) == [message], "the owner ends the worker")
    }

    private static let outOfTurn = "A turn of a lane is not the next one, or is longer than the lane."

    @Test func aWorkerThatKeepsTheRulesIsServed() throws {
        let worker = try HostileWorker { lane, _ in lane.answer("Grüße") }
        defer { worker.end() }
        for _ in 0..<100 { #expect(try worker.call() == "Grüße") }
        #expect(worker.pair.violations.isEmpty)
    }

    @Test(.fault(412)) func aLengthBeyondTheLaneIsAViolation() throws {
        for length in [UInt32(PHS_LANE_CAPACITY) + 1, 1 << 31, UInt32.max] {
            try expectViolation(Self.outOfTurn) { lane, _ in lane.answer { $0.length = length } }
        }
        try expectViolation("A piece of a long message does not fill the lane.") { lane, _ in
            lane.answer { $0.more = 1 }
        }
        try expectViolation("A message claims to have 4 elements, more than the 3 bytes that are left.") { lane, _ in
            lane.answer { $0.length -= 1 }
        }
        try expectViolation("A message has bytes after its last value.") { lane, _ in lane.answer { $0.length += 1 } }
    }

    @Test func aMessageThatDoesNotEndIsAViolation() throws {
        // Pieces without end, each of which fills the lane.
        let worker = try HostileWorker(longest: 3 << 20) { lane, _ in
            lane.send(.returned, [0, 0, 0x40, 0, 0, 0, 0, 0]) {
                $0.length = UInt32(PHS_LANE_CAPACITY)
                $0.more = 1
            }
            while lane.receive() != nil {
                var piece = phs_turn()
                piece.status = 0x100
                piece.length = UInt32(PHS_LANE_CAPACITY)
                piece.more = 1
                phs_lane_send(lane.pointer, &piece)
            }
        }
        defer { worker.end() }
        let error = #expect(throws: RemoteFailure.self) { try worker.call() }
        #expect(error?.code == .protocolViolation)
    }

    @Test func theRestOfALongMessageMustBeItsRest() throws {
        try expectViolation("The rest of a long message does not follow its beginning.") { lane, _ in
            lane.send(.returned, [0, 0, 0x20, 0, 0, 0, 0, 0]) {
                $0.length = UInt32(PHS_LANE_CAPACITY)
                $0.more = 1
            }
            if lane.receive() != nil { lane.answer() }
        }
    }

    @Test(.fault(413)) func aReplyBeforeTheAnswerOrTwiceIsAnErrorOrAValue() throws {
        // A turn that was not asked for.
        try expectViolation(Self.outOfTurn, times: .init(call: .seconds(20))) { lane, turn in
            lane.head.pointee.reply = turn.number &+ 1
        }
        // The answer of the next call stands there already.
        let worker = try HostileWorker(times: .init(call: .seconds(2))) { lane, turn in
            lane.answer("early")
            lane.head.pointee.reply = turn.number
        }
        defer { worker.end() }
        #expect(try worker.call() == "early")
        let (first, second) = (Result { try worker.call() }, Result { try worker.call() })
        for case .success(let text) in [first, second] { #expect(text == "early") }
    }

    @Test(.fault(414)) func aHeadOfNoiseIsAnErrorOrAValueAndNeverMore() throws {
        var generator = SeededGenerator(seed: 414)
        for _ in 0..<100 {
            let seed = generator.next()
            let worker = try HostileWorker(times: .init(call: .milliseconds(300))) { lane, _ in
                var own = SeededGenerator(seed: seed)
                lane.answer { turn in
                    for word in [\phs_turn.status, \.length, \.more, \.descriptors, \.method, \.object]
                    where Bool.random(using: &own) {
                        turn[keyPath: word] =
                            Bool.random(using: &own)
                            ? .random(in: 0...300, using: &own) : .random(in: 0...(.max), using: &own)
                    }
                }
            }
            if case .success(let text) = Result(catching: { try worker.call() }) { #expect(text == "text") }
            worker.end()
        }
    }

    @Test(.fault(415)) func bytesThatChangeWhileTheHostReadsThemGiveAValueOrAnError() throws {
        let text = String(repeating: "äöü", count: 50_000)
        let worker = try HostileWorker { lane, _ in
            lane.answer(text)
            // While the host reads.
            for step in 0..<100_000 {
                lane.data.storeBytes(
                    of: UInt8(truncatingIfNeeded: step), toByteOffset: step &* 7_919 % 300_000, as: UInt8.self)
            }
            lane.data.storeBytes(of: .max, as: UInt64.self)
        }
        defer { worker.end() }
        for _ in 0..<20 {
            guard case .success(let result) = Result(catching: { try worker.call() }) else { break }
            // What was checked is what the caller has.
            #expect(String(validating: Array(result.utf8), as: UTF8.self) == result)
        }
    }

    @Test(.fault(416, 417)) func aCountOf2To63AndTextThatIsNotUTF8AreViolations() throws {
        try expectViolation(
            "A message claims to have 9223372036854775808 elements, more than the 0 bytes that are left."
        ) { lane, _ in
            lane.send(.returned, [0, 0, 0, 0, 0, 0, 0, 0x80])
        }
        try expectViolation("A text in a message is not UTF-8.") { lane, _ in
            lane.send(.returned, [2, 0, 0, 0, 0, 0, 0, 0, 0xC3, 0x28])
        }
    }

    @Test(.fault(418)) func aWindowCannotShrinkAndAHoleInItReadsAsZeros() throws {
        let worker = try HostileWorker(times: .init(call: .seconds(20))) { lane, _ in
            // 9 is MADV_REMOVE, which punches a hole in the file.
            #expect(madvise(UnsafeMutableRawPointer(lane.head), Int(PHS_WINDOW_SIZE), 9) == 0)
        }
        defer { worker.end() }
        let descriptor = worker.pair.hostLanes.window.descriptor
        #expect(ftruncate(descriptor, 0) != 0)
        #expect(ftruncate(descriptor, 1 << 30) != 0)
        let error = #expect(throws: RemoteFailure.self) { try worker.call() }
        #expect(error?.message == Self.outOfTurn)
        #expect(HostileWorker.Lane(0, of: worker.pair.workerWindow).head.pointee.length == 0)
    }

    @Test func aWindowOfAnotherSizeIsRefused() throws {
        let file = try RemoteBuffer(byteCount: 4_096)
        let output = OutputPieces(size: 64)
        var writer = RemoteWriter(output.piece, pieces: output)
        try writer.write(file)
        let descriptor = writer.descriptors[0].descriptor
        let error = #expect(throws: WorkerFailure.self) { try LaneWindow(descriptor: descriptor, longest: 1) }
        #expect(error?.errno == EINVAL)
        #expect(throws: WorkerFailure.self) { try LaneWindow(descriptor: -1, longest: 1) }
    }

    @Test(.fault(419)) func anAnswerInAnotherLaneAnswersNothing() throws {
        let worker = try HostileWorker(times: .init(call: .milliseconds(200))) { [other = 1] lane, turn in
            // The same answer, where nobody waits for it.
            let head = lane.head + other * Int(PHS_LANE_SIZE) / MemoryLayout<phs_lane_head>.stride
            head.pointee.status = RemoteHead.Kind.returned.rawValue
            head.pointee.reply = turn.number
        }
        defer { worker.end() }
        #expect(throws: LaneFailure.timedOut) { try worker.call() }
        #expect(worker.pair.hostOwner.lateCalls.map(\.lane) == [0])
    }

    @Test func descriptorsThatWereNotPassedAreAnError() throws {
        try expectViolation("A message has more than 64 descriptors.") { lane, _ in
            lane.answer { $0.descriptors = 65 }
        }
        try expectViolation("A message should come with 1 descriptors, and none came.") { lane, _ in
            lane.answer { $0.descriptors = 1 }
        }
        // Passed, but no value has it.
        let owner = Later<LaneOwnerFixture>()
        let worker = try HostileWorker { lane, turn in
            try? owner.value?.send([STDERR_FILENO], lane: 0, turn: turn.number)
            lane.answer { $0.descriptors = 1 }
        }
        defer { worker.end() }
        owner.value = worker.pair.workerOwner
        let error = #expect(throws: RemoteFailure.self) { try worker.call() }
        #expect(error?.message == "A message has descriptors that no value has.")
    }

    /// Descriptors that the test can recognise when they are closed.
    private static func files(_ count: Int) throws -> [RemoteDescriptor] {
        try (0..<count).map { _ in try RemoteDescriptor(duplicating: STDERR_FILENO) }
    }

    @Test func descriptorsOfNoCallAreRefusedAndThoseThatNobodyTakesAreClosed() throws {
        let isCalled = DispatchSemaphore(value: 0), goOn = DispatchSemaphore(value: 0)
        let worker = try HostileWorker { lane, _ in
            isCalled.signal()
            goOn.wait(until: "the test has passed descriptors")
            lane.answer()
        }
        defer { worker.end() }
        let lanes = worker.pair.hostLanes
        #expect(try !lanes.put(Self.files(1), lane: 0, turn: 1), "no call is under way")
        let done = DispatchSemaphore(value: 0)
        Thread {
            #expect((try? worker.call()) == "text")
            done.signal()
        }.start()
        isCalled.wait(until: "the call has begun")
        for lane in [1, UInt32(PHS_LANES), .max] {
            #expect(try !lanes.put(Self.files(1), lane: lane, turn: 1), "the call is on lane 0")
        }
        var first: [RemoteDescriptor]? = try Self.files(64)
        weak let old = first?[63]
        #expect(lanes.put(first!, lane: 0, turn: 1))
        first = nil
        #expect(try old != nil && !lanes.put(Self.files(1), lane: 0, turn: 1), "they came twice")
        var second: [RemoteDescriptor]? = try Self.files(1)
        weak let new = second?[0]
        #expect(lanes.put(second!, lane: 0, turn: 2))
        second = nil
        #expect(old == nil && new != nil, "those of an earlier turn are closed")
        goOn.signal()
        done.wait(until: "the call has ended")
        #expect(new == nil, "the call has ended without them")
        #expect(try !lanes.put(Self.files(1), lane: 0, turn: 3))
    }

    @Test func theEndOfTheWorkerEndsTheWaitForDescriptors() throws {
        let mail = DescriptorMail()
        #expect(throws: LaneFailure.ended) {
            try mail.take(turn: 1, within: nil) {
                #expect(mail.waiting != nil)
                mail.end()
                return true
            }
        }
        var late: [RemoteDescriptor]? = try Self.files(1)
        weak let closed = late?[0]
        _ = mail.put(late!, turn: 1)
        late = nil
        #expect(mail.waiting == nil && closed == nil)
    }

    private final class Later<Value: AnyObject>: @unchecked Sendable {
        // @unchecked because it is set before the thread that reads it gets a request.
        weak var value: Value?
    }
}

import Foundation
import HostBasics
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@testable import PluginHost
@testable import PluginWorkers

/// What lanes have beside the calls that RemoteCallTests makes over every transport: long messages, time, many callers.
@Suite struct LaneTests {
    private let progress = RemoteCallback<Bool, Double> { _ in true }

    /// An object whose method is the given one.
    private func remote(_ method: RemoteMethod<any Converter>, over pair: LanePair) throws -> RemoteObject {
        let interface = RemoteInterface<any Converter>(proxy: { ConverterProxy($0, ()) }, methods: [method])
        return (try interface.make(0, methods: [method.name], over: pair.host) as! ConverterProxy).remoteForTests
    }

    private func pair(
        _ method: RemoteMethod<any Converter>, longest: Int = 256 << 20, times: HostLanes.Times = .init()
    ) throws -> LanePair {
        try LanePair(
            worker: .ofConverters(RemoteInterface(proxy: { ConverterProxy($0, ()) }, methods: [method])),
            longest: longest, times: times)
    }

    private func callIsUnderWay(in pair: LanePair) async throws {
        let limit = Wait.ofATest
        while pair.hostLanes.calls.isEmpty, try await limit.pause() {}
        try #require(!pair.hostLanes.calls.isEmpty)
    }

    /// Cancels a task as soon as its call is under way.
    ///
    /// On a thread of its own, because the call blocks a thread of the pool, in which this would stand behind all tests.
    private func cancel<Value>(_ task: Task<Value, any Error>, onceItCallsOver pair: LanePair) {
        let lanes = pair.hostLanes
        Thread {
            let limit = Wait.ofATest
            while lanes.calls.isEmpty, limit.sleep(microseconds: 1_000) {}
            task.cancel()
            if limit.isOver { Issue.record("No call was under way.") }
        }.start()
    }

    // MARK: Long messages

    private static let echo = RemoteMethod<any Converter>("echo") { (_: any Converter, bytes: [UInt8]) in bytes }

    @Test(arguments: [0, 1, 1_048_504, 1_048_505, 3_000_000, 64 << 20])
    func messagesOfAnyLengthCross(count: Int) throws {
        let pair = try pair(Self.echo)
        defer { pair.end() }
        let remote = try remote(Self.echo, over: pair)
        var bytes = [UInt8](repeating: 7, count: count)
        if count > 0 { bytes[count - 1] = 9 }
        #expect(try remote.call(0, bytes) == bytes)
        #expect(try remote.call(0, [1, 2, 3] as [UInt8]) == [1, 2, 3] as [UInt8])
        #expect(pair.violations.isEmpty)
    }

    @Test func aMessageOverTheLimitIsRefusedOnBothSidesAndTheLaneIsUsedAgain() throws {
        let double = RemoteMethod<any Converter>("double") { (_: any Converter, bytes: [UInt8]) in bytes + bytes }
        let pair = try pair(double, longest: 3 << 20)
        defer { pair.end() }
        let remote = try remote(double, over: pair)
        for count in [4 << 20, 2 << 20] {
            let error = #expect(throws: RemoteFailure.self) {
                try remote.call(0, [UInt8](repeating: 1, count: count)) as [UInt8]
            }
            #expect(error?.code == .messageTooLarge)
            #expect(error?.message == "A message has more than the 3145728 bytes that are allowed.")
            #expect(try remote.call(0, [5] as [UInt8]) == [5, 5] as [UInt8])
        }
        #expect(pair.hostLanes.usedLanes == 1)
        #expect(pair.violations.isEmpty)
    }

    /// Fails after so many bytes were written.
    private struct Failing: RemoteValue, Sendable {
        struct Reason: Error, Equatable {}
        var count: Int
        func write(to writer: inout RemoteWriter) throws {
            try writer.write([UInt8](repeating: 0, count: count))
            throw Reason()
        }
        static func read(from reader: inout RemoteReader) throws -> Failing {
            Failing(count: try reader.next([UInt8].self).count)
        }
    }

    @Test(arguments: [10, 5 << 20]) func aMessageWhoseWriterFailsIsWithdrawn(count: Int) throws {
        let method = RemoteMethod<any Converter>("fail") { (_: any Converter, value: Failing) in value }
        let pair = try pair(method)
        defer { pair.end() }
        let remote = try remote(method, over: pair)
        #expect(throws: Failing.Reason.self) { try remote.call(0, Failing(count: count)) as Failing }
        // In the worker, whose error crosses.
        let result = RemoteMethod<any Converter>("result") { (_: any Converter, count: Int) in Failing(count: count) }
        let other = try self.pair(result)
        defer { other.end() }
        let object = try self.remote(result, over: other)
        for _ in 0..<3 {
            let error = #expect(throws: RemoteFailure.self) { try object.call(0, count) as Failing }
            #expect(error?.code == .callFailed)
        }
        #expect(other.violations.isEmpty && pair.violations.isEmpty)
        #expect(other.workerOwner.violations.isEmpty && pair.workerOwner.violations.isEmpty)
    }

    @Test func descriptorsCrossInEveryPieceOfALongMessage() throws {
        let method = RemoteMethod<any Converter>("both") {
            (_: any Converter, first: RemoteDescriptor, bytes: [UInt8], last: RemoteDescriptor) throws in
            [first, last].map { file in
                var byte: UInt8 = 0
                return read(file.descriptor, &byte, 1) == 1 ? byte : 0
            } + [UInt8(truncatingIfNeeded: bytes.count)]
        }
        let pair = try pair(method)
        defer { pair.end() }
        let remote = try remote(method, over: pair)
        func file(_ byte: UInt8) throws -> RemoteDescriptor {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw PluginFailure("There is no pipe.") }
            defer { close(ends[1]) }
            _ = withUnsafeBytes(of: byte) { write(ends[1], $0.baseAddress, 1) }
            return RemoteDescriptor(adopting: ends[0])
        }
        let bytes = [UInt8](repeating: 0, count: 3_000_001)
        #expect(try remote.call(0, file(1), bytes, file(2)) == [1, 2, UInt8(truncatingIfNeeded: 3_000_001)])
        let many = try (0..<65).map { _ in try file(3) }
        let other = RemoteMethod<any Converter>("many") { (_: any Converter, files: [RemoteDescriptor]) in files.count }
        let second = try self.pair(other)
        defer { second.end() }
        let object = try self.remote(other, over: second)
        #expect(try object.call(0, Array(many.dropLast())) == 64)
        #expect(throws: RemoteFailure.self) { try object.call(0, many) as Int }
        #expect(try object.call(0, [] as [RemoteDescriptor]) == 0)
    }

    // MARK: Time

    private static let endless = RemoteMethod<any Converter>("endless") { (_: any Converter) throws -> Int in
        untilCancelled() ? 1 : 0
    }
    /// It does not look whether it is cancelled.
    private static let deaf = RemoteMethod<any Converter>("deaf") { (_: any Converter) throws -> Int in
        usleep(700_000)
        return 2
    }

    @Test func aCallWithoutAnAnswerInTimeEndsTheWorker() throws {
        let isOver = DispatchSemaphore(value: 0)
        let deaf = RemoteMethod<any Converter>("deaf") { (_: any Converter) throws -> Int in
            isOver.wait(until: "the caller has its error")
            return 2
        }
        // The time is also that of making the object, for which a busy machine may need long.
        let pair = try pair(deaf, times: .init(call: .seconds(2)))
        defer {
            isOver.signal()
            pair.end()
        }
        let remote = try remote(deaf, over: pair)
        #expect(throws: LaneFailure.timedOut) { try remote.call(0) as Int }
        let call = try #require(pair.hostOwner.lateCalls.first)
        #expect(call.isOfMethod && call.object == 1 && call.method == 0 && call.lane == 0)
        #expect(throws: LaneFailure.ended) { try remote.call(0) as Int }
        #expect(pair.hostLanes.calls.isEmpty)
    }

    @Test(.fault(420)) func callbacksWithoutEndAreEndedByTheTimeOfTheCall() throws {
        let storm = RemoteMethod<any Converter>("storm") {
            (_: any Converter, callback: RemoteCallback<Int, Int>) throws -> Int in
            var count = 0
            for number in 0..<Int.max { count += try callback(number) }
            return count
        }
        let pair = try pair(storm, times: .init(call: .seconds(2)))
        defer { pair.end() }
        let remote = try remote(storm, over: pair)
        nonisolated(unsafe) var count = 0
        let start = ContinuousClock.now
        // Each callback is quick; the time is that of the whole call.
        #expect(throws: LaneFailure.timedOut) {
            try remote.call(
                0,
                RemoteCallback { (_: Int) -> Int in
                    count += 1
                    usleep(100)
                    return 1
                }) as Int
        }
        #expect(count > 10)
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(pair.hostOwner.lateCalls.count == 1)
    }

    @Test func theTimeOfTheCallerCancelsTheCallFirst() throws {
        let pair = try pair(Self.endless)
        defer { pair.end() }
        let remote = try remote(Self.endless, over: pair)
        #expect(try PluginCall.within(.milliseconds(30)) { try remote.call(0) } == 1)
        #expect(pair.hostOwner.lateCalls.isEmpty)
        // Without a time for that, a call that does not listen goes on.
        let deaf = try self.pair(Self.deaf)
        defer { deaf.end() }
        let object = try self.remote(Self.deaf, over: deaf)
        #expect(try PluginCall.within(.milliseconds(30)) { try object.call(0) } == 2)
    }

    @Test func aCancelledCallThatGoesOnEndsTheWorkerAfterItsTime() async throws {
        let isOver = DispatchSemaphore(value: 0)
        let deaf = RemoteMethod<any Converter>("deaf") { (_: any Converter) throws -> Int in
            isOver.wait(until: "the caller has its error")
            return 2
        }
        let pair = try pair(deaf, times: .init(call: .seconds(600), cancel: .milliseconds(50)))
        defer { pair.end() }
        let remote = try remote(deaf, over: pair)
        let task = Task { try await remote.callAsync(0) as Int }
        try await callIsUnderWay(in: pair)
        task.cancel()
        let result = await task.result
        isOver.signal()
        #expect(throws: LaneFailure.timedOut) { try result.get() }
        #expect(pair.hostOwner.lateCalls.count == 1)
        #expect(pair.hostOwner.lateTimes == [.afterCancelling(.milliseconds(50))], "not that of every call")
    }

    @Test(.fault(763)) func aCancelledTaskCancelsItsCallOfAMethodThatIsNotAsynchronous() async throws {
        let pair = try pair(Self.endless)
        defer { pair.end() }
        let remote = try remote(Self.endless, over: pair)
        let task = Task.detached { try remote.call(0) as Int }
        cancel(task, onceItCallsOver: pair)
        #expect(try await task.value == 1)
        #expect(pair.hostOwner.lateCalls.isEmpty)
    }

    @Test(.fault(763)) func suchACallThatGoesOnEndsTheWorkerAfterItsTime() async throws {
        let isOver = DispatchSemaphore(value: 0)
        let deaf = RemoteMethod<any Converter>("deaf") { (_: any Converter) throws -> Int in
            isOver.wait(until: "the caller has its error")
            return 2
        }
        let pair = try pair(deaf, times: .init(call: .seconds(600), cancel: .milliseconds(50)))
        defer { pair.end() }
        let remote = try remote(deaf, over: pair)
        let task = Task.detached { try remote.call(0) as Int }
        cancel(task, onceItCallsOver: pair)
        let result = await task.result
        isOver.signal()
        #expect(throws: LaneFailure.timedOut) { try result.get() }
        #expect(pair.hostOwner.lateTimes == [.afterCancelling(.milliseconds(50))])
    }

    @Test(.fault(763)) func aCallOfACancelledTaskIsCancelledFromItsBeginning() async throws {
        let asks = RemoteMethod<any Converter>("asks") { (_: any Converter) throws -> Bool in PluginCall.isCancelled }
        let pair = try pair(asks)
        defer { pair.end() }
        let remote = try remote(asks, over: pair)
        let task = Task.detached {
            let before = try remote.call(0) as Bool
            withUnsafeCurrentTask { $0?.cancel() }
            return [before, try remote.call(0), try remote.call(0)]
        }
        #expect(try await task.value == [false, true, true])
        #expect(try remote.call(0) == false, "the next call on the lane is another one")
    }

    @Test(.fault(763)) func aCancelledCallWaitsForALaneNoLongerThanItMayTake() async throws {
        let isOver = DispatchSemaphore(value: 0), waits = DispatchSemaphore(value: 0)
        let busy = RemoteMethod<any Converter>("busy") { (_: any Converter) throws -> Int in
            waits.signal()
            isOver.wait(until: "the test has looked")
            return 2
        }
        let pair = try pair(busy, times: .init(cancel: .milliseconds(50)))
        defer { pair.end() }
        let remote = try remote(busy, over: pair)
        let done = DispatchSemaphore(value: 0)
        for _ in 0..<8 {
            Thread {
                _ = try? remote.call(0) as Int
                done.signal()
            }.start()
            waits.wait(until: "the call has begun")
        }
        let task = Task.detached {
            withUnsafeCurrentTask { $0?.cancel() }
            return try remote.call(0) as Int
        }
        let result = await task.result
        for _ in 0..<8 { isOver.signal() }
        for _ in 0..<8 { done.wait(until: "the calls have ended") }
        #expect(throws: LaneFailure.noLane) { try result.get() }
        #expect(pair.hostOwner.lateCalls.isEmpty, "no worker is ended for a call that it did not get")
    }

    @Test func aCancelledCallDoesNotCancelTheNextOneOnItsLane() async throws {
        let pair = try pair(Self.endless)
        defer { pair.end() }
        let remote = try remote(Self.endless, over: pair)
        for round in 0..<20 {
            let task = Task { try await remote.callAsync(0) as Int }
            if round % 2 == 0 { try await Task.sleep(for: .milliseconds(3)) }
            task.cancel()
            #expect(try await task.value == 1)
        }
        let last = Task { try await remote.callAsync(0) as Int }
        try await callIsUnderWay(in: pair)
        try await Task.sleep(for: .milliseconds(50))
        #expect(pair.hostLanes.calls.count == 1, "it is not cancelled")
        last.cancel()
        _ = try await last.value
        #expect(pair.hostLanes.calls.isEmpty)
        #expect(pair.hostLanes.usedLanes == 1)
    }

    @Test func callsUnderWayAreReported() throws {
        let begun = DispatchSemaphore(value: 0), goOn = DispatchSemaphore(value: 0)
        let method = RemoteMethod<any Converter>("wait") {
            (_: any Converter, callback: RemoteCallback<Int>) throws -> Int in
            begun.signal()
            goOn.wait(until: "the test has looked")
            return try callback()
        }
        let pair = try pair(method)
        defer { pair.end() }
        let remote = try remote(method, over: pair)
        #expect(pair.hostLanes.calls.isEmpty)
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var inCallback: [LaneCall] = []
        let lanes = pair.hostLanes
        Thread {
            _ =
                try? remote.call(
                    0,
                    RemoteCallback {
                        inCallback = lanes.calls
                        return 3
                    }) as Int
            done.signal()
        }.start()
        begun.wait(until: "the call has begun")
        let calls = pair.hostLanes.calls
        #expect(calls.count == 1)
        #expect(calls.first?.isOfMethod == true && calls.first?.isInPlugin == true)
        goOn.signal()
        done.wait(until: "the call has ended")
        #expect(inCallback.count == 1 && inCallback.first?.isInPlugin == false)
        #expect(inCallback.first?.number == calls.first?.number)
        #expect(pair.hostLanes.calls.isEmpty)
    }

    // MARK: Poison

    /// Refuses calls whose arguments it knows.
    private final class Checking: RemoteConnection, @unchecked Sendable {
        // @unchecked because one thread uses it.
        let base: any RemoteConnection
        var refused: [UInt64?] = []
        private(set) var last: (method: String, digest: UInt64?)?
        /// Those of the objects whose calls failed.
        private(set) var histories: [CallHistory] = []

        init(_ base: any RemoteConnection) { self.base = base }

        var server: RemoteServer { base.server }
        func open() throws -> any RemoteChannel { try base.open() }
        func close(_ channel: any RemoteChannel) { base.close(channel) }
        func release(_ object: UInt32) { base.release(object) }
        func start(_ work: @escaping @Sendable () -> Void) { base.start(work) }
        func violated(_ failure: RemoteFailure, on channel: (any RemoteChannel)?) {
            base.violated(failure, on: channel)
        }

        var checksCalls: Bool { !refused.isEmpty }
        func check(_ method: String, after history: CallHistory, digest: () -> UInt64?) throws -> CallHistory {
            let digest = digest()
            if refused.contains(digest) { throw RemoteFailure(.callRefused, "It ended a worker.") }
            return digest.map { history.adding(method, $0) } ?? .unknown
        }
        func error(
            _ error: any Error, from method: String, after history: CallHistory, digest: () -> UInt64?
        ) -> any Error {
            last = (method, digest())
            histories.append(history)
            return error
        }
    }

    @Test func aCallThatEndedAWorkerIsRecognisedByItsBytes() throws {
        let pair = try pair(Self.echo)
        defer { pair.end() }
        let connection = Checking(pair.host)
        let interface = RemoteInterface<any Converter>(proxy: { ConverterProxy($0, ()) }, methods: [Self.echo])
        let proxy = try interface.make(0, methods: ["echo"], over: connection) as! ConverterProxy
        func echo(_ bytes: [UInt8]) throws -> [UInt8] { try proxy.remoteForTests.call(0, bytes) }
        func digest(_ bytes: [UInt8]) -> UInt64? { MessageBytes.digest { try $0.write(bytes) } }
        #expect(try echo([1, 2]) == [1, 2])
        connection.refused = [digest([1, 2])]
        #expect(throws: RemoteFailure.self) { try echo([1, 2]) }
        #expect(try echo([1, 3]) == [1, 3])
        pair.hostLanes.end()
        #expect(throws: LaneFailure.ended) { try echo([7]) }
        #expect(connection.last?.method == "echo")
        #expect(connection.last?.digest == digest([7]) && digest([7]) != nil)
    }

    @Test(.fault(760)) func theHistoryOfAnObjectIsThatOfItsCalls() throws {
        let echo = RemoteMethod<any Converter>("echo") {
            (_: any Converter, bytes: [UInt8], callback: RemoteCallback<Int>) throws -> Int in
            bytes.isEmpty ? 0 : try callback()
        }
        let pair = try pair(echo)
        defer { pair.end() }
        let connection = Checking(pair.host)
        let interface = RemoteInterface<any Converter>(proxy: { ConverterProxy($0, ()) }, methods: [echo])
        func make() throws -> RemoteObject {
            (try interface.make(0, methods: ["echo"], over: connection) as! ConverterProxy).remoteForTests
        }
        func call(_ remote: RemoteObject, _ bytes: [UInt8]) throws {
            _ = try remote.call(0, bytes, RemoteCallback { 1 }) as Int
        }
        let (fresh, unnoted) = (try make(), try make())
        try call(unnoted, [])
        connection.refused = [nil]
        let (same, other, asking) = (try make(), try make(), try make())
        try call(same, [])
        try call(other, [])
        try call(other, [])
        // What it got from a callback is part of what decides its state.
        try call(asking, [1])
        pair.hostLanes.end()
        for remote in [fresh, unnoted, same, other, asking] {
            #expect(throws: LaneFailure.ended) { try call(remote, []) }
        }
        let once = CallHistory.none.adding("echo", try #require(connection.last?.digest))
        #expect(
            connection.histories == [
                .none, .unknown, once, once.adding("echo", try #require(connection.last?.digest)), .unknown,
            ])
    }

    @Test func bytesHaveOneDigestInEveryProcess() throws {
        #expect(MessageBytes.digest { _ in } == 0xcbf2_9ce4_8422_2325)
        #expect(MessageBytes.digest { try $0.write("a") } == MessageBytes.digest { try $0.write("a") })
        let long = [UInt8](repeating: 1, count: 10_000)
        #expect(
            MessageBytes.digest { try $0.write(long) } != MessageBytes.digest { try $0.write(long.dropLast() + [2]) })
        #expect(MessageBytes.digest { try $0.write(progress) } != nil)
        let file = try RemoteDescriptor(duplicating: 2)
        #expect(MessageBytes.digest { try $0.write(file) } == nil, "another file may have the same number")
        #expect(MessageBytes.digest { try $0.write(Failing(count: 3)) } == nil)
    }

    // MARK: Many callers, the end

    @Test(.fault(423)) func aThousandCallersOnEightLanesAllGetTheirAnswers() throws {
        let pair = try pair(Self.echo)
        defer { pair.end() }
        let remote = try remote(Self.echo, over: pair)
        let right = Counter()
        onThreads(1_000) { number in
            for round in 0..<3 {
                let bytes = withUnsafeBytes(of: number * 10 + round) { Array($0) }
                if let back = try? remote.call(0, bytes) as [UInt8], back == bytes { right.increment() }
            }
        }
        #expect(right.value == 3_000)
        #expect(pair.hostLanes.usedLanes <= 8)
        #expect(pair.violations.isEmpty)
    }

    @Test func aThousandAsynchronousCallsNeedNoThousandThreads() async throws {
        let pair = try pair(Self.echo)
        defer { pair.end() }
        let remote = try remote(Self.echo, over: pair)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<1_000 {
                group.addTask { try await (remote.callAsync(0, [UInt8(truncatingIfNeeded: number)]) as [UInt8]).count }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 1_000)
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        #expect(threads < 500)
    }

    private final class Counter: @unchecked Sendable {
        // @unchecked because of the lock.
        private let lock = NSLock()
        private var count = 0
        var value: Int { lock.withLock { count } }
        func increment() { lock.withLock { count += 1 } }
    }

    @Test func theEndOfTheWorkerEndsEveryCallAtOnce() throws {
        let pair = try pair(Self.endless)
        let remote = try remote(Self.endless, over: pair)
        let ended = Counter()
        let all = DispatchSemaphore(value: 0)
        // More than there are lanes: some wait for one.
        for _ in 0..<20 {
            Thread {
                do { _ = try remote.call(0) as Int } catch LaneFailure.ended { ended.increment() } catch {}
                all.signal()
            }.start()
        }
        usleep(100_000)
        pair.hostLanes.end()
        for _ in 0..<20 { all.wait(until: "every call has ended") }
        #expect(ended.value == 20)
        #expect(throws: LaneFailure.ended) { try remote.call(0) as Int }
        pair.end()
    }

    @Test func onlyTheCallsThatTheWorkerPerformedEndedWithIt() throws {
        let pair = try pair(Self.endless)
        let remote = try remote(Self.endless, over: pair)
        let inPlugin = Counter(), other = Counter()
        let all = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            Thread {
                do { _ = try remote.call(0) as Int } catch LaneFailure.endedInCall {
                    inPlugin.increment()
                } catch LaneFailure.ended { other.increment() } catch {}
                all.signal()
            }.start()
        }
        let limit = Wait.ofATest
        while pair.hostLanes.calls.count(where: \.isInPlugin) < 2, limit.sleep() {}
        pair.hostLanes.end(in: pair.hostLanes.calls.filter { $0.lane == 1 })
        for _ in 0..<2 { all.wait(until: "every call has ended") }
        #expect(inPlugin.value == 1 && other.value == 1)
        #expect(throws: LaneFailure.ended) { try remote.call(0) as Int }
        pair.end()
    }

    @Test func aCallThatDidNotComeFromTheHostMayNotUseIt() throws {
        let pair = try LanePair(worker: .ofConverters(), host: .ofConverters())
        defer { pair.end() }
        let error = #expect(throws: RemoteFailure.self) {
            try ConverterProxy.interface.make(0, methods: ConverterProxy.interface.methodNames, over: pair.worker)
        }
        #expect(error?.code == .callRefused)
        #expect(error?.message.contains("outside of a call") == true)
    }

    @Test func theWindowIsFreedWithTheLastProxy() throws {
        weak var window: LaneWindow?
        do {
            let pair = try pair(Self.echo)
            let remote = try remote(Self.echo, over: pair)
            window = pair.hostLanes.window
            #expect(try remote.call(0, [1] as [UInt8]) == [1] as [UInt8])
            #expect(window != nil)
        }
        #expect(window == nil)
    }
}

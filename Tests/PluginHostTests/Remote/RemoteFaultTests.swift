import Foundation
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

/// A hostile other side: its messages are changed on their way to the host, which must get an error or a value, and never
/// crash, hang or use memory without end.
@Suite struct RemoteFaultTests {
    private let progress = RemoteCallback<Bool, Double> { _ in true }

    /// What the host gets if a worker's answers are changed after the object was made.
    private func call<Result: Sendable>(
        changing change: @escaping @Sendable (inout MemoryMessage) -> Void,
        _ body: (any Converter) throws -> Result
    ) throws -> (result: Swift.Result<Result, any Error>, violations: [RemoteFailure]) {
        let isHostile = Flag()
        let (host, worker) = MemoryConnection.pair(worker: .ofConverters()) { message in
            if isHostile.value { change(&message) }
        }
        defer {
            host.end()
            worker.end()
        }
        let converter = try ConverterProxy.interface.make(
            0, methods: ConverterProxy.interface.methodNames, over: host)
        isHostile.value = true
        let result = Swift.Result { try body(converter) }
        isHostile.value = false
        return (result, host.violations)
    }

    private final class Flag: @unchecked Sendable {
        // @unchecked because of the lock.
        private let lock = NSLock()
        private var isSet = false
        var value: Bool {
            get { lock.withLock { isSet } }
            set { lock.withLock { isSet = newValue } }
        }
    }

    private func expectViolation<Result: Sendable>(
        _ message: String, changing change: @escaping @Sendable (inout MemoryMessage) -> Void,
        _ body: (any Converter) throws -> Result
    ) throws {
        let (result, violations) = try call(changing: change, body)
        let error = #expect(throws: RemoteFailure.self) { try result.get() }
        #expect(error?.code == .protocolViolation)
        #expect(error?.message == message)
        #expect(violations.map(\.message) == [message], "the host learns of it, and ends the worker")
    }

    @Test(.fault(410)) func aMessageThatIsUnknownOrOutOfOrderIsAViolation() throws {
        for kind in [0, 6, 7, 1 << 16, UInt32.max] {
            try expectViolation("A message of kind \(kind) comes where a request is expected.") {
                $0.head.kind = kind
            } _: {
                try $0.total()
            }
        }
        try expectViolation("A message has bytes after its last value.") {
            $0.bytes.append(0)
        } _: {
            try $0.total()
        }
        try expectViolation("A message ends before the value that it should contain.") {
            $0.bytes.removeLast()
        } _: {
            try $0.total()
        }
        try expectViolation("A message has bytes after its last value.") {
            $0.bytes = [1]
        } _: {
            try $0.begin(.example)
        }
    }

    @Test(.fault(411)) func surplusDescriptorsAreAViolationAndAreClosed() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let write = ends[1]
        try expectViolation("A message has descriptors that no value has.") { message in
            if let surplus = try? RemoteDescriptor(duplicating: write) { message.descriptors.append(surplus) }
        } _: {
            try $0.total()
        }
        close(ends[1])
        // The end of the pipe: no copy of its other end is open.
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 0)
        close(ends[0])
        try expectViolation("A message refers to descriptor 0, but has 0.") {
            $0.descriptors = []
        } _: {
            try $0.open().descriptor
        }
    }

    @Test(.fault(414)) func noiseInTheHeadIsAnErrorOfTheCall() throws {
        var generator = SeededGenerator(seed: 414)
        for _ in 0..<200 {
            let head = RemoteHead(
                kind: .random(in: 0...6, using: &generator), object: .random(in: 0...3, using: &generator),
                method: .random(in: 0...12, using: &generator))
            let hasCallback = Bool.random(using: &generator)
            let isFirst = OneTime()
            let (result, _) = try call(changing: { if isFirst.take() { $0.head = head } }) { converter in
                hasCallback
                    ? try converter.convert("a", progress: RemoteCallback { _ in true }) : "\(try converter.total())"
            }
            // Only a head that means the same gives a value.
            if case .success(let text) = result { #expect(text == "0" || text == "A") }
        }
    }

    private final class OneTime: @unchecked Sendable {
        // @unchecked because of the lock.
        private let lock = NSLock()
        private var isTaken = false
        func take() -> Bool {
            lock.withLock {
                defer { isTaken = true }
                return !isTaken
            }
        }
    }

    @Test func aRequestForWhatTheHostDoesNotHaveIsRefusedAndReported() throws {
        // The worker calls a callback that was not passed, and an object that the host does not have.
        let calls: [(RemoteHead, String)] = [
            (RemoteHead(kind: 3, method: 4), "A message refers to callback 4, but the call has 0."),
            (RemoteHead(kind: 1, object: 9, method: 0), "A message refers to object 9, which does not exist."),
        ]
        for (head, message) in calls {
            let isFirst = OneTime()
            let (_, violations) = try call(changing: { if isFirst.take() { $0.head = head } }) { try $0.total() }
            #expect(violations.first?.message == message)
        }
    }

    @Test func errorsWithClaimsOfTheirOwnAreAViolation() throws {
        // A worker must not claim that it has ended: that is the host's to say.
        let claim = try MessageFixture.written { writer in
            try writer.write(case: 1)
            try writer.write("workerEnded")
            try writer.write("")
            try writer.write("")
            try writer.write(UInt32(0))
        }
        try expectViolation("An error has the code “workerEnded”.") {
            $0.head.kind = 5
            $0.bytes = claim
        } _: {
            try $0.total()
        }
        // An error that the host never sent cannot come back.
        let origin = try MessageFixture.written { writer in
            try writer.write(case: 1)
            try writer.write("callFailed")
            try writer.write("A text.")
            try writer.write("")
            try writer.write(UInt32(77))
        }
        let (result, violations) = try call(changing: {
            $0.head.kind = 5
            $0.bytes = origin
        }) { try $0.total() }
        #expect(#expect(throws: RemoteFailure.self) { try result.get() }?.message == "A text.")
        #expect(violations.isEmpty)
    }

    @Test func sharedMemoryThatCanShrinkIsRefused() throws {
        let file = try RemoteDescriptor(duplicating: open("/proc/self/exe", O_RDONLY))
        let sealed = try RemoteBuffer(byteCount: 4_096)
        func read(_ descriptors: [RemoteDescriptor], _ bytes: [UInt8]) throws -> RemoteBuffer {
            try bytes.withUnsafeBytes { bytes in
                var reader = try RemoteReader(
                    bytes, length: bytes.count, pieces: InputPieces([], size: 1, descriptors: descriptors))
                return try reader.next()
            }
        }
        func bytes(_ count: UInt64) throws -> [UInt8] {
            try MessageFixture.written { writer in
                try writer.write(UInt32(0))
                try writer.write(count)
            }
        }
        #expect(throws: RemoteFailure.self) { try read([file], bytes(1)) }
        let output = OutputPieces(size: 64)
        var writer = RemoteWriter(output.piece, pieces: output)
        try writer.write(sealed)
        let passed = writer.descriptors
        #expect(try read(passed, bytes(4_096)).byteCount == 4_096)
        for count in [0, 4_097, 1 << 40, UInt64.max] {
            let error = #expect(throws: RemoteFailure.self) { try read(passed, bytes(count)) }
            #expect(error?.message.contains("can never shrink") == true)
        }
        #expect(ftruncate(passed[0].descriptor, 1) != 0)
    }

    @Test func changedAnswersGiveAnErrorOrAValue() throws {
        var generator = SeededGenerator(seed: 413)
        for _ in 0..<300 {
            let seed = generator.next()
            let (result, _) = try call(changing: { message in
                var own = SeededGenerator(seed: seed)
                let place = Int.random(in: 0...message.bytes.count, using: &own)
                switch Int.random(in: 0..<3, using: &own) {
                case 0 where place < message.bytes.count:
                    message.bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &own)
                case 1 where place < message.bytes.count: message.bytes.remove(at: place)
                default: message.bytes.insert(.random(in: 0...255, using: &own), at: place)
                }
            }) { try $0.convert("text", progress: progress) }
            if case .failure(let error) = result { #expect(error is RemoteFailure || error is PluginFailure) }
        }
    }
}

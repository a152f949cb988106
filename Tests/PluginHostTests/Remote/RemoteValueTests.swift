import Foundation
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@Suite struct RemoteValueTests {
    @Test(arguments: RemoteValueSample.all, [1, 3, 8, 4_096])
    func everyTypeIsReadAsItWasWrittenInPiecesOfAnySize(sample: RemoteValueSample, pieces: Int) throws {
        let bytes = try sample.written(pieces)
        #expect(!bytes.isEmpty, "every value has at least one byte")
        if !sample.isUnordered { #expect(try bytes == sample.written(4_096)) }
        #expect(try sample.isRead(bytes, pieces))
    }

    @Test(.fault(410), arguments: RemoteValueSample.all)
    func aMessageThatEndsEarlierOrLaterIsRefused(sample: RemoteValueSample) throws {
        let bytes = try sample.written(4_096)
        for count in 0..<bytes.count {
            for pieces in [1, 4_096] {
                #expect(throws: (any Error).self, "\(count) of \(bytes.count) bytes") {
                    try sample.isRead(Array(bytes.prefix(count)), pieces)
                }
            }
        }
        let error = #expect(throws: RemoteFailure.self) { try sample.isRead(bytes + [0], 4_096) }
        #expect(error?.code == .protocolViolation)
        #expect(error?.message == "A message has bytes after its last value.")
    }

    /// Changes of single bytes, of words at each place, and of the length; each gives an error or another value.
    @Test(arguments: RemoteValueSample.all)
    func changedMessagesAreRefusedOrReadAsAnotherValue(sample: RemoteValueSample) throws {
        let bytes = try sample.written(4_096)
        let hostile: [UInt64] = [0, 1, 2, 255, 256, 1 << 16, 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max, .max - 1]
        for place in bytes.indices {
            for number in hostile {
                for width in [1, 2, 4, 8] where place + width <= bytes.count {
                    var changed = bytes
                    for offset in 0..<width {
                        changed[place + offset] = UInt8(truncatingIfNeeded: number >> (8 * offset))
                    }
                    _ = try? sample.isRead(changed, 4_096)
                }
            }
        }
        var generator = SeededGenerator(seed: 416)
        for _ in 0..<300 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0...changed.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0 where place < changed.count: changed[place] = .random(in: 0...255, using: &generator)
                case 1 where place < changed.count: changed.removeSubrange(place..<min(changed.count, place + 8))
                case 2: changed.insert(contentsOf: bytes.prefix(9), at: place)
                default: changed.insert(.random(in: 0...255, using: &generator), at: place)
                }
            }
            _ = try? sample.isRead(changed, Int.random(in: 1...64, using: &generator))
        }
    }

    @Test(.fault(416)) func aCountOf2To63IsRefusedBeforeMemoryIsReserved() throws {
        let claims: [UInt64] = [1 << 63, .max, 1 << 62, 1 << 40, 9]
        for claim in claims {
            let bytes = withUnsafeBytes(of: claim.littleEndian, Array.init) + [1, 2, 3, 4, 5, 6, 7, 8]
            func refuses<Value: RemoteValue>(_ type: Value.Type) {
                let error = #expect(throws: RemoteFailure.self) { try MessageFixture.value(type, from: bytes) }
                #expect(error?.code == .protocolViolation)
                if type != [Int].self || claim > 9 {
                    #expect(error?.message.contains("\(claim) elements, more than the 8 bytes that are left") == true)
                }
            }
            refuses(String.self)
            refuses([UInt8].self)
            refuses([Int].self)
            refuses([String].self)
            refuses([[UInt8]].self)
            refuses(Set<UInt8>.self)
            refuses([UInt8: Bool].self)
            refuses(Settings.self)
        }
    }

    @Test(.fault(417)) func textThatIsNotUTF8IsRefusedAndNotRepaired() throws {
        let wrong: [[UInt8]] = [
            [0xFF], [0x80], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            Array("a long text before it ".utf8) + [0xF0, 0x9F, 0x98],
        ]
        for bytes in wrong {
            let message = withUnsafeBytes(of: UInt64(bytes.count), Array.init) + bytes
            for pieces in [1, 4_096] {
                let error = #expect(throws: RemoteFailure.self) {
                    try MessageFixture.value(String.self, from: message, pieces: pieces)
                }
                #expect(error?.message == "A text in a message is not UTF-8.")
            }
        }
    }

    @Test func impossibleValuesAreRefused() throws {
        func refuses<Value: RemoteValue>(_ type: Value.Type, _ bytes: [UInt8], _ message: String) {
            let error = #expect(throws: RemoteFailure.self) { try MessageFixture.value(type, from: bytes) }
            #expect(error?.code == .protocolViolation)
            #expect(error?.message == message)
        }
        refuses(Bool.self, [2], "A Bool in a message is 2.")
        refuses(Int8?.self, [3, 0], "A Bool in a message is 3.")
        refuses(Range<Int8>.self, [5, 4], "A range in a message ends before it begins.")
        let twice: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0]
        refuses(Set<UInt8>.self, twice + [1, 1], "A set in a message has an element twice.")
        refuses([UInt8: UInt8].self, twice + [1, 1, 1, 2], "A dictionary in a message has a key twice.")
        refuses(OrderState.self, [2, 0], "“OrderState” has no case 2.")
        let notANumber = withUnsafeBytes(of: Double.nan.bitPattern, Array.init)
        refuses(Range<Double>.self, notANumber + notANumber, "A range in a message ends before it begins.")
    }

    @Test func nestedValuesHaveALimitOnBothSides() throws {
        var tree = Tree(0)
        for number in 1...200 { tree = Tree(number, [tree]) }
        #expect(throws: RemoteFailure.self) { try MessageFixture.bytes(of: tree) }
        // A number, and a list with one element, again and again.
        let level: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
        let error = #expect(throws: RemoteFailure.self) {
            try MessageFixture.value(Tree.self, from: (0..<100_000).flatMap { _ in level })
        }
        #expect(error?.message == "A message has values inside of values to a depth of more than 100.")
    }

    @Test func aMessageOverTheLimitNeedsNoMemoryForTheRest() throws {
        let error = #expect(throws: RemoteFailure.self) {
            try MessageFixture.written(pieces: 64, limit: 1_000) { writer in
                for number in 0..<1_000_000 { try writer.write(number) }
            }
        }
        #expect(error?.code == .messageTooLarge)
    }

    @Test(.fault(412)) func aPieceThatIsLongerThanItsMessageIsRefused() throws {
        let error = #expect(throws: RemoteFailure.self) {
            try MessageFixture.read([1, 2, 3, 4], length: 3) { try $0.next(Int32.self) }
        }
        #expect(error?.code == .protocolViolation)
        let later = #expect(throws: RemoteFailure.self) {
            try MessageFixture.read([1, 2, 3, 4, 5, 6], length: 5, pieces: 4) { try $0.next([UInt8?].self) }
        }
        #expect(later?.code == .protocolViolation)
    }

    @Test(.fault(415)) func bytesThatChangeWhileTheyAreReadGiveAValueOrAnError() throws {
        // Text, lengths and cases all change, between valid and invalid values, while another thread reads.
        let text = try MessageFixture.bytes(of: [String(repeating: "é", count: 30), "b", "c"])
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 8)
        memory.copyBytes(from: text)
        let isOver = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)
        // The race is the subject of the test; no byte outside of the memory is touched.
        nonisolated(unsafe) let shared = memory
        Thread {
            var generator = SeededGenerator(seed: 415)
            while isOver.wait(timeout: .now()) != .success {
                for _ in 0..<100 {
                    let place = Int.random(in: 0..<text.count, using: &generator)
                    shared[place] =
                        Bool.random(using: &generator) ? text[place] : .random(in: 0...255, using: &generator)
                }
                shared.copyBytes(from: text)
            }
            hasEnded.signal()
        }.start()
        var values = 0
        for _ in 0..<20_000 {
            var reader = try RemoteReader(
                UnsafeRawBufferPointer(memory), length: text.count, pieces: InputPieces([], size: 1))
            guard let texts = try? reader.next([String].self) else { continue }
            values += 1
            // Every text that is accepted is text.
            for text in texts { #expect(String(validating: Array(text.utf8), as: UTF8.self) == text) }
        }
        isOver.signal()
        hasEnded.wait(until: "the other thread has ended")
        memory.deallocate()
        #expect(values > 0)
    }

    @Test func aStructWithOtherPropertiesThanTheGeneratedFunctionsIsRefused() throws {
        let error = #expect(throws: RemoteFailure.self) {
            try MessageFixture.written { try $0.require((String, Int).self, in: Order.self) }
        }
        #expect(error?.code == .interfaceMismatch)
        #expect(error?.message.contains("“Order” has stored properties") == true)
        #expect(error?.remedy.contains("pluginhost remote") == true)
    }

    @Test func tuplesCrossAsOneValue() throws {
        let tuple = RemoteTuple("a", 2, [true])
        let bytes = try MessageFixture.bytes(of: tuple)
        let read = try MessageFixture.value(RemoteTuple<String, Int, [Bool]>.self, from: bytes).elements
        #expect(read == ("a", 2, [true]))
    }

    // MARK: Codable

    @Test func aHostileCodableValueIsRefused() throws {
        /// A value with its length.
        func value(_ bytes: [UInt8]) -> [UInt8] { withUnsafeBytes(of: UInt32(bytes.count), Array.init) + bytes }
        func refuses<Value: RemoteValue>(_ type: Value.Type, keys: [String], _ bytes: [UInt8]) throws {
            let message = try MessageFixture.written { writer in
                try writer.write(keys)
                try writer.write(bytes)
            }
            #expect(throws: (any Error).self) { try MessageFixture.value(type, from: message) }
        }
        try refuses(CodedLabel.self, keys: [], value([0xFF, 0xFE]))
        try refuses(CodedLabel.self, keys: [], [9, 0, 0, 0, 65])
        try refuses(CodedLabel.self, keys: [], value([65]) + [0])
        try refuses(CodedLabel.self, keys: [], [0xFF, 0xFF, 0xFF, 0xFF])
        try refuses(Choice.self, keys: ["none"], value([1, 0] + value([])))
        try refuses(Choice.self, keys: ["none"], value([0, 0] + value([]) + [0, 0] + value([])))
        try refuses(Choice.self, keys: ["none", "several"], value([0, 0] + value([]) + [1, 0] + value([])))
        try refuses(Odd.self, keys: ["list"], value([0, 0] + value(value([1, 2, 3]))))
        // Deeper than the stack.
        var deep: [UInt8] = []
        for _ in 0..<5_000 { deep = value(deep) }
        try refuses(Deep.self, keys: [], deep)
    }

    @Test func codableContainersThatAreFilledInTurnAreRefused() throws {
        #expect(throws: EncodingError.self) { try MessageFixture.bytes(of: Interleaved()) }
        var value = Deep(inner: [])
        for _ in 0..<200 { value = Deep(inner: [value]) }
        #expect(throws: RemoteFailure.self) { try MessageFixture.bytes(of: value) }
    }

    private struct Deep: Codable, RemoteValue {
        var inner: [Deep]
        init(inner: [Deep]) { self.inner = inner }
        init(from decoder: any Decoder) throws { inner = try [Deep](from: decoder) }
        func encode(to encoder: any Encoder) throws { try inner.encode(to: encoder) }
    }

    private struct Interleaved: Codable, RemoteValue {
        enum Keys: String, CodingKey { case a, b }
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var a = container.nestedUnkeyedContainer(forKey: .a)
            var b = container.nestedUnkeyedContainer(forKey: .b)
            try a.encode(1)
            try b.encode(2)
        }
    }
}

@_spi(PluginHost) import PluginABI

/// Makes what a hostile worker writes into a lane while it answers one call: turns with heads and messages that are right
/// except for some bits, lengths, counts and bytes.
enum HostileLanes {
    /// One turn of the worker.
    struct Turn {
        var kind: UInt32
        /// For a callback, its number.
        var method: UInt32 = 0
        /// Of an object of the host, which has none.
        var object: UInt32 = 0
        var more: UInt32 = 0
        var descriptors: UInt32 = 0
        /// What the head claims beyond the bytes that there are.
        var surplus: UInt32 = 0
        /// How far the number of the turn is from the right one.
        var skew: UInt32 = 0
        /// How often the worker writes into the message afterwards, while the host reads it.
        var noise: UInt32 = 0
        var bytes: [UInt8]
    }

    static func input(_ random: inout SeededGenerator) -> [UInt8] {
        let isText = random.oneIn(2)
        var turns: [Turn] = []
        for _ in 0..<(random.oneIn(3) ? random.below(4) : 0) {
            let number = Double(bitPattern: random.next())
            turns.append(Turn(kind: RemoteHead.Kind.callback.rawValue, bytes: written { try $0.write(number) }))
        }
        if random.oneIn(4) {
            let code = random.pick(["callFailed", "callRefused", "messageTooLarge", "workerEnded", ""])
            let isFailure = random.oneIn(2)
            turns.append(
                Turn(
                    kind: RemoteHead.Kind.threw.rawValue,
                    bytes: written { writer in
                        try writer.write(case: isFailure ? 0 : 1)
                        if !isFailure { try writer.write(code) }
                        try writer.write("A text.")
                        try writer.write("")
                        if isFailure { try writer.write(7) } else { try writer.write(UInt32(3)) }
                    }))
        } else {
            let value = LaneValue(&random, depth: 0)
            let text = String(repeating: random.pick(["a", "ü", "日本", "🎈"]), count: random.below(60))
            turns.append(
                Turn(
                    kind: RemoteHead.Kind.returned.rawValue,
                    bytes: written { if isText { try $0.write(text) } else { try $0.write(value) } }))
        }
        for _ in 0..<(random.oneIn(12) ? 0 : 1 + random.below(3)) { change(&turns[random.below(turns.count)], &random) }
        if random.oneIn(10) { turns.insert(random.pick(turns), at: random.below(turns.count)) }
        return encoded(turns, isText: isText)
    }

    private static func written(_ write: (inout RemoteWriter) throws -> Void) -> [UInt8] {
        (try? MessageBytes.written(write)) ?? []
    }

    private static func change(_ turn: inout Turn, _ random: inout SeededGenerator) {
        switch random.below(13) {
        case 0: turn.kind = random.oneIn(2) ? UInt32(random.below(8)) : random.pick([0x100, 0x101, 0x102, .max])
        case 1: turn.method = random.oneIn(2) ? UInt32(random.below(4)) : .max
        case 2: turn.object = UInt32(truncatingIfNeeded: random.next())
        case 3: turn.more = 1
        case 4: turn.descriptors = random.oneIn(2) ? 1 : UInt32(truncatingIfNeeded: random.next())
        case 5: turn.surplus = random.oneIn(2) ? UInt32(random.below(40)) : UInt32(truncatingIfNeeded: random.next())
        case 6: turn.skew = random.oneIn(2) ? UInt32(random.below(4)) : UInt32(truncatingIfNeeded: random.next())
        case 7: turn.noise = UInt32(1 + random.below(300))
        // A message that fills the lane; the rest of it is zeros.
        case 8: turn.surplus = LaneChecks.capacity &- UInt32(turn.bytes.count)
        default: changeBytes(&turn.bytes, &random)
        }
    }

    private static func changeBytes(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return bytes = [UInt8(truncatingIfNeeded: random.next())] }
        let place = random.below(bytes.count)
        switch random.below(5) {
        case 0: bytes[place] ^= 1 << UInt8(random.below(8))
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 3: bytes.removeLast(random.below(bytes.count))
        default:
            let counts: [UInt64] = [0, 1, 255, 1 << 20, 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max]
            for (offset, byte) in withUnsafeBytes(of: random.pick(counts), Array.init).enumerated()
            where place + offset < bytes.count { bytes[place + offset] = byte }
        }
    }

    // MARK: As bytes

    private static func encoded(_ turns: [Turn], isText: Bool) -> [UInt8] {
        var bytes: [UInt8] = [isText ? 1 : 0]
        for turn in turns {
            for word in [
                turn.kind, turn.method, turn.object, turn.more, turn.descriptors, turn.surplus, turn.skew, turn.noise,
                UInt32(turn.bytes.count),
            ] { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }
            bytes += turn.bytes
        }
        return bytes
    }

    /// The turns of an input, as far as it has them, and whether the call has a text as its result.
    static func decoded(_ bytes: UnsafeRawBufferPointer) -> (isText: Bool, turns: [Turn]) {
        guard let first = bytes.first else { return (false, []) }
        var turns: [Turn] = []
        var rest = bytes[1...]
        while rest.count >= 36 {
            let words = (0..<9).map { word in
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: rest.startIndex + 4 * word, as: UInt32.self))
            }
            rest = rest.dropFirst(36)
            let message = rest.prefix(Int(min(words[8], LaneChecks.capacity)))
            rest = rest.dropFirst(message.count)
            turns.append(
                Turn(
                    kind: words[0], method: words[1], object: words[2], more: words[3], descriptors: words[4],
                    surplus: words[5], skew: words[6], noise: min(words[7], 1_000), bytes: Array(message)))
        }
        return (first == 1, turns)
    }
}

/// A value with parts of every kind, as an application's API has them.
struct LaneValue: RemoteValue, Equatable {
    var name: String
    var numbers: [Double]
    var rows: [String: [Int]]
    var words: Set<String>
    var span: Duration
    var range: Range<Int>
    var state: State
    var parts: [LaneValue]

    enum State: Equatable {
        case none, text(String), flag(Bool?)
    }

    init(_ random: inout SeededGenerator, depth: Int) {
        name = String(repeating: random.pick(["x", "é", "語"]), count: random.below(20))
        numbers = (0..<random.below(6)).map { _ in Double(random.below(100)) }
        rows = [:]
        for _ in 0..<random.below(4) {
            rows["r\(random.below(9))"] = (0..<random.below(3)).map { _ in random.below(9) }
        }
        words = Set((0..<random.below(4)).map { _ in "w\(random.below(99))" })
        span = .milliseconds(random.below(1_000))
        let start = random.below(100)
        range = start..<start + random.below(10)
        state = random.pick([.none, .text("t"), .flag(true), .flag(nil)])
        parts = []
        if depth < 3 { for _ in 0..<random.below(3) { parts.append(LaneValue(&random, depth: depth + 1)) } }
    }

    private init(reading reader: inout RemoteReader) throws {
        name = try reader.next()
        numbers = try reader.next()
        rows = try reader.next()
        words = try reader.next()
        span = try reader.next()
        range = try reader.next()
        state =
            switch try reader.caseNumber() {
            case 0: .none
            case 1: .text(try reader.next())
            case 2: .flag(try reader.next())
            case let other: throw reader.unknownCase(other, of: State.self)
            }
        parts = try reader.next()
    }

    func write(to writer: inout RemoteWriter) throws {
        try writer.write(name)
        try writer.write(numbers)
        try writer.write(rows)
        try writer.write(words)
        try writer.write(span)
        try writer.write(range)
        switch state {
        case .none: try writer.write(case: 0)
        case .text(let text):
            try writer.write(case: 1)
            try writer.write(text)
        case .flag(let flag):
            try writer.write(case: 2)
            try writer.write(flag)
        }
        try writer.write(parts)
    }

    static func read(from reader: inout RemoteReader) throws -> LaneValue { try LaneValue(reading: &reader) }
}

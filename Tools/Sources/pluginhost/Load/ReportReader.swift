import FoundationEssentials

/// Reads a child's report while it arrives, within limits, even if other data is written into the pipe.
struct ReportReader {
    /// A load in progress in the child.
    struct Load {
        let bundlePath: String
        var step: String
    }

    private(set) var outcome: LoadOutcome?
    /// The outcome that `pluginhost call` reports.
    ///
    /// Its load is ``outcome``.
    private(set) var call: CallOutcome?
    /// The outcome that `pluginhost check` reports.
    ///
    /// Its load is ``outcome``.
    private(set) var use: UseOutcome?
    /// The worker process that waits for a debugger.
    private(set) var waitingWorker: Int32?
    /// The loads in progress, each begun during the one before it.
    private(set) var loads: [Load] = []
    /// Whether any code of a bundle was loaded.
    private(set) var hasBegun = false
    /// How many bytes belong to no message, and what the child was doing at the first of them.
    private(set) var strayCount = 0
    private(set) var strayPlace: LoadPlace?
    /// Whether a message was damaged or cut off.
    private(set) var isDamaged = false
    private(set) var isTooLarge = false

    private let mark: [UInt8]
    private var buffer: [UInt8] = []
    /// The head of the message whose body is being read, and where the body begins.
    private var header: ReportHeader?

    /// A longer report is not read.
    static let largest = 32 << 20

    init(mark: String) { self.mark = Array(mark.utf8) }

    /// What the child is doing.
    var place: LoadPlace {
        if outcome != nil { return .afterLoad }
        guard let load = loads.last else { return hasBegun ? .betweenSteps : .beforeCode }
        return .step(load.step, ofBundle: load.bundlePath)
    }

    mutating func add(_ bytes: some Collection<UInt8>) {
        buffer += bytes
        var start = 0
        while let next = readMessage(from: start) { start = next }
        buffer.removeFirst(min(consumed(start), buffer.count))
    }

    /// Call this when the child has ended and no more data will arrive.
    mutating func end() {
        if header != nil || buffer.starts(with: mark) { isDamaged = true }
        if header == nil { countStray(buffer.count) }
        buffer = []
    }

    /// Where the examined bytes end; set by ``readMessage(from:)``.
    private var looked = 0

    private mutating func consumed(_ start: Int) -> Int {
        defer { looked = 0 }
        return max(start, looked)
    }

    /// Reads one message, or skips bytes that do not belong to one.
    ///
    /// - Returns: where the next message begins; nil if more bytes are needed.
    private mutating func readMessage(from start: Int) -> Int? {
        looked = start
        if let header {
            guard buffer.count - start >= header.bodySize else { return nil }
            self.header = nil
            let body = buffer[start..<start + header.bodySize]
            guard header.fits(body), take(body) else {
                // Other bytes may be mixed in. The next message may begin within these bytes, so search them too.
                isDamaged = true
                return start
            }
            return start + header.bodySize
        }
        guard let found = firstMark(from: start) else {
            // The last bytes may be the beginning of a mark.
            let rest = min(buffer.count - start, mark.count - 1)
            countStray(buffer.count - start - rest)
            looked = buffer.count - rest
            return nil
        }
        countStray(found - start)
        looked = found
        guard buffer.count - found >= ReportHeader.size else { return nil }
        let end = found + ReportHeader.size
        guard let header = ReportHeader(after: buffer[found + mark.count..<end]) else {
            isDamaged = true
            return found + mark.count
        }
        if header.bodySize > Self.largest {
            isTooLarge = true
            return end
        }
        self.header = header
        return end
    }

    private func firstMark(from start: Int) -> Int? {
        var at = start
        while at + mark.count <= buffer.count {
            guard let first = buffer[at...].firstIndex(of: mark[0]), first + mark.count <= buffer.count else {
                return nil
            }
            if buffer[first..<first + mark.count].elementsEqual(mark) { return first }
            at = first + 1
        }
        return nil
    }

    private mutating func countStray(_ count: Int) {
        guard count > 0 else { return }
        if strayCount == 0 { strayPlace = place }
        strayCount += count
    }

    private mutating func take(_ body: ArraySlice<UInt8>) -> Bool {
        guard let message = try? JSONDecoder().decode(ChildMessage.self, from: Data(body)) else { return false }
        switch message {
        case .outcome(let outcome): self.outcome = outcome
        case .call(let call):
            self.call = call
            outcome = call.load
        case .use(let use):
            self.use = use
            outcome = use.load
        case .waits(let worker): waitingWorker = worker
        case .step(let path, let step):
            hasBegun = true
            if let index = loads.lastIndex(where: { $0.bundlePath == path }) {
                if step == LoadPlace.end { loads.remove(at: index) } else { loads[index].step = step }
            } else if step != LoadPlace.end {
                loads.append(Load(bundlePath: path, step: step))
            }
        }
        return true
    }
}

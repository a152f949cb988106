import Glibc
@_spi(PluginHost) internal import PluginABI

/// Drains what a worker writes to standard output and standard error.
///
/// Each line goes to the application's log. The host reads a limited number of bytes per second from a worker. A worker
/// that writes more has to wait, so it costs the host little.
///
/// **Threads.** The monitor's.
final class WorkerOutput {
    /// How many of the last bytes are kept for ``WorkerEnd/output``.
    static let kept = 64 << 10
    /// A longer line is logged in parts.
    static let longestLine = 8 << 10

    let pipe: RemoteDescriptor
    /// The identifier under which the lines are logged.
    private let bundleIdentifier: String
    private let log: WorkerHost.Log
    /// The most bytes that are read in a second.
    private let mostPerSecond: Int
    private(set) var isOpen = true
    private var tail: [UInt8] = []
    private var line: [UInt8] = []
    private var second: UInt64 = 0
    private var readInSecond = 0
    private var unlogged = 0

    /// - Parameters:
    ///   - pipe: the end to read from; it does not block.
    ///   - bundleIdentifier: the identifier of the bundle for which the worker was started.
    ///   - most: the most bytes that are read in a second.
    ///   - log: the application's log.
    init(_ pipe: RemoteDescriptor, bundleIdentifier: String, mostPerSecond most: Int, to log: @escaping WorkerHost.Log)
    {
        self.log = log
        mostPerSecond = most
        self.pipe = pipe
        self.bundleIdentifier = bundleIdentifier
    }

    /// When reading may continue, if this second's limit is reached; nil if reading is allowed now.
    func pause(at now: UInt64) -> UInt64? {
        let end = (second + 1) * 1_000_000_000
        return readInSecond >= mostPerSecond && now < end ? end : nil
    }

    /// Reads what has arrived, up to this second's limit.
    func read(at now: UInt64) {
        if now / 1_000_000_000 != second { (second, readInSecond) = (now / 1_000_000_000, 0) }
        read(atMost: mostPerSecond - readInSecond)
    }

    /// Reads what the worker wrote before its end.
    func finish() {
        read(atMost: Self.kept)
        logLine(line)
        line = []
        isOpen = false
    }

    /// The last bytes, as text.
    var text: String { String(decoding: tail.suffix(Self.kept), as: UTF8.self) }

    private func read(atMost most: Int) {
        var left = most
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { memory in
            while left > 0 {
                let count = Glibc.read(pipe.descriptor, memory.baseAddress, min(left, memory.count))
                if count > 0 {
                    take(UnsafeRawBufferPointer(rebasing: memory[..<count]))
                    left -= count
                } else if count == 0 {
                    isOpen = false
                    return
                } else if errno != EINTR {
                    return
                }
            }
        }
        readInSecond += most - left
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        tail.append(contentsOf: bytes)
        if tail.count > 2 * Self.kept { tail.removeFirst(tail.count - Self.kept) }
        var lines: [[UInt8]] = []
        for byte in bytes {
            if byte != UInt8(ascii: "\n") { line.append(byte) }
            if byte == UInt8(ascii: "\n") || line.count == Self.longestLine {
                lines.append(line)
                line = []
            }
        }
        lines.forEach(logLine)
    }

    private func logLine(_ line: [UInt8]) {
        if line.isEmpty { return }
        guard WorkerReports.hasRoom else {
            unlogged += 1
            return
        }
        var text = String(decoding: line, as: UTF8.self)
        if unlogged > 0 {
            text = "(\(unlogged) lines of output were not logged, because the log did not keep up.) " + text
            unlogged = 0
        }
        WorkerReports.log(text, .notice, of: bundleIdentifier, to: log)
    }
}

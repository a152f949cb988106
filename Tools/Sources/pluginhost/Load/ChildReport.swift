import CChildProcess
import FoundationEssentials
import Glibc
import Synchronization

/// What a child reports to the tool that started it.
enum ChildMessage: Codable {
    /// A step of a load begins; `step` is the raw value of a LoadStep.
    case step(bundlePath: String, step: String)
    /// The worker process with a number waits for a debugger.
    case waits(worker: Int32)
    case outcome(LoadOutcome)
    case call(CallOutcome)
    case use(UseOutcome)
}

/// The child's end of its report: messages on a pipe that the bundle's code can also reach.
///
/// Each message begins with a mark that only the tool and the child know, and has a checksum. So the code's output
/// cannot be mistaken for a message.
final class ChildReport: Sendable {
    private let mark: String
    private let pipe: PipeIdentity
    private let sending = Mutex(())

    /// Creates nil if the process has no report to write.
    init?(mark: String) {
        guard mark.utf8.count == ReportHeader.markSize, let pipe = PipeIdentity.ofReport else { return nil }
        self.mark = mark
        self.pipe = pipe
    }

    static func newMark() -> String {
        (0..<2).map { _ in ReportHeader.hexadecimal(UInt64.random(in: .min ... .max), digits: 16) }.joined()
    }

    /// Sends a message.
    ///
    /// If the bundle's code closed or replaced the descriptor, the process ends.
    func send(_ message: ChildMessage) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]  // equal loads give equal reports
        guard let body = try? encoder.encode(message) else { return }
        var bytes = Array(ReportHeader(of: body).text(mark: mark).utf8)
        bytes += body
        sending.withLock { _ in
            if pipe.isLost { _exit(LoadInChildCommand.lostReport) }
            bytes.withUnsafeBytes { if !Self.write($0) { _exit(LoadInChildCommand.lostReport) } }
        }
    }

    /// How often a write is repeated after a temporary error.
    private static let mostTries = 10

    private static func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        var tries = 0
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                continue
            }
            switch errno {
            case EINTR: break
            case EAGAIN:
                // The code made the pipe non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            case EBADF, EPIPE: return false
            default:
                tries += 1
                if tries == mostTries { return false }
                usleep(1000)
            }
        }
        return true
    }
}

private let descriptor = Int32(CHILD_REPORT)

/// Which pipe a descriptor refers to.
private struct PipeIdentity: Equatable {
    let device: dev_t
    let inode: ino_t

    /// Whether the report's descriptor is closed or refers to another file.
    var isLost: Bool {
        if let now = Self.ofReport { return now != self }
        // Other failures do not prove that it is lost.
        return errno == 0 || errno == EBADF
    }

    /// The pipe of the report; nil if there is none.
    static var ofReport: PipeIdentity? {
        var status = stat()
        errno = 0
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
        return PipeIdentity(device: status.st_dev, inode: status.st_ino)
    }
}

/// The head of each message: the mark, the body's size and its checksum, each followed by a space or line break.
struct ReportHeader {
    static let markSize = 32
    static let size = markSize + 1 + 8 + 1 + 16 + 1

    let bodySize: Int
    private let checksum: UInt64

    init(of body: some Collection<UInt8>) {
        bodySize = body.count
        checksum = Self.checksum(body)
    }

    /// Reads the head after the mark.
    init?(after mark: ArraySlice<UInt8>) {
        let words = String(decoding: mark, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[0].isEmpty, let size = Int(words[1], radix: 16), words[2].last == "\n",
            let checksum = UInt64(words[2].dropLast(), radix: 16), size >= 0
        else { return nil }
        bodySize = size
        self.checksum = checksum
    }

    func fits(_ body: some Collection<UInt8>) -> Bool { Self.checksum(body) == checksum }

    func text(mark: String) -> String {
        "\(mark) \(Self.hexadecimal(UInt64(bodySize), digits: 8)) \(Self.hexadecimal(checksum, digits: 16))\n"
    }

    static func hexadecimal(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
    }

    /// A checksum of a message: FNV-1a of 64 bits.
    ///
    /// It detects accidents. It need not resist attackers, who gain nothing by forging reports about their own code.
    private static func checksum(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

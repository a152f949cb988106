internal import CSandbox
import ELFImages
import Glibc
package import HostBasics
@_spi(PluginHost) package import PluginABI

/// What a worker's signal handler reports about a crash: see phs_journal_report_crashes().
///
/// The host acts on the report before the kernel reports the end. The kernel first writes a core file and frees the
/// memory, which takes a millisecond, or much longer for a plug-in with much memory. A worker that reports a crash but
/// keeps running is killed.
package struct WorkerCrash: Sendable, Hashable {
    package let signal: Int32
    /// Whether the signal certainly ends the process.
    ///
    /// If not, another handler decides.
    package let isDeadly: Bool
    /// Whether another process sent it.
    package let isFromOutside: Bool
    /// The functions on the stack, innermost first.
    package let frames: [WorkerEnd.Frame]

    /// The signals that phs_journal_install_handlers() handles.
    private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]
}

extension WorkerCrash: RemoteValue {
    package func write(to writer: inout RemoteWriter) throws {
        try writer.write(signal)
        try writer.write(isDeadly)
        try writer.write(isFromOutside)
        try writer.write(count: frames.count)
        for frame in frames {
            try writer.write(frame.offset)
            try writer.write([UInt8](frame.path.utf8))
        }
    }

    package static func read(from reader: inout RemoteReader) throws -> WorkerCrash {
        let signal = try reader.next(Int32.self)
        let (isDeadly, isFromOutside) = (try reader.next(Bool.self), try reader.next(Bool.self))
        let count = try reader.count()
        guard signals.contains(signal), count <= PHS_STACK_FRAMES else {
            throw RemoteFailure.violation("A message reports the signal \(signal) in \(count) functions.")
        }
        let frames = try (0..<count).map { _ in
            let offset = try reader.next(UInt64.self)
            // A path need not be UTF-8.
            return WorkerEnd.Frame(path: String(decoding: try reader.next([UInt8].self), as: UTF8.self), offset: offset)
        }
        return WorkerCrash(signal: signal, isDeadly: isDeadly, isFromOutside: isFromOutside, frames: frames)
    }
}

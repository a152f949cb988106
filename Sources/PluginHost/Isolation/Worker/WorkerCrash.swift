internal import CPluginSupport.Shims
import Glibc
@_spi(PluginHost) internal import PluginABI

/// What a worker's signal handler reports about a crash; phs_journal_report_crashes() writes it.
///
/// The host acts on it before the kernel reports the end, because the kernel first writes a core file and frees the memory:
/// that takes a millisecond, or much longer for a plug-in with much memory. A worker that reports a crash and lives on is
/// killed.
struct WorkerCrash: Sendable, Hashable {
    let signal: Int32
    /// Whether the signal ends the process.
    ///
    /// If not, another handler decides that.
    let isDeadly: Bool
    /// The lines about the functions that were being called.
    let stack: [UInt8]

    /// Those that phs_journal_install_handlers() handles.
    private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]

    /// The functions that were being called, innermost first; what the handler cannot have written is left out.
    var frames: [WorkerEnd.Frame] {
        stack.split(separator: UInt8(ascii: "\n")).prefix(Int(PHS_STACK_FRAMES)).compactMap(WorkerEnd.Frame.init)
    }
}

extension WorkerCrash: RemoteValue {
    func write(to writer: inout RemoteWriter) throws {
        try writer.write(signal)
        try writer.write(isDeadly)
        try writer.write(stack)
    }

    static func read(from reader: inout RemoteReader) throws -> WorkerCrash {
        let crash = WorkerCrash(
            signal: try reader.next(), isDeadly: try reader.next(), stack: try reader.next())
        guard signals.contains(crash.signal) else {
            throw RemoteFailure.violation("A message reports the signal \(crash.signal), which is no crash.")
        }
        return crash
    }
}

extension WorkerEnd.Frame {
    /// A place as in “/usr/lib/libexample.so+0x1a2b”.
    fileprivate init?(_ line: ArraySlice<UInt8>) {
        guard let plus = line.lastIndex(of: UInt8(ascii: "+")), line[plus...].starts(with: "+0x".utf8),
            let offset = UInt64(String(decoding: line[(plus + 3)...], as: UTF8.self), radix: 16)
        else { return nil }
        self.init(path: String(decoding: line[..<plus], as: UTF8.self), offset: offset)
    }
}

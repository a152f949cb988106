import CPluginSupport.Shims
import Glibc

/// An inotify instance of the kernel: a queue of what happens in directories.
///
/// **Threads.** The descriptors never change, so any thread may add and remove; one reads.
final class Inotify: Sendable {
    let descriptor: CInt

    /// What failed, and how.
    struct Failure: Error, Hashable {
        enum Step: Hashable {
            case instance, descriptor, thread, directory
        }

        let step: Step
        let errno: CInt
    }

    /// One thing that happened.
    struct Event {
        let watch: CInt
        let mask: UInt32
        /// The name in the directory; empty for what concerns the directory itself, and for a name that is not UTF-8.
        let name: String

        func isAny(of bits: Int) -> Bool { mask & UInt32(bits) != 0 }
    }

    init() throws(Failure) {
        descriptor = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
        guard descriptor < 0 else { return }
        let error = errno
        // EMFILE has two meanings: the user has too many instances, or the process too many descriptors.
        let other = phs_open_signal()
        if other >= 0 { close(other) }
        throw Failure(step: other >= 0 ? .instance : .descriptor, errno: error)
    }

    deinit { close(descriptor) }

    /// Watches a directory; one that is watched already is watched for these events too.
    ///
    /// - Returns: the number that its events have. Two paths to one directory have one number.
    func add(_ directory: String, _ mask: Int) throws(Failure) -> CInt {
        let flags = UInt32(mask | Int(IN_ONLYDIR) | Int(IN_MASK_ADD) | Int(IN_EXCL_UNLINK))
        let watch = directory.withCString { inotify_add_watch(descriptor, $0, flags) }
        guard watch >= 0 else { throw Failure(step: .directory, errno: errno) }
        return watch
    }

    func remove(_ watch: CInt) { inotify_rm_watch(descriptor, watch) }

    /// Takes events off the queue, as many as fit into the buffer; none if there are none.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> [Event] {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        var events: [Event] = []
        var start = 0
        while start + Self.headSize <= count {
            let head = buffer.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
            // The name is padded with zeros.
            let name = buffer[(start + Self.headSize)..<(start + Self.headSize + Int(head.len))].prefix { $0 != 0 }
            events.append(
                Event(watch: head.wd, mask: head.mask, name: String(validating: name, as: UTF8.self) ?? ""))
            start += Self.headSize + Int(head.len)
        }
        return events
    }

    private static let headSize = MemoryLayout<inotify_event>.size

    /// Enough for some hundred events; the kernel gives none to a buffer that the next one does not fit into, which
    /// takes 16 bytes and a name of 256.
    static let bufferSize = 16384
}

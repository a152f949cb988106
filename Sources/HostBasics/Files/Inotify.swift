import CPluginSupport.Shims
import Glibc

/// An inotify instance of the kernel: a queue of events in directories.
///
/// **Threads.** The descriptor never changes, so any thread may add and remove watches; one thread reads.
package final class Inotify: Sendable {
    package let descriptor: CInt

    /// Which step failed, and why.
    package struct Failure: Error, Hashable {
        package enum Step: Hashable {
            case instance, descriptor, thread, directory
        }

        package let step: Step
        package let errno: CInt
    }

    /// One event.
    package struct Event {
        package let watch: CInt
        package let mask: UInt32
        /// The name in the directory; empty if the event concerns the directory itself, or the name is not UTF-8.
        package let name: String

        func isAny(of bits: Int) -> Bool { mask & UInt32(bits) != 0 }
    }

    package init() throws(Failure) {
        descriptor = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
        guard descriptor < 0 else { return }
        let error = errno
        // EMFILE has two meanings: the user has too many instances, or the process too many descriptors.
        let other = phs_open_signal()
        if other >= 0 { close(other) }
        throw Failure(step: other >= 0 ? .instance : .descriptor, errno: error)
    }

    deinit { close(descriptor) }

    /// Watches a directory.
    ///
    /// If it is already watched, these events are added.
    ///
    /// - Returns: the number of the watch, which each of its events carries. Two paths to one directory have the same
    ///   number.
    package func add(_ directory: String, _ mask: Int) throws(Failure) -> CInt {
        let flags = UInt32(mask | Int(IN_ONLYDIR) | Int(IN_MASK_ADD) | Int(IN_EXCL_UNLINK))
        let watch = directory.withCString { inotify_add_watch(descriptor, $0, flags) }
        guard watch >= 0 else { throw Failure(step: .directory, errno: errno) }
        return watch
    }

    package func remove(_ watch: CInt) { inotify_rm_watch(descriptor, watch) }

    /// Takes events from the queue, as many as fit into the buffer; empty if there are none.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> [Event] {
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

    /// The size of the buffer for events, enough for some hundred of them.
    ///
    /// The kernel returns no event if the buffer is too small for the next one, which needs at most 16 bytes and a name
    /// of 256 bytes.
    static let bufferSize = 16384
}

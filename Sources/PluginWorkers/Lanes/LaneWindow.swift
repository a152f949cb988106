internal import CSandbox
import Glibc
@_spi(PluginHost) internal import PluginABI

/// The memory that the host shares with one worker and that carries the calls.
///
/// **Threads.** Any. **Lifetime.** The memory is unmapped when the last reference is released; each call under way
/// holds one.
package final class LaneWindow: @unchecked Sendable {
    // @unchecked because of the pointer: it never changes, and the C functions may be called on any thread.
    let pointer: OpaquePointer
    /// How many bytes a message may have.
    let longest: Int

    /// The host's side.
    ///
    /// - Parameter longest: how many bytes a message may have.
    /// - Throws: the system call that failed.
    init(longest: Int) throws(WorkerFailure) {
        var failure = phs_failure()
        pointer = try Self.existing(phs_window_make(&failure), failure)
        self.longest = longest
    }

    /// The worker's side.
    ///
    /// - Parameters:
    ///   - descriptor: the window's descriptor, which the caller keeps and closes.
    ///   - longest: the host's limit.
    /// - Throws: the system call that failed; `fstat` with EINVAL for a file of another size.
    package init(descriptor: Int32, longest: Int) throws(WorkerFailure) {
        var failure = phs_failure()
        pointer = try Self.existing(phs_window_open(descriptor, &failure), failure)
        self.longest = longest
    }

    deinit { phs_window_free(pointer) }

    private static func existing(_ pointer: OpaquePointer?, _ failure: phs_failure) throws(WorkerFailure)
        -> OpaquePointer
    {
        if let pointer { return pointer }
        var failure = WorkerFailure(failure)
        // Every worker needs a window, confined or not.
        failure.layer = nil
        throw failure
    }

    /// The descriptor to pass to the worker, which belongs to the window; -1 in the worker.
    var descriptor: Int32 { phs_window_descriptor(pointer) }

    /// A copy of the descriptor, to send to the worker.
    func duplicateDescriptor() throws(WorkerFailure) -> RemoteDescriptor {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw WorkerFailure(step: "fcntl", errno: errno) }
        return RemoteDescriptor(adopting: copy)
    }

    /// Ends all waiting on this side, now and later: in the host the waits for answers, after the worker has ended; in
    /// the worker the waits for requests.
    func end() { phs_window_end(pointer) }

    var hasEnded: Bool { phs_window_has_ended(pointer) }

    /// Waits for a free lane, and takes it.
    ///
    /// - Parameter deadline: on the clock of ``MonotonicTime``; 0 for none.
    /// - Returns: its index; nil if none was free in time.
    /// - Throws: ``LaneFailure/ended``.
    func takeLane(_ deadline: UInt64) throws(LaneFailure) -> Int? {
        let index = phs_window_take_lane(pointer, deadline)
        guard index < 0 else { return Int(index) }
        if hasEnded { throw .ended }
        return nil
    }

    func giveBackLane(_ index: Int) { phs_window_give_back_lane(pointer, Int32(index)) }
}

internal import CPluginSupport.Shims
import Glibc

/// Runs an asynchronous function, and blocks this thread until it ends.
///
/// Why: each request is served by one dedicated thread, which sends the answer. That thread never belongs to the task
/// pool.
enum WaitingThread {
    /// Runs the function in a task, which is cancelled if the caller of the request no longer wants the answer.
    ///
    /// - Throws: the error of the function.
    static func run<Value>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let end = End<Value>()
        let call = CallScope.current?.pointee.call
        let task = Task {
            // So that the function may use objects of the caller's process, like a synchronous function.
            end.signal(await CallScope.$taskCall.withValue(call) { await Result(awaiting: body) })
        }
        while !end.wait(milliseconds: 20) {
            if PluginCall.isCancelled { task.cancel() }
        }
        return try end.result!.get()
    }

    /// The result of the task, and a semaphore that signals its arrival.
    private final class End<Value>: @unchecked Sendable {
        // @unchecked because the result is written before the semaphore is signalled, and read only after waiting for
        // it.
        private(set) var result: Result<Value, any Error>?
        private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

        init() { sem_init(semaphore, 0, 0) }

        deinit {
            sem_destroy(semaphore)
            semaphore.deallocate()
        }

        func signal(_ result: Result<Value, any Error>) {
            self.result = result
            sem_post(semaphore)
        }

        /// Returns whether the task has ended.
        ///
        /// Returns false when the time is over, and possibly earlier.
        func wait(milliseconds: Int) -> Bool {
            phs_wait_for_semaphore(semaphore, Int32(milliseconds))
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(awaiting body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

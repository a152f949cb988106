// For the types of threads, whose header this module also includes.
internal import CPluginSupport
import Glibc

/// A thread of the library that is never joined.
package enum DetachedThread {
    // Signals of a fault in the thread's own code. They stay unblocked, because they cannot wait.
    private static let faults = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]

    /// Starts a thread.
    ///
    /// The thread blocks all other signals, which are for the application's threads.
    ///
    /// - Parameter body: runs on the thread, and ends it by returning.
    /// - Returns: 0, or the error number of pthread_create(); the body is then released without being run.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        var blocked = sigset_t()
        var before = sigset_t()
        sigfillset(&blocked)
        for signal in faults { sigdelset(&blocked, signal) }
        pthread_sigmask(SIG_SETMASK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        let status = pthread_create(
            &thread, &attributes,
            { context in
                Unmanaged<Work>.fromOpaque(context!).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        if status != 0 { work.release() }
        return status
    }

    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

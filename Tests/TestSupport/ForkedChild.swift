package import Glibc

/// Children of a test's process, for exit tests only.
///
/// Why only for them: the process in which the tests run at the same time has many threads, and whatever lock one of them
/// holds during fork(), of the loader, the allocator or the thread sanitiser, nobody ever releases in the child.
package enum ForkedChild {
    /// fork() is marked unavailable in Swift because of the limits for a child; these children respect them.
    package static func start(_ child: () -> CInt) -> pid_t {
        typealias Fork = @convention(c) () -> pid_t
        let process = unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)()
        if process == 0 {
            // If it hangs, a signal ends it, which the threads of Swift's tasks block.
            var signals = sigset_t()
            sigemptyset(&signals)
            pthread_sigmask(SIG_SETMASK, &signals, nil)
            alarm(60)
            _exit(child())
        }
        return process
    }

    /// Waits for the end of a child: its status, or `nil` if it hung and was killed.
    package static func end(of process: pid_t) -> CInt? {
        var status: CInt = 0
        for _ in 0..<7_000 {
            if waitpid(process, &status, WNOHANG) == process { return status == SIGALRM ? nil : status }
            usleep(10_000)
        }
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        return nil
    }

    /// Whether a child returns true.
    ///
    /// Why again: when it is forked, another thread may be in dl_iterate_phdr(), whose lock nobody releases in the child.
    package static func succeeds(_ child: () -> Bool) -> Bool {
        for _ in 0..<3 {
            if let status = end(of: start { child() ? 0 : 1 }) { return status == 0 }
        }
        return false
    }

    /// Gives the calling process its own namespaces for users and mounts, in which it may do more.
    package static func enterOwnNamespaces() -> Bool {
        // Neither the function nor the constants CLONE_NEWUSER and CLONE_NEWNS are in Swift's Glibc module.
        typealias Unshare = @convention(c) (CInt) -> CInt
        let (user, group) = (geteuid(), getegid())
        let unshare = unsafeBitCast(dlsym(nil, "unshare"), to: Unshare.self)
        guard unshare(0x1000_0000 | 0x0002_0000) == 0 else { return false }
        // The same user and group inside as outside.
        return write("\(user) \(user) 1", to: "uid_map") && write("deny", to: "setgroups")
            && write("\(group) \(group) 1", to: "gid_map")
    }

    private static func write(_ text: String, to file: String) -> Bool {
        let descriptor = open("/proc/self/" + file, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return Glibc.write(descriptor, text, text.utf8.count) > 0
    }

    /// Mounts an empty file system that refuses to map code, in a namespace of the process's own.
    package static func mountWithoutCode(at directory: String) -> Bool {
        typealias Mount =
            @convention(c) (
                UnsafePointer<CChar>?, UnsafePointer<CChar>, UnsafePointer<CChar>?, UInt, UnsafeRawPointer?
            ) -> CInt
        let noExecution: UInt = 8
        return unsafeBitCast(dlsym(nil, "mount"), to: Mount.self)("none", directory, "tmpfs", noExecution, nil) == 0
    }
}

import Foundation

/// A system call of a run, and how it may fail.
struct SystemCall {
    let name: String
    /// The number among its thread's calls of that name, from 1.
    let number: Int
    /// In strace's form; it applies to each thread with that many calls.
    var text: String

    /// The failures that a call may have on a machine that is short of something, or whose disk fails.
    ///
    /// eventfd(), epoll_create() and timerfd_create() are not in the list, because libdispatch ends a process if they
    /// fail.
    static let errors: [String: [String]] = [
        "open": ["EMFILE", "EIO", "EACCES", "ENOMEM", "EINTR"],
        "openat": ["EMFILE", "EIO", "EACCES", "ENOMEM", "EINTR"],
        "openat2": ["EMFILE", "EIO", "EACCES", "ENOMEM", "EINTR"],
        "read": ["EIO", "EINTR"], "pread64": ["EIO", "EINTR"], "getdents64": ["EIO", "ENOMEM"],
        "stat": ["EIO", "EACCES"], "lstat": ["EIO", "EACCES"], "fstat": ["EIO"], "statx": ["EIO", "EACCES"],
        "newfstatat": ["EIO", "EACCES", "ENOMEM"], "access": ["EIO", "EACCES"], "faccessat2": ["EIO", "EACCES"],
        "readlink": ["EIO", "EACCES"], "readlinkat": ["EIO", "EACCES"], "getcwd": ["ENOMEM"],
        "mmap": ["ENOMEM", "EACCES"], "mprotect": ["ENOMEM"], "close": ["EIO"], "lseek": ["EIO"],
        "write": ["EIO", "ENOSPC", "EINTR"], "pwrite64": ["EIO", "ENOSPC"], "fsync": ["EIO"], "fdatasync": ["EIO"],
        "ftruncate": ["EIO"], "rename": ["EIO", "EACCES"], "renameat2": ["EIO", "EACCES"], "link": ["EIO"],
        "unlink": ["EIO"], "mkdir": ["EACCES", "ENOSPC"], "mkdirat": ["EACCES", "ENOSPC"], "chmod": ["EIO"],
        "fchmod": ["EIO"], "flock": ["EINTR", "ENOLCK"], "copy_file_range": ["EIO", "ENOSPC"],
        "statfs": ["EIO"], "fstatfs": ["EIO"], "listxattr": ["EIO"], "fcntl": ["EMFILE"], "dup": ["EMFILE"],
        "pipe2": ["EMFILE"], "inotify_init1": ["EMFILE"],
        "inotify_add_watch": ["ENOSPC"], "socket": ["EMFILE"], "connect": ["EACCES"],
        "clone3": ["EAGAIN"], "clone": ["EAGAIN"], "vfork": ["EAGAIN"], "poll": ["EINTR"], "ppoll": ["EINTR"],
        "waitid": ["EINTR"], "wait4": ["EINTR"], "pidfd_open": ["EMFILE"], "prctl": ["EINVAL"], "ioctl": ["EIO"],
    ]

    /// The failures of this call.
    var errors: [String] {
        // Examining an open file is never refused.
        (Self.errors[name] ?? []).filter { $0 != "EACCES" || !text.contains("AT_EMPTY_PATH") }
    }

    /// Reads strace's output: the calls that may fail, one for each name and number.
    static func all(hasProcessNumbers: Bool, in log: String) -> [SystemCall] {
        var counts: [String: Int] = [:]
        var found: [String: SystemCall] = [:]
        var order: [String] = []
        for line in log.split(separator: "\n") {
            // “1234  openat(AT_FDCWD, …) = 3”; not “<... read resumed>”, which ends a call that was counted.
            let words = line.split(separator: " ", maxSplits: 1)
            guard let process = words.first,
                let text = hasProcessNumbers ? words.last?.drop(while: \.isWhitespace) : line,
                let end = text.firstIndex(of: "(")
            else { continue }
            let name = String(text[..<end])
            guard errors[name] != nil else { continue }
            let counted = hasProcessNumbers ? "\(process) \(name)" : name
            let number = counts[counted, default: 0] + 1
            counts[counted] = number
            if cannotFail(name, text) { continue }
            let key = "\(name) \(number)"
            if found[key] == nil {
                order.append(key)
                found[key] = SystemCall(name: name, number: number, text: String(text))
            } else {
                found[key]?.text += " and \(text)"
            }
        }
        return order.compactMap { found[$0] }.filter { !$0.isOfDispatch }
    }

    /// libdispatch ends a process if it cannot read the state of its own threads.
    private var isOfDispatch: Bool { text.contains(/"\/proc\/[0-9]+\/stat"/) }

    /// Whether a call is left out, because its failure cannot be tested.
    ///
    /// Left out are requests for memory without a file, without which Swift ends the process, and marks from prctl()
    /// and ioctl().
    private static func cannotFail(_ name: String, _ text: Substring) -> Bool {
        switch name {
        case "mmap": text.contains("MAP_ANONYMOUS")
        case "prctl": text.contains("PR_SET_VMA") || text.contains("PR_SET_NAME")
        default: false
        }
    }
}

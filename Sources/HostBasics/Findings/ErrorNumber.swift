import Glibc
package import Synchronization

/// What an error number of the system means for a file, and how to fix the cause.
///
/// One rule applies wherever results are cached. If nothing is at a path (``saysAbsent(_:)``), or if the path leads
/// nowhere, this is a fact and may be cached until the directory changes. Every other number is reported, and the next
/// use asks the system again.
public enum ErrorNumber {
    /// Whether the number means that nothing is at the path.
    public static func saysAbsent(_ number: CInt) -> Bool { number == ENOENT || number == ENOTDIR }

    /// Whether the number means that the path leads nowhere; includes names that are too long and circles of links.
    package static func leadsNowhere(_ number: CInt) -> Bool {
        saysAbsent(number) || number == ELOOP || number == ENAMETOOLONG
    }

    /// Whether the error is temporary: the same call may succeed soon, even if nobody changes the file or its
    /// permissions.
    package static func isPassing(_ number: CInt) -> Bool {
        switch number {
        case EMFILE, ENFILE, ENOMEM, ENOBUFS, EIO, EINTR, EAGAIN, EBUSY, ESTALE, ETIMEDOUT, EREMOTEIO, ENOSPC, EDQUOT:
            true
        default: false
        }
    }

    /// Whether this process is a worker.
    ///
    /// Remedies then name the plug-in's process, not the application, as the reader of a file.
    package static let isInWorker = Atomic(false)

    /// The operation that failed.
    ///
    /// One number needs different remedies for different operations: `EACCES` concerns read permission when a directory
    /// is listed, and write permission when a file is created in it.
    public enum Operation: String, Sendable, CaseIterable {
        /// Open for reading, read, list, examine.
        case read
        /// Open for writing, write, flush, change the mode or the times.
        case write
        /// Rename, exchange, or move into place.
        case rename
        /// Make a file, a directory or a link.
        case make
        /// Remove a file or a directory.
        case remove
        /// Start a program.
        case start
    }

    /// The remedy, as full sentences.
    ///
    /// - Parameters:
    ///   - number: the error number.
    ///   - operation: what the system refused.
    /// - Returns: what to do, and what happens afterwards.
    public static func remedy(_ number: CInt, to operation: Operation = .read) -> String {
        if operation == .start, let remedy = remedyToStart(number) { return remedy }
        if operation != .read, operation != .start, let remedy = remedyToChange(number, operation) { return remedy }
        guard let remedy = commonRemedy(number) else { return unknown(operation) }
        return isPassing(number) ? remedy + " " + afterwards(operation) : remedy
    }

    /// The remedy for an unexpected number.
    private static func unknown(_ operation: Operation) -> String {
        operation == .read
            ? afterwards(.read) : "Look in the system's log for the cause. " + afterwards(operation)
    }

    /// What happens once the cause is removed.
    private static func afterwards(_ operation: Operation) -> String {
        switch operation {
        case .read: "The file is read again when it is next needed."
        case .write, .rename, .make, .remove: "Then try again; until then nothing is changed."
        case .start: "Then start it again."
        }
    }

    /// The remedy for a number with the same cause in every operation; otherwise nil.
    private static func commonRemedy(_ number: CInt) -> String? {
        switch number {
        case EMFILE:
            "Raise the limit of open files (“ulimit -n”), or find out what keeps so many files open."
        case ENFILE: "Raise the system's limit of open files (“sysctl fs.file-max”)."
        case ENOMEM, ENOBUFS: "Free some memory."
        case EACCES, EPERM:
            isInWorker.load(ordering: .relaxed)
                ? """
                Let the plug-in's process, which the user \(geteuid()) runs, read it: check the permissions of it and of the \
                directories above it, and what a sandboxed plug-in was granted.
                """
                : "Let the application read it: check its permissions and those of the directories above it."
        case ENOENT: "Check the path: it, or a directory above it, does not exist."
        case ENOTDIR: "Check the path: a part of it that should be a directory is a file."
        case ELOOP: "Remove the circle of symbolic links, or replace the link by the file."
        case ENAMETOOLONG: "Use a shorter path."
        case EIO, ESTALE, ETIMEDOUT, EREMOTEIO:
            "Look in the system's log for errors of the disk or the network."
        case EISDIR: "Name a file; this is a directory."
        case EFBIG, EOVERFLOW: "Use a smaller file."
        default: nil
        }
    }

    /// The remedy for an operation that changes the file system; nil if no special one applies.
    private static func remedyToChange(_ number: CInt, _ operation: Operation) -> String? {
        switch number {
        case EACCES where operation == .write:
            "Make the file and its directory writable for the user who runs this: check their owner and permissions."
        case EACCES:
            "Make the directory writable for the user who runs this: check its owner and permissions, and those of the "
                + "directories above it."
        case EPERM:
            "Run this as the owner of the file or directory. If that is the case, its file system does not allow the "
                + "change, or it is marked as immutable (“lsattr” shows it)."
        case EROFS: "Choose another place, or mount the file system writable: now it is read-only."
        case ENOSPC: "Free some space on the file system (“df -h” and “df -i” show what is full), then try again."
        case EDQUOT:
            "Free some space: the user's quota on the file system is used up (“quota” shows it). Then try again."
        case EFBIG: "Raise the limit of a file's size (“ulimit -f”), or write to a file system that holds larger files."
        case ENOENT where operation != .remove:
            "Check the path: a directory on it does not exist. If it was there before, another program removed it."
        case EEXIST, ENOTEMPTY: "Remove what is in its place, or choose another name."
        case EISDIR: "Remove the directory in its place, or choose another name."
        case EBUSY:
            "Unmount what is mounted there (“findmnt” shows it), or end the programs that use it, then try again."
        case ETXTBSY: "End the programs that run from the file, then try again."
        case EMLINK: "Choose another directory: this one holds as many directories as its file system allows."
        case EXDEV where operation == .rename:
            "Put both on one file system. On an overlay, as in a container, a directory of a lower layer must be copied "
                + "first: “cp -a” it to another name, remove it, and move the copy back."
        case EINVAL where operation == .rename:
            "Check that neither contains the other. If that is so, the file system cannot exchange two files in one "
                + "step: remove the old one first."
        case EINVAL, ENOSYS, EOPNOTSUPP:
            "Choose a place on another file system: this one does not support the operation."
        default: nil
        }
    }

    private static func remedyToStart(_ number: CInt) -> String? {
        switch number {
        case EACCES:
            "Make the program executable (“chmod +x”), let the user enter the directories above it, and check that its file "
                + "system is not mounted “noexec” (“findmnt -T” shows it)."
        case EPERM:
            "Check what keeps the process from starting programs: a seccomp filter of its container, or a security module."
        case ENOENT: "Install the program, or correct its path. A script's first line may name a missing interpreter."
        case ENOEXEC, ELIBBAD, EINVAL: "Install a build of the program for this machine."
        case ETXTBSY: "Wait until nothing writes to the program any more, then start it again."
        case EAGAIN: "Raise the limit of processes (“ulimit -u”, or “pids.max” of the container), or end some of them."
        case E2BIG: "Use fewer or shorter arguments and variables of the environment."
        case ENOMEM: "Free some memory, or raise the limit of the container, then start it again."
        default: nil
        }
    }
}

/// What an error number means, in the system's words.
public func describe(errno: CInt) -> String {
    // glibc's strerror() is safe to call from several threads since 2.32; older versions share a buffer only for
    // numbers that do not exist.
    String(cString: strerror(errno))
}

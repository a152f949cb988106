import Glibc

/// What an error number of the system says about a file.
///
/// One rule applies wherever results are cached. That nothing is at a path (``saysAbsent(_:)``), or that no path can
/// lead there, is a fact and may be cached until the directory changes. Every other number is reported, and the system
/// is asked again next time.
@_spi(Tools) public enum ErrorNumber {
    /// Whether it means that nothing is at the path.
    @_spi(Tools) public static func saysAbsent(_ number: CInt) -> Bool { number == ENOENT || number == ENOTDIR }

    /// Whether it means that the path leads nowhere: also because a name is too long or links form a circle.
    static func leadsNowhere(_ number: CInt) -> Bool {
        saysAbsent(number) || number == ELOOP || number == ENAMETOOLONG
    }

    /// Whether the system only lacked something at that moment: the same call may succeed soon, even if nobody changes
    /// the file or its permissions.
    static func isPassing(_ number: CInt) -> Bool {
        switch number {
        case EMFILE, ENFILE, ENOMEM, ENOBUFS, EIO, EINTR, EAGAIN, EBUSY, ESTALE, ETIMEDOUT, EREMOTEIO, ENOSPC, EDQUOT:
            true
        default: false
        }
    }

    /// The remedy, as full sentences.
    @_spi(Tools) public static func remedy(_ number: CInt) -> String {
        switch number {
        case EMFILE:
            "Raise the limit of open files (“ulimit -n”), or find out what keeps so many files open. The file is read again when "
                + "it is next needed."
        case ENFILE:
            "Raise the system's limit of open files (“sysctl fs.file-max”). The file is read again when it is next needed."
        case ENOMEM, ENOBUFS: "Free some memory. The file is read again when it is next needed."
        case EACCES, EPERM:
            "Let the application read it: check its permissions and those of the directories above it."
        case ELOOP: "Remove the circle of symbolic links, or replace the link by the file."
        case ENAMETOOLONG: "Use a shorter path."
        case EIO, ESTALE, ETIMEDOUT, EREMOTEIO:
            "Look in the system's log for errors of the disk or the network. The file is read again when it is next "
                + "needed."
        default: "The file is read again when it is next needed."
        }
    }
}

/// What an error number means, in the system's words.
@_spi(Tools) public func describe(errno: CInt) -> String {
    // glibc's strerror() is safe to call from several threads since 2.32; older ones share a buffer only for
    // numbers that do not exist.
    String(cString: strerror(errno))
}

import Foundation
import Glibc

/// Why a system call failed, in the user's words and not in the system's.
struct SystemFailure: Error {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    /// The failure behind an error of Foundation's; nil for other errors.
    init?(_ error: any Error) {
        if let failure = error as? SystemFailure {
            self = failure
        } else if let code = (error as? POSIXError)?.code {
            self.init(code.rawValue)
        } else if let underlying = (error as? CocoaError)?.underlying {
            self.init(underlying)
        } else {
            return nil
        }
    }

    /// A part of a sentence, without a full stop.
    var reason: String {
        switch number {
        case EACCES, EPERM: localized("access is not allowed")
        case ENOENT, ENOTDIR: localized("it does not exist any more")
        case ENOSPC, EDQUOT: localized("no space is left")
        case EROFS: localized("the disk is read-only")
        case EIO: localized("the disk reports an error")
        case EMFILE, ENFILE: localized("too many files are open")
        case ENOMEM: localized("there is not enough memory")
        case ELOOP: localized("its links lead in a circle")
        case ENAMETOOLONG: localized("the name is too long")
        case EPIPE: localized("nobody reads it any more")
        default: localized("the system reports “{0}”", String(cString: strerror(number)))
        }
    }

    /// “X cannot be used: the disk reports an error.”
    func sentence(about path: String) -> String { localized("{0} cannot be used: {1}.", path, reason) }
}

/// Why something failed: of what the system refused, the reason in plain words.
func reason(of error: any Error) -> String { SystemFailure(error)?.reason ?? "\(error)" }

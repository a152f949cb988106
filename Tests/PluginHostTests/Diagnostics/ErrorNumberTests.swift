import Glibc
import Testing

@_spi(Tools) @testable import PluginHost

/// What to do when the system refuses an operation.
@Suite struct ErrorNumberTests {
    /// The error numbers that each operation may have: the man pages of its system calls.
    private static let possible: [ErrorNumber.Operation: [CInt]] = [
        .read: [
            EACCES, EPERM, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EMFILE, ENFILE, ENOMEM, EIO, ESTALE, ETIMEDOUT,
            EOVERFLOW, EFBIG,
        ],
        .write: [
            EACCES, EPERM, EROFS, ENOSPC, EDQUOT, EFBIG, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EMFILE, ENFILE,
            ENOMEM, EIO, ESTALE, ETXTBSY, EINVAL,
        ],
        .rename: [
            EACCES, EPERM, EROFS, ENOSPC, EDQUOT, ENOENT, ENOTDIR, EISDIR, EEXIST, ENOTEMPTY, EBUSY, EXDEV, EINVAL,
            ENOSYS,
            EMLINK, ELOOP, ENAMETOOLONG, ENOMEM, EIO, ESTALE,
        ],
        .make: [
            EACCES, EPERM, EROFS, ENOSPC, EDQUOT, ENOENT, ENOTDIR, EEXIST, EMLINK, ELOOP, ENAMETOOLONG, EMFILE, ENFILE,
            ENOMEM, EIO, ESTALE,
        ],
        .remove: [
            EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, ENOTEMPTY, EBUSY, ETXTBSY, ELOOP, ENAMETOOLONG, ENOMEM, EIO,
            ESTALE,
        ],
        .start: [
            EACCES, EPERM, ENOENT, ENOTDIR, ENOEXEC, ELIBBAD, EINVAL, ETXTBSY, EAGAIN, E2BIG, ENOMEM, EMFILE, ENFILE,
            EIO,
            ELOOP, ENAMETOOLONG,
        ],
    ]

    @Test func fault777_everyOperationHasARemedyForEveryNumber() {
        #expect(Set(Self.possible.keys) == Set(ErrorNumber.Operation.allCases))
        for (operation, numbers) in Self.possible {
            for number in numbers {
                let remedy = ErrorNumber.remedy(number, to: operation)
                let name = "\(operation) \(describe(errno: number)): \(remedy)"
                #expect(remedy.first?.isUppercase ?? false && remedy.hasSuffix("."), "\(name)")
                // A remedy says what to do, and not only what happens afterwards.
                #expect(!remedy.hasPrefix("Then ") && !remedy.hasPrefix("The file is read again"), "\(name)")
                // Only what was to be read is read again.
                #expect(operation == .read || !remedy.contains("read again"), "\(name)")
                #expect(operation == .read || operation == .start || !remedy.contains("application read it"), "\(name)")
            }
        }
    }

    @Test func fault777_theSameNumberHasOtherRemediesForOtherOperations() {
        #expect(ErrorNumber.remedy(EACCES).contains("read it"))
        #expect(ErrorNumber.remedy(EACCES, to: .write).contains("writable"))
        #expect(ErrorNumber.remedy(EACCES, to: .make).contains("directory writable"))
        #expect(ErrorNumber.remedy(EACCES, to: .start).contains("chmod +x"))
        #expect(ErrorNumber.remedy(ENOSPC, to: .write).contains("df -h"))
        #expect(ErrorNumber.remedy(EROFS, to: .make).contains("read-only"))
        #expect(ErrorNumber.remedy(EXDEV, to: .rename).contains("overlay"))
        // For a number that nobody expects, the next step is known, too.
        for operation in ErrorNumber.Operation.allCases { #expect(!ErrorNumber.remedy(EDOM, to: operation).isEmpty) }
    }
}

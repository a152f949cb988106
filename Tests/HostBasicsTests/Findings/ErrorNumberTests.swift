import Foundation
import TestSupport
import Testing

@testable import HostBasics

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

    @Test(.fault(777)) func everyOperationHasARemedyForEveryNumber() {
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

    /// What a remedy must name, for each number and the operations that may have it.
    private static let expected: [(number: CInt, words: [ErrorNumber.Operation: String])] = [
        (EACCES, [.read: "read it", .write: "Make the file and its directory writable", .start: "chmod +x"]),
        (EACCES, [.rename: "Make the directory writable", .make: "Make the directory writable"]),
        (EACCES, [.remove: "Make the directory writable"]),
        (EPERM, [.read: "read it", .write: "lsattr", .rename: "lsattr", .make: "lsattr", .remove: "lsattr"]),
        (EPERM, [.start: "seccomp"]),
        (EROFS, [.write: "read-only", .rename: "read-only", .make: "read-only", .remove: "read-only"]),
        (ENOSPC, [.write: "df -h", .rename: "df -h", .make: "df -i"]), (EDQUOT, [.write: "quota", .make: "quota"]),
        (EFBIG, [.read: "smaller file", .write: "ulimit -f"]),
        (ENOENT, [.read: "does not exist", .write: "a directory on it", .make: "a directory on it"]),
        (ENOENT, [.rename: "another program removed it", .remove: "does not exist", .start: "interpreter"]),
        (ENOTDIR, [.read: "is a file", .write: "is a file", .make: "is a file", .start: "is a file"]),
        (EEXIST, [.make: "in its place", .rename: "in its place"]), (ENOTEMPTY, [.remove: "Remove what is in"]),
        (EISDIR, [.read: "Name a file", .write: "Remove the directory", .rename: "Remove the directory"]),
        (EBUSY, [.rename: "findmnt", .remove: "findmnt"]), (EMLINK, [.make: "another directory"]),
        (ETXTBSY, [.write: "run from the file", .remove: "run from the file", .start: "nothing writes to"]),
        (EXDEV, [.rename: "overlay"]), (EINVAL, [.rename: "exchange two files", .write: "another file system"]),
        (EINVAL, [.start: "this machine"]), (ENOEXEC, [.start: "this machine"]), (E2BIG, [.start: "fewer or shorter"]),
        (EAGAIN, [.start: "ulimit -u"]), (ENOMEM, [.read: "memory", .write: "memory", .start: "of the container"]),
        (ELOOP, [.read: "circle", .write: "circle", .make: "circle", .rename: "circle", .start: "circle"]),
        (ENAMETOOLONG, [.read: "shorter", .write: "shorter", .make: "shorter", .rename: "shorter", .start: "shorter"]),
        (EMFILE, [.read: "ulimit -n", .write: "ulimit -n", .make: "ulimit -n", .start: "ulimit -n"]),
        (ENFILE, [.read: "fs.file-max", .make: "fs.file-max", .start: "fs.file-max"]),
        (EIO, [.read: "system's log", .write: "system's log", .rename: "system's log", .start: "system's log"]),
    ]

    @Test(.fault(845)) func eachRemedyIsThatOfItsOperation() {
        let ends: [ErrorNumber.Operation: String] = [
            .read: "read again", .write: "nothing is changed", .rename: "nothing is changed",
            .make: "nothing is changed", .remove: "nothing is changed", .start: "start it again",
        ]
        for (number, words) in Self.expected {
            for (operation, word) in words {
                let remedy = ErrorNumber.remedy(number, to: operation)
                #expect(remedy.contains(word), "\(operation) \(describe(errno: number)): \(remedy)")
                // It does not end as that of another kind of operation.
                for (other, end) in ends where other != operation && end != ends[operation] {
                    #expect(!remedy.contains(end), "\(operation) \(describe(errno: number)): \(remedy)")
                }
            }
        }
        for number in [EACCES, EPERM, ENOENT, ETXTBSY, EINVAL] {
            let remedies = [.read, .write, .start].map { ErrorNumber.remedy(number, to: $0) }
            #expect(remedies[2] != remedies[0] && remedies[2] != remedies[1], "\(remedies)")
        }
    }

    /// What replaces a file has the operation that failed, and not “write” for all of them.
    @Test(.fault(845)) func theStepsOfAReplacementAreOperationsOfTheirOwn() throws {
        let tree = try TemporaryTree(["file": "old", "taken/x": ""])
        func failure(_ path: String, _ change: (inout FileReplacement) -> Void = { _ in }) -> FileReplacement.Failure? {
            var replacement = FileReplacement()
            change(&replacement)
            do throws(FileReplacement.Failure) {
                try replacement.replace(path, with: [1])
                return nil
            } catch { return error }
        }
        let made = failure(tree("nothing/file"))
        #expect(made?.operation == .make && made?.errno == ENOENT)
        let renamed = failure(tree("taken"))
        #expect(renamed?.operation == .rename && renamed?.remedy.contains("Remove the directory") == true)
        let full = failure(tree("file")) {
            $0.write = { _, _ in
                errno = ENOSPC
                return -1
            }
        }
        #expect(full?.operation == .write && full?.remedy.contains("df -h") == true)
        #expect(failure(tree("file/below"))?.errno == ENOTDIR)
        #expect(failure(tree(String(repeating: "n", count: 250)))?.errno == ENAMETOOLONG)
        #expect(symlink("loop", tree("loop")) == 0)
        #expect(failure(tree("loop/file"))?.errno == ELOOP)
        #expect(try String(contentsOfFile: tree("file"), encoding: .utf8) == "old")
    }

    @Test(.fault(777)) func theSameNumberHasOtherRemediesForOtherOperations() {
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

import Glibc
import TestSupport
import Testing

@testable import HostBasics

/// The content of files, also of those that change while they are read.
@Suite struct OpenedFileTests {
    private let tree = try! TemporaryTree(["file": "0123456789"])

    @Test func theWholeContentIsRead() throws {
        #expect(try OpenedFile(path: tree("file")).bytes(atMost: 10) == Array("0123456789".utf8))
        #expect(try OpenedFile(path: tree("file")).bytes(atMost: 1000).count == 10)
        try tree.write("empty", "")
        #expect(try OpenedFile(path: tree("empty")).bytes(atMost: 10) == [])
    }

    /// One byte more than the limit shows that the file is too large.
    @Test func ofALargerFileOneByteMoreThanTheLimitIsRead() throws {
        #expect(try OpenedFile(path: tree("file")).bytes(atMost: 9).count == 10)
        #expect(try OpenedFile(path: tree("file")).bytes(atMost: 3).count == 4)
    }

    /// Neither the old content nor the new would be read.
    @Test(arguments: [0, 1, 9, 11, 500]) func aFileThatBecomesShorterOrLongerHasChanged(_ size: Int) throws {
        for limit in [10, 1000] {
            try tree.write("file", "0123456789")
            let file = try OpenedFile(path: tree("file"))
            try #require(truncate(tree("file"), size) == 0)
            var failure: OpenedFile.Failure?
            do throws(OpenedFile.Failure) { _ = try file.bytes(atMost: limit) } catch { failure = error }
            #expect(failure == .changed)
        }
    }

    @Test func aTooLargeFileThatShrinksBelowTheLimitHasChanged() throws {
        let file = try OpenedFile(path: tree("file"))
        try #require(truncate(tree("file"), 2) == 0)
        var failure: OpenedFile.Failure?
        do throws(OpenedFile.Failure) { _ = try file.bytes(atMost: 5) } catch { failure = error }
        #expect(failure == .changed)
    }
}

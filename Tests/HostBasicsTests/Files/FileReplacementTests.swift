import Glibc
import TestSupport
import Testing

@testable import HostBasics

@Suite struct FileReplacementTests {
    /// What a writer left behind that was killed two hours ago.
    private func leftover(_ name: String, in tree: TemporaryTree) throws {
        try tree.write(name)
        let old = timespec(tv_sec: time(nil) - 7200, tv_nsec: 0)
        try #require(utimensat(AT_FDCWD, tree(name), [old, old], 0) == 0)
    }

    /// The directory's name has more bytes than characters.
    @Test(.fault(895), arguments: ["plain", "caf\u{E9}", "日本語"])
    func onlyTheLeftoversOfTheFileAreRemoved(directory: String) throws {
        let tree = try TemporaryTree()
        for name in ["choices.plist.a1.new", "ces.plist.a1.new", "other.new", ".hidden.new"] {
            try leftover("\(directory)/\(name)", in: tree)
        }
        try tree.write("\(directory)/choices.plist.young.new")
        FileReplacement.removeLeftovers(of: tree("\(directory)/choices.plist"))
        let names = try OpenedDirectory(path: tree(directory)).names.map(OpenedDirectory.text).sorted()
        #expect(names == [".hidden.new", "ces.plist.a1.new", "choices.plist.young.new", "other.new"])
    }

    /// Else a file that was acknowledged could be gone after a power failure.
    @Test func theFileIsOnTheDiskBeforeItsNameAndTheDirectoryAfterIt() throws {
        let tree = try TemporaryTree()
        let calls = Lock<[String]>([])
        var replacement = FileReplacement()
        replacement.write = { descriptor, bytes in
            calls.withLock { $0.append("write") }
            return Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        }
        replacement.flush = { descriptor in
            calls.withLock { $0.append("flush") }
            return fsync(descriptor)
        }
        replacement.rename = { from, to in
            calls.withLock { $0.append("rename to \(to)") }
            return Glibc.rename(from, to)
        }
        let flushDirectory = replacement.flushDirectory
        replacement.flushDirectory = { path in
            let status = flushDirectory(path)
            calls.withLock { $0.append("flush \(path): \(status)") }
            return status
        }
        try replacement.replace(tree("file"), with: Array("new".utf8))
        #expect(
            calls.withLock(\.self) == ["write", "flush", "rename to \(tree("file"))", "flush \(tree.path): 0"])
    }

    @Test func aFileThatDoesNotReachTheDiskIsNotReplaced() throws {
        let tree = try TemporaryTree(["file": "old"])
        var replacement = FileReplacement()
        replacement.flush = { _ in
            errno = EIO
            return -1
        }
        let failure = #expect(throws: FileReplacement.Failure.self) {
            try replacement.replace(tree("file"), with: Array("new".utf8))
        }
        #expect(failure?.call == "fsync" && failure?.errno == EIO)
        #expect(try OpenedFile(path: tree("file")).bytes(atMost: 9) == Array("old".utf8))
        #expect(try OpenedDirectory(path: tree.path).names.count == 1)
    }
}

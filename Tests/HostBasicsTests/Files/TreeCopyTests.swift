import Glibc
import TestSupport
import Testing

@testable import HostBasics

@Suite struct TreeCopyTests {
    private func text(_ path: String) -> String? {
        (try? OpenedFile(path: path).bytes(atMost: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func isEqual(_ a: String, _ b: String) throws -> Bool {
        let other = try OpenedFile(path: b)
        return try OpenedFile(path: a).hasSameContent(as: other)
    }

    @Test func filesDirectoriesAndEmptyOnesAreCopied() throws {
        let tree = try TemporaryTree(["from/a": "1", "from/b/c/d": "2", "from/empty/": "", "to/": ""])
        #expect(try TreeCopy.run(from: tree("from"), to: tree("to")).isChanged)
        #expect(text(tree("to/a")) == "1")
        #expect(text(tree("to/b/c/d")) == "2")
        #expect(FileIdentity(path: tree("to/empty"))?.isDirectory == true)
        // Nothing is different now.
        #expect(try !TreeCopy.run(from: tree("from"), to: tree("to")).isChanged)
    }

    @Test func aLargeFileIsEqualToItsSource() throws {
        let tree = try TemporaryTree(["to/": ""])
        try tree.write("from/large", bytes: (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try TreeCopy.run(from: tree("from"), to: tree("to"))
        #expect(try isEqual(tree("from/large"), tree("to/large")))
        // One byte in the middle.
        let file = open(tree("from/large"), O_WRONLY)
        pwrite(file, "#", 1, 1_500_000)
        close(file)
        #expect(try !isEqual(tree("from/large"), tree("to/large")))
        #expect(try TreeCopy.run(from: tree("from"), to: tree("to")).isChanged)
        #expect(try isEqual(tree("from/large"), tree("to/large")))
    }

    @Test func replacedFilesAreNeverWrittenInto() throws {
        let tree = try TemporaryTree(["from/a": "old", "to/": ""])
        try TreeCopy.run(from: tree("from"), to: tree("to"))
        let before = open(tree("to/a"), O_RDONLY)
        defer { close(before) }
        // As long as the old text, with the times of the old file: only the bytes differ.
        try tree.write("from/a", "new")
        try TreeCopy.run(from: tree("from"), to: tree("to"))
        #expect(text(tree("to/a")) == "new")
        var bytes = [UInt8](repeating: 0, count: 3)
        pread(before, &bytes, 3, 0)
        #expect(bytes == Array("old".utf8))
    }

    @Test func missingOrChangedKindsOfFilesAreRemovedFromTheCopy() throws {
        let tree = try TemporaryTree(["from/a": "1", "from/b/c": "2", "from/d": "3", "to/": ""])
        try TreeCopy.run(from: tree("from"), to: tree("to"))
        tree.remove("from/a")
        tree.remove("from/b")
        tree.remove("from/d")
        try tree.write("from/b", "a file now")
        try tree.write("from/d/e", "a directory now")
        #expect(try TreeCopy.run(from: tree("from"), to: tree("to")).isChanged)
        #expect(FileIdentity(path: tree("to/a")) == nil)
        #expect(text(tree("to/b")) == "a file now")
        #expect(text(tree("to/d/e")) == "a directory now")
    }

    @Test func linksStayLinksWithTheSameTarget() throws {
        let tree = try TemporaryTree(["outside": "out", "from/in/a": "1", "to/": ""])
        try tree.link("from/relative", to: "in/a")
        try tree.link("from/in/up", to: "../in/a")
        try tree.link("from/absolute", to: tree("from/in/a"))
        try tree.link("from/in/leaving", to: "../../outside")
        try tree.link("from/leavingAbsolutely", to: tree("outside"))
        try tree.link("from/dangling", to: "../../nothing")
        try TreeCopy.run(from: tree("from"), to: tree("to"))
        #expect(Path.linkTarget(tree("to/relative")) == "in/a")
        #expect(Path.linkTarget(tree("to/in/up")) == "../in/a")
        // It led into the bundle, and it does in the copy.
        #expect(Path.linkTarget(tree("to/absolute")) == tree("to/in/a"))
        #expect(Path.linkTarget(tree("to/in/leaving")) == tree("outside"))
        #expect(Path.linkTarget(tree("to/leavingAbsolutely")) == tree("outside"))
        #expect(text(tree("to/in/leaving")) == "out")
        #expect(Path.linkTarget(tree("to/dangling")).map { Path.resolved($0) } == .some(nil))
        #expect(try !TreeCopy.run(from: tree("from"), to: tree("to")).isChanged)
    }

    @Test func fifosAreLeftOutAndPermissionsAreTheOwnersOnly() throws {
        let tree = try TemporaryTree(["from/a": "1", "from/run": "2", "to/": ""])
        mkfifo(tree("from/fifo"), 0o600)
        chmod(tree("from/a"), 0o444)
        chmod(tree("from/run"), 0o6755)
        #expect(try TreeCopy.run(from: tree("from"), to: tree("to")).leftOut == ["fifo"])
        #expect(FileIdentity(path: tree("to/fifo")) == nil)
        #expect(FileIdentity(path: tree("to/a")).map { $0.mode & 0o7777 } == 0o600)
        #expect(FileIdentity(path: tree("to/run")).map { $0.mode & 0o7777 } == 0o700)
    }

    @Test func namesThatAreNotUTF8AreCopied() throws {
        let tree = try TemporaryTree(["from/": "", "to/": ""])
        let name = [0x61, 0xFF, 0x62].map { CChar(truncatingIfNeeded: $0) } + [0]
        let from = Array(tree("from/").utf8CString.dropLast()) + name
        close(open(from, O_WRONLY | O_CREAT, 0o600))
        try TreeCopy.run(from: tree("from"), to: tree("to"))
        #expect(access(Array(tree("to/").utf8CString.dropLast()) + name, F_OK) == 0)
    }

    @Test func limitsEndACopyWithTheirPlace() throws {
        let tree = try TemporaryTree(["from/a/b/c": "12345678", "to/": ""])
        func failure(_ limits: TreeCopy.Limits) -> TreeCopy.Failure? {
            do throws(TreeCopy.Failure) {
                try TreeCopy.run(from: tree("from"), to: tree("to"), limits: limits)
                return nil
            } catch { return error }
        }
        #expect(failure(.init(entries: 2))?.errno == EFBIG)
        #expect(failure(.init(bytes: 7))?.path == tree("from/a/b/c"))
        #expect(failure(.init(levels: 2))?.path == tree("from/a/b"))
        #expect(failure(.init(entries: 3, bytes: 8, levels: 3)) == nil)
    }

    @Test func excludedFilesAreNeitherCopiedNorRemoved() throws {
        let tree = try TemporaryTree(["from/code.so": "new", "from/r/a": "new", "to/code.so": "old", "to/x.so": "old"])
        try tree.write("to/r/a", "old")
        #expect(try TreeCopy.run(from: tree("from"), to: tree("to")) { $0.hasSuffix(".so") }.isChanged)
        #expect(text(tree("to/code.so")) == "old")
        #expect(text(tree("to/x.so")) == "old")
        #expect(text(tree("to/r/a")) == "new")
    }
}

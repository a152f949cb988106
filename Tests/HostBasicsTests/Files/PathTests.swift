import Foundation
import TestSupport
import Testing

@testable import HostBasics

@Suite struct PathTests {
    @Test(arguments: [
        ("/a/b.bundle", "/a/b.bundle"), ("/a//b.bundle/", "/a/b.bundle"), ("/a/./b.bundle", "/a/b.bundle"), ("/", "/"),
        ("//", "/"), ("/a/b.bundle/.", "/a/b.bundle"), ("/.a/..b", "/.a/..b"), ("/a/...", "/a/..."), ("/...", "/..."),
    ])
    func aPathIsSpelledInOneWay(path: String, expected: String) {
        #expect(Path.normalized(path) == expected)
    }

    @Test(arguments: ["/a/../b", "/..", "/a/..", "", "a\0b", "/" + String(repeating: "x", count: 5000)])
    func pathsThatOnlyTheFileSystemCanResolveAreNotGuessed(path: String) {
        #expect(Path.normalized(path) == nil)
    }

    @Test func aRelativePathStartsAtTheCurrentDirectory() throws {
        let path = try #require(Path.normalized("b.bundle"))
        #expect(path.hasPrefix("/") && path.hasSuffix("/b.bundle"))
    }

    @Test(arguments: [("/", "/b"), ("p", "p/b"), ("", "b"), ("/a", "/a/b")])
    func aNameFollowsItsDirectoryAfterOneSlash(directory: String, expected: String) {
        #expect(Path.join(directory, "b") == expected)
    }

    @Test func aDirectoryOfASimilarNameIsOutside() {
        #expect(Path.isInside("/a/b/c", directory: "/a/b"))
        #expect(!Path.isInside("/a/bc", directory: "/a/b"))
        #expect(!Path.isInside("/a/b", directory: "/a/b"))
        #expect(Path.isInside("/x", directory: "/"))
        #expect(!Path.isInside("/", directory: "/"))
    }

    /// In Swift the two spellings of “é” are equal; on disk they are two names.
    @Test(.fault(896)) func aNameInAnotherUnicodeFormIsAnotherName() {
        let (one, two) = ("/p/caf\u{E9}.bundle", "/p/cafe\u{301}.bundle")
        #expect(one == two)
        #expect(Path.isInside(one + "/a", directory: one) && Path.isInside(two + "/a", directory: two))
        #expect(!Path.isInside(two + "/a", directory: one) && !Path.isInside(one + "/a", directory: two))
        #expect(Path.part(of: two + "/b/c", in: two) == "b/c")
        // An accent after the slash makes one character with it.
        #expect(Path.part(of: two + "/\u{301}x", in: two).map { Array($0.utf8) } == Array("\u{301}x".utf8))
        #expect(Path.part(of: "/a/b", in: "/") == "a/b")
        #expect(Path.part(of: "/a", in: "/a") == nil)
    }

    @Test(arguments: [("/a/b", "/a"), ("/a", "/"), ("/", "/"), ("/a/b/", "/a"), ("/a/b.c/d", "/a/b.c")])
    func theParentIsWhatStandsBeforeTheLastName(path: String, parent: String) {
        #expect(Path.parent(path) == parent)
    }

    @Test func theProgramIsFoundByTheKernelsLink() {
        #expect(Path.mainProgram == Path.resolved("/proc/self/exe"))
    }

    @Test func aProgramThatWasDeletedIsFoundWhereItStood() throws {
        let tree = try TemporaryTree([:])
        try copyProgram("/bin/sleep", to: tree("program"))
        let process = Process()
        process.executableURL = URL(filePath: tree("program"))
        process.arguments = ["60"]
        try process.run()
        defer { process.terminate() }
        let link = "/proc/\(process.processIdentifier)/exe"
        #expect(Path.program(atLink: link) == tree("program"))
        try FileManager.default.removeItem(atPath: tree("program"))
        #expect(Path.linkTarget(link) == tree("program (deleted)"))
        #expect(Path.program(atLink: link) == tree("program"))
        // An update put another in its place, and somebody a file under the kernel's name for it.
        try tree.write("program", "another")
        try tree.write("program (deleted)", "a third")
        #expect(Path.program(atLink: link) == tree("program"))
    }

    @Test func aProgramMayHaveTheKernelsSuffixInItsName() throws {
        let tree = try TemporaryTree(["program (deleted)": ""])
        try tree.link("link", to: tree("program (deleted)"))
        #expect(Path.program(atLink: tree("link")) == tree("program (deleted)"))
        #expect(Path.program(atLink: tree("absent")) == nil)
    }

    @Test(arguments: [("/a/b.bundle", "b"), ("/a/b", "b"), ("/a/.hidden", ".hidden"), ("/a/b.c.bundle", "b.c")])
    func theStemIsTheNameWithoutItsLastExtension(path: String, stem: String) {
        #expect(Path.stem(path) == stem)
    }
}

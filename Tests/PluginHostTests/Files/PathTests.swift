import Testing

@_spi(Tools) @testable import PluginHost

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

    @Test func aDirectoryOfASimilarNameIsOutside() {
        #expect(Path.isInside("/a/b/c", directory: "/a/b"))
        #expect(!Path.isInside("/a/bc", directory: "/a/b"))
        #expect(!Path.isInside("/a/b", directory: "/a/b"))
        #expect(Path.isInside("/x", directory: "/"))
    }

    @Test(arguments: [("/a/b.bundle", "b"), ("/a/b", "b"), ("/a/.hidden", ".hidden"), ("/a/b.c.bundle", "b.c")])
    func theStemIsTheNameWithoutItsLastExtension(path: String, stem: String) {
        #expect(Path.stem(path) == stem)
    }
}

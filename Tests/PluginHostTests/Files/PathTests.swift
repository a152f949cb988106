import Testing

@testable import PluginHost

@Suite struct BundlePathTests {
    @Test(arguments: [
        ("/a/b.bundle", "/a/b.bundle"), ("/a//b.bundle/", "/a/b.bundle"), ("/a/./b.bundle", "/a/b.bundle"), ("/", "/"),
        ("//", "/"), ("/a/b.bundle/.", "/a/b.bundle"), ("/.a/..b", "/.a/..b"), ("/a/...", "/a/..."), ("/...", "/..."),
    ])
    func aPathIsSpelledInOneWay(path: String, expected: String) {
        #expect(BundlePath.normalized(path) == expected)
    }

    @Test(arguments: ["/a/../b", "/..", "/a/..", "", "a\0b", "/" + String(repeating: "x", count: 5000)])
    func whatOnlyTheFileSystemCanResolveIsNotGuessed(path: String) {
        #expect(BundlePath.normalized(path) == nil)
    }

    @Test func aRelativePathStartsAtTheCurrentDirectory() throws {
        let path = try #require(BundlePath.normalized("b.bundle"))
        #expect(path.hasPrefix("/") && path.hasSuffix("/b.bundle"))
    }

    @Test func aDirectoryOfASimilarNameIsOutside() {
        #expect(BundlePath.isInside("/a/b/c", directory: "/a/b"))
        #expect(!BundlePath.isInside("/a/bc", directory: "/a/b"))
        #expect(!BundlePath.isInside("/a/b", directory: "/a/b"))
        #expect(BundlePath.isInside("/x", directory: "/"))
    }

    @Test(arguments: [("/a/b.bundle", "b"), ("/a/b", "b"), ("/a/.hidden", ".hidden"), ("/a/b.c.bundle", "b.c")])
    func theStemIsTheNameWithoutItsLastExtension(path: String, stem: String) {
        #expect(BundlePath.stem(path) == stem)
    }
}

import Glibc
import TestSupport
import Testing

@testable import BundleReading
@testable import HostBasics

@Suite("ResourceFinder: what is never found")
struct ResourceFinderSafetyTests {
    @Test(
        "A look-up with .. finds nothing, even where it leads back in", .fault(96),
        arguments: [
            ("../Info", "plist", nil), ("..", nil, nil), ("Info", "plist", ".."), ("a", "txt", "../in"),
            ("a", "txt", "s/.."), ("s/../a", "txt", nil), ("s/../../in/a", "txt", nil), ("a/..", nil, nil),
            ("../in/a.txt", nil, nil), ("a", "txt", "s/../../in"), (".", ".", nil), (".", "/Info.plist", nil),
            ("a", "txt/../../Info.plist", nil), ("", "/../../Info.plist", nil), (nil, "plist", ".."),
        ] as [(String?, String?, String?)])
    func dotsFindNothing(_ name: String?, _ type: String?, _ directory: String?) throws {
        let tree = try TemporaryTree(["Info.plist": "", "in/a.txt": "", "in/s/b.txt": "", "in/fr.lproj/Info.plist": ""])
        let finder = ResourceFinder(directory: tree("in"))
        #expect(finder.path(forResource: name, ofType: type, inDirectory: directory) == nil)
    }

    @Test func absoluteNamesAndNULFindNothing() throws {
        let tree = try TemporaryTree(["a.txt": "", "s/b.txt": ""])
        let finder = ResourceFinder(directory: tree.path)
        #expect(finder.path(forResource: "/a", ofType: "txt") == nil)
        #expect(finder.path(forResource: tree("a"), ofType: "txt") == nil)
        #expect(finder.path(forResource: "a", ofType: "txt", inDirectory: "/") == nil)
        #expect(finder.path(forResource: "b", ofType: "txt", inDirectory: tree("s")) == nil)
        #expect(finder.path(forResource: "a.txt\0", ofType: nil) == nil)
        #expect(finder.path(forResource: "a", ofType: "txt\0") == nil)
        #expect(finder.path(forResource: "b", ofType: "txt", inDirectory: "s\0") == nil)
        #expect(finder.path(forResource: "s/", ofType: nil) == nil)
        #expect(finder.path(forResource: ".", ofType: nil) == nil)
        #expect(finder.path(forResource: "b", ofType: "txt", inDirectory: "./s//") == tree("s/b.txt"))
    }

    @Test("A link may lead out of the bundle, and one that leads nowhere is no resource", .fault(97))
    func linksAreFollowed() throws {
        let tree = try TemporaryTree(["out/a.txt": "", "out/de.lproj/b.txt": "", "in/": ""])
        try tree.link("in/a.txt", to: "../out/a.txt")
        try tree.link("in/fr.lproj", to: tree("out/de.lproj"))
        try tree.link("in/sub", to: "../out")
        try tree.link("in/loop.txt", to: "loop.txt")
        try tree.link("in/late.txt", to: "../out/late.txt")
        try tree.link("Resources", to: "in")
        let finder = ResourceFinder(
            directory: tree("Resources"), settings: LocalizationSettings(languages: ["fr"]))
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("Resources/a.txt"))
        #expect(finder.path(forResource: "b", ofType: "txt") == tree("Resources/fr.lproj/b.txt"))
        #expect(finder.path(forResource: "a", ofType: "txt", inDirectory: "sub") == tree("Resources/sub/a.txt"))
        #expect(finder.path(forResource: "loop", ofType: "txt") == nil)
        #expect(finder.path(forResource: "late", ofType: "txt") == nil)
        #expect(finder.paths(forResourcesOfType: "txt").count == 2)
        // The target of a link may change without the directory of the link changing.
        try tree.write("out/late.txt")
        settle()
        #expect(finder.path(forResource: "late", ofType: "txt") == tree("Resources/late.txt"))
        tree.remove("out/late.txt")
        settle()
        #expect(finder.path(forResource: "late", ofType: "txt") == nil)
    }

    @Test("FIFOs, sockets and devices are neither found nor opened", .fault(98))
    func specialFilesAreNotResources() throws {
        let tree = try TemporaryTree(["en.lproj/": ""])
        #expect(mkfifo(tree("pipe.txt"), 0o600) == 0)
        #expect(mkfifo(tree("fr.lproj"), 0o600) == 0)
        try tree.link("link.txt", to: "pipe.txt")
        try tree.link("null.txt", to: "/dev/null")
        let finder = ResourceFinder(directory: tree.path, settings: LocalizationSettings(languages: ["fr"]))
        for name in ["pipe", "link", "null"] {
            #expect(finder.path(forResource: name, ofType: "txt") == nil)
        }
        #expect(finder.path(forResource: nil, ofType: "txt") == nil)
        #expect(finder.paths(forResourcesOfType: nil) == [tree("en.lproj")])
        #expect(finder.path(forResource: "a", ofType: nil, inDirectory: "pipe.txt") == nil)
        #expect(finder.localizations == ["en"])
    }

    @Test func namesThatAreNotUTF8AreLeftOut() throws {
        let tree = try TemporaryTree(["a.txt": ""])
        let name: [CChar] = (tree.path + "/").utf8.map { CChar(bitPattern: $0) } + [-1, 46, 116, 120, 116, 0]
        close(open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644))
        defer { unlink(name) }
        #expect(DirectoryListing(path: tree.path).unreadableNames == 1)
        #expect(ResourceFinder(directory: tree.path).paths(forResourcesOfType: "txt") == [tree("a.txt")])
    }

    @Test func lookUpsLeaveNoDescriptorOpen() throws {
        let tree = try TemporaryTree(["fr.lproj/a.txt": "", "file": ""])
        let before = DirectoryListing(path: "/proc/self/fd").names.count
        for _ in 0..<200 {
            let finder = ResourceFinder(directory: tree.path, settings: LocalizationSettings(languages: ["fr"]))
            _ = finder.path(forResource: "a", ofType: "txt", inDirectory: "file")
            _ = finder.paths(forResourcesOfType: nil)
        }
        // Other tests run at the same time and hold a few.
        #expect(DirectoryListing(path: "/proc/self/fd").names.count < before + 100)
    }
}

@Suite("ResourceFinder: changes")
struct ResourceFinderChangeTests {
    @Test("A file that was removed is not given, and one that came is", .fault(107))
    func addedAndRemovedFilesAreNoticed() throws {
        let tree = try TemporaryTree(["fr.lproj/": ""])
        let finder = finder(tree)
        for place in ["", "fr.lproj/"] {
            // Several rounds, so that some fall into one tick of the file system's clock.
            for _ in 0..<20 {
                #expect(finder.path(forResource: "a", ofType: "txt") == nil)
                try tree.write(place + "a.txt")
                settle()
                #expect(finder.path(forResource: "a", ofType: "txt") == tree(place + "a.txt"))
                #expect(finder.paths(forResourcesOfType: "txt") == [tree(place + "a.txt")])
                try tree.rename(place + "a.txt", to: place + "b.txt")
                settle()
                #expect(finder.path(forResource: "a", ofType: "txt") == nil)
                #expect(finder.path(forResource: "b", ofType: "txt") == tree(place + "b.txt"))
                tree.remove(place + "b.txt")
                settle()
                #expect(finder.path(forResource: "b", ofType: "txt") == nil)
            }
        }
    }

    @Test func anAddedGlobalFileHidesTheLocalisedOne() throws {
        let tree = try TemporaryTree(["fr.lproj/a.txt": ""])
        let finder = finder(tree)
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("fr.lproj/a.txt"))
        try tree.write("a.txt")
        settle()
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("a.txt"))
    }

    @Test func theResourcesMayBeAddedLaterAndReplaced() throws {
        let tree = try TemporaryTree(["new/b.txt": ""])
        let finder = ResourceFinder(directory: tree("Resources"))
        #expect(finder.path(forResource: "a", ofType: "txt") == nil)
        try tree.write("Resources/a.txt")
        settle()
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("Resources/a.txt"))
        try tree.rename("Resources", to: "old")
        try tree.rename("new", to: "Resources")
        settle()
        #expect(finder.path(forResource: "a", ofType: "txt") == nil)
        #expect(finder.path(forResource: "b", ofType: "txt") == tree("Resources/b.txt"))
    }

    @Test func aSubdirectoryMayBeAddedLater() throws {
        let tree = try TemporaryTree()
        let finder = finder(tree)
        #expect(finder.path(forResource: "a", ofType: "txt", inDirectory: "x/y") == nil)
        try tree.write("x/y/a.txt")
        settle()
        #expect(finder.path(forResource: "a", ofType: "txt", inDirectory: "x/y") == tree("x/y/a.txt"))
    }

    @Test func everNewNamesDoNotConfuseTheAnswers() throws {
        let tree = try TemporaryTree(["a.txt": ""])
        let finder = finder(tree)
        for number in 0..<(ResourceSearch.mostAnswers + 10) {
            #expect(finder.path(forResource: "none\(number)", ofType: "txt") == nil)
        }
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("a.txt"))
        for number in 0..<(DirectoryCache.mostNodes + 10) {
            #expect(finder.path(forResource: "a", ofType: "txt", inDirectory: "none\(number)") == nil)
        }
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("a.txt"))
    }

    @Test func manyThreadsFindTheSame() async throws {
        let tree = try TemporaryTree(["fr.lproj/a.txt": "", "b.txt": ""])
        let finder = finder(tree)
        await withTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in 0..<500 {
                        #expect(finder.path(forResource: "a", ofType: "txt") == tree("fr.lproj/a.txt"))
                        #expect(finder.path(forResource: "b\(number)\(worker)", ofType: "txt") == nil)
                        #expect(finder.paths(forResourcesOfType: "txt").count == 2)
                    }
                }
            }
        }
    }
}

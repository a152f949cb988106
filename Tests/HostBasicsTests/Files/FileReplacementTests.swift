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
}

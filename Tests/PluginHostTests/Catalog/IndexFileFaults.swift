import CatalogIndexing
import ELFImages
import Glibc
import HostBasics
import PluginABI
import Synchronization
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost
@_spi(Tools) @testable import PluginWorkers

/// Faults of the index's file.
@Suite struct IndexFileFaults {
    private static let list = CatalogTree.list("x")

    @Test func theIndexIsWrittenOnceAndReadByTheNextStart() throws {
        let tree = try CatalogTree(["a/X.bundle": Self.list])
        tree.settle()
        let first = tree.catalog("a", index: true)
        let path = try tree.indexPath
        let written = try #require(FileIdentity(path: path))
        #expect(written.mode & 0o777 == 0o600)
        #expect(tree.catalog("a", index: true).current.bytes == first.current.bytes)
        #expect(FileIdentity(path: path) == written)
    }

    @Test func damageIsToldInOneLineAndMended() async {
        await #expect(processExitsWith: .success) {
            let lines = Mutex<[String]>([])
            HostEnvironment.current.log = { record in lines.withLock { $0.append(record.message) } }
            let tree = try CatalogTree(["a/X.bundle": IndexFileFaults.list])
            tree.settle()
            _ = tree.catalog("a", index: true)
            let path = try tree.indexPath
            try tree.tree.write(String(path.dropFirst(tree("").utf8.count)), "no index")
            try #require(tree.catalog("a", index: true).plugin("x") != nil)
            let warnings = lines.withLock(\.self)
            try #require(warnings.count == 1 && warnings[0].contains(path) && warnings[0].contains("is damaged"))
            _ = tree.catalog("a", index: true)
            try #require(lines.withLock(\.count) == 1)
        }
    }

    /// The steps of a writer, in order.
    enum Step: String, CaseIterable, Sendable, Codable { case create, write, flush, rename }

    @Test(.fault(112), arguments: Step.allCases) func aWriterThatIsKilledLeavesTheOldIndexOrTheNew(step: Step)
        async throws
    {
        let tree = try CatalogTree(["a/X.bundle": Self.list])
        tree.settle()
        _ = tree.catalog("a", index: true)
        let path = try tree.indexPath
        let before = try fileBytes(path)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, step = step as Step] in
            try FileReplacement(dyingAt: step).replace(path, with: [1, 2, 3])
        }
        #expect(try fileBytes(path) == before)
        #expect(try IndexFile(path: path).read()?.plugin(identifier: "x") != nil)
        // The files of the dead writer disturb nobody.
        try tree.write("a/Y.bundle", CatalogTree.list("y"))
        #expect(tree.catalog("a", index: true).plugins.count == 2)
        #expect(try IndexFile(path: path).read()?.plugin(identifier: "y") != nil)
    }

    @Test(
        .fault(113, 114),
        arguments: [(Step.write, ENOSPC), (.write, EDQUOT), (.flush, EIO), (.rename, EIO), (.create, EROFS)])
    func aFullDiskAndFailuresOfItLeaveTheOldIndex(step: Step, error: CInt) throws {
        let tree = try CatalogTree(["a/X.bundle": Self.list])
        _ = tree.catalog("a", index: true)
        let path = try tree.indexPath
        let before = try fileBytes(path)
        var file = IndexFile(path: path)
        file.replacement = FileReplacement(failingAt: step, error)
        let other = tree.scan("nothing")
        let problem = #expect(throws: IndexFile.Failure.self) { try file.write(other) }
        #expect(problem?.reason.contains(describe(errno: error)) == true)
        #expect(try fileBytes(path) == before)
        #expect(try BundleNames(directory: tree("index"), extensions: ["new"]).names.isEmpty)
    }

    /// The reason is that of the directory which cannot be made, and not that it does not exist.
    @Test(.fault(845)) func aDirectoryForTheIndexThatCannotBeMadeIsNamed() async {
        await #expect(processExitsWith: .success) {
            let tree = try CatalogTree()
            try tree.tree.write("closed/")
            try #require(chmod(tree("closed"), 0o555) == 0)
            if geteuid() == 0 { try #require(seteuid(65534) == 0) }
            let file = IndexFile(path: tree("closed/cache/pluginhost/0.index"))
            let problem = #expect(throws: IndexFile.Failure.self) { try file.write(tree.scan("nothing")) }
            #expect(problem?.reason.contains(describe(errno: EACCES)) == true, "\(problem?.reason ?? "")")
            #expect(problem?.reason.contains(tree("closed/cache")) == true, "\(problem?.reason ?? "")")
            #expect(problem?.remedy == ErrorNumber.remedy(EACCES, to: .make))
            if geteuid() != getuid() { try #require(seteuid(getuid()) == 0) }
        }
    }

    @Test func aPartialWriteIsContinued() throws {
        let tree = try CatalogTree()
        var replacement = FileReplacement()
        replacement.write = { descriptor, bytes in write(descriptor, bytes.baseAddress, min(bytes.count, 3)) }
        try tree.tree.write("file", "old")
        let bytes = (0..<100).map { UInt8($0) }
        try replacement.replace(tree("file"), with: bytes)
        #expect(try fileBytes(tree("file")) == bytes)
    }

    @Test(.fault(115)) func withoutAPlaceForTheIndexTheCatalogueWorksAllTheSame() async {
        await #expect(processExitsWith: .success) {
            let lines = Mutex<[HostLogRecord]>([])
            HostEnvironment.current.log = { record in lines.withLock { $0.append(record) } }
            let tree = try CatalogTree(["a/X.bundle": IndexFileFaults.list])
            try tree.tree.write("file", "")
            for directory in [tree("file/index"), "/proc/no/such"] {
                let catalog = PluginCatalog(
                    searchPaths: [tree("a")], options: .init(index: .directory(directory)))
                try #require(catalog.plugins.map(\.identifier) == ["x"])
            }
            // No warning, because the plug-ins are good.
            try #require(lines.withLock { $0.map(\.level) } == [.info, .info])
            // A home directory that belongs to nobody.
            setenv("HOME", tree("nobody"), 1)
            unsetenv("XDG_CACHE_HOME")
            try #require(PluginCatalog(searchPaths: [tree("a")]).plugins.count == 1)
            try #require(FileIdentity(path: tree("nobody")) == nil)
            unsetenv("HOME")
            try #require(PluginCatalog(searchPaths: [tree("a")], options: .init(index: .none)).plugins.count == 1)
        }
    }

    @Test(.fault(116)) func fiftyWritersAtOnceLeaveAWholeIndex() throws {
        let tree = try CatalogTree(["a/X.bundle": Self.list, "b/Y.bundle": CatalogTree.list("y")])
        try tree.tree.write("index/")
        let indexes = [tree.scan("a"), tree.scan("b"), tree.scan("a", "b")]
        let path = tree("index/one.index")
        let (writers, rounds) = (50, 5)
        let names = FixtureLock<Set<String>>([])
        let problems = FixtureLock<[String]>([])
        let reads = Atomic(0)
        let ended = Atomic(0)
        onThreads(writers + 1) { writer in
            if writer < writers {
                for round in 1...rounds {
                    var file = IndexFile(path: path)
                    // All fifty have written their complete files before the first is renamed.
                    file.replacement.rename = { from, to in
                        let limit = ContinuousClock.now.advanced(by: .seconds(60))
                        names.withLock { _ = $0.insert(from) }
                        while names.withLock(\.count) < writers * round {
                            if ContinuousClock.now > limit { return -1 }
                            usleep(100)
                        }
                        return Glibc.rename(from, to)
                    }
                    do { try file.write(indexes[writer % 3]) } catch { problems.withLock { $0.append("\(error)") } }
                }
                ended.add(1, ordering: .releasing)
                return
            }
            // A reader meanwhile finds a complete file, from the first one on.
            var isThere = false
            while ended.load(ordering: .acquiring) < writers {
                do {
                    let index = try IndexFile(path: path).read()
                    if let index, !indexes.contains(where: { $0.bytes == index.bytes }) {
                        problems.withLock { $0.append("another index was read") }
                    }
                    if isThere, index == nil { problems.withLock { $0.append("the index was gone for a moment") } }
                    isThere = index != nil
                    reads.add(1, ordering: .relaxed)
                } catch { problems.withLock { $0.append("\(error)") } }
            }
        }
        #expect(problems.withLock(\.self) == [])
        #expect(names.withLock(\.count) == writers * rounds)
        #expect(reads.load(ordering: .relaxed) > 0)
        let last = try #require(try IndexFile(path: path).read())
        #expect(indexes.contains { $0.bytes == last.bytes })
        #expect(try BundleNames(directory: tree("index"), extensions: ["new"]).names.isEmpty)
    }

    @Test(.fault(117)) func filesOfADeadWriterAreRemovedAfterAnHour() throws {
        let tree = try CatalogTree(["a/X.bundle": Self.list])
        _ = tree.catalog("a", index: true)
        let path = try tree.indexPath
        let name = path.dropFirst(tree("").utf8.count)
        for (leftover, age) in [("1-1", 7200), ("1-2", 60)] {
            try tree.tree.write("\(name).\(leftover).new", "half an ind")
            setModified("\(path).\(leftover).new", seconds: time(nil) - age)
        }
        try tree.tree.write("index/other.new", "")
        setModified(tree("index/other.new"), seconds: 1)
        try IndexFile(path: path).write(tree.scan("a"))
        let left = try BundleNames(directory: tree("index"), extensions: ["new"]).names.map { tree("index/" + $0.text) }
        #expect(left == ["\(path).1-2.new", tree("index/other.new")])
    }

    @Test(.fault(120), .enabled(if: geteuid() == 0, "only root may give files away"))
    func anIndexOfSomebodyElseIsIgnored() throws {
        let tree = try CatalogTree(["a/X.bundle": Self.list])
        _ = tree.catalog("a", index: true)
        let path = try tree.indexPath
        #expect(chown(path, 12345, 12345) == 0)
        let problem = #expect(throws: IndexFile.Failure.self) { try IndexFile(path: path).read() }
        #expect(problem?.reason.contains("belongs to the user 12345") == true)
        #expect(chown(tree("index"), 12345, 12345) == 0)
        #expect(throws: IndexFile.Failure.self) { try IndexFile(path: path).write(tree.scan("a")) }
        #expect(tree.catalog("a", index: true).plugins.count == 1)
    }

    @Test func anIndexThatOthersMayWriteIsIgnored() throws {
        let tree = try CatalogTree(["a/X.bundle": Self.list])
        _ = tree.catalog("a", index: true)
        let path = try tree.indexPath
        #expect(chmod(path, 0o622) == 0)
        #expect(throws: IndexFile.Failure(reason: "can be changed by other users")) { try IndexFile(path: path).read() }
    }

    @Test(.fault(121)) func anIndexThatIsALinkIsNotFollowed() throws {
        let tree = try CatalogTree(["a/X.bundle": Self.list])
        _ = tree.catalog("a", index: true)
        let path = try tree.indexPath
        try tree.tree.rename(String(path.dropFirst(tree("").utf8.count)), to: "elsewhere")
        let content = try fileBytes(tree("elsewhere"))
        #expect(symlink(tree("elsewhere"), path) == 0)
        let problem = #expect(throws: IndexFile.Failure.self) { try IndexFile(path: path).read() }
        #expect(problem?.reason == "is a symbolic link, which is not allowed here")
        // The link is replaced, and its target is unchanged.
        try tree.write("a/Y.bundle", CatalogTree.list("y"))
        #expect(tree.catalog("a", index: true).plugins.count == 2)
        #expect(try fileBytes(tree("elsewhere")) == content)
        #expect(try IndexFile(path: path).read()?.pluginCount == 2)
    }

    @Test(arguments: ["fifo", "directory", "huge"]) func onlyFilesAreRead(kind: String) throws {
        let tree = try CatalogTree()
        let path = tree("x.index")
        switch kind {
        case "fifo": #expect(mkfifo(path, 0o600) == 0)
        case "directory": try tree.tree.write("x.index/")
        default:
            try tree.tree.write("x.index", "")
            #expect(truncate(path, 1 << 40) == 0)
            #expect(chmod(path, 0o600) == 0)
        }
        #expect(throws: IndexFile.Failure.self) { try IndexFile(path: path).read() }
    }
}

extension FileReplacement {
    /// A replacement whose process is killed in the middle of a step.
    fileprivate init(dyingAt step: IndexFileFaults.Step) {
        self.init(at: step) {
            kill(getpid(), SIGKILL)
            return -1
        }
    }

    fileprivate init(failingAt step: IndexFileFaults.Step, _ error: CInt) {
        self.init(at: step) {
            errno = error
            return -1
        }
    }

    private init(at step: IndexFileFaults.Step, _ body: @escaping @Sendable () -> CInt) {
        self.init()
        switch step {
        case .create: create = { _ in body() }
        case .write:
            write = { descriptor, bytes in
                _ = Glibc.write(descriptor, bytes.baseAddress, bytes.count / 2)
                return Int(body())
            }
        case .flush: flush = { _ in body() }
        case .rename: rename = { _, _ in body() }
        }
    }
}

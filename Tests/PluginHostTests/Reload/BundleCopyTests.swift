import CPluginSupport.Shims
import ELFImages
import Glibc
import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// What is copied and compared for hot reload, and how long copies stay.
@Suite(.timeLimit(.minutes(2))) struct BundleCopyTests {
    private static let list = """
        <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>org.example.copied</string>
        <key>NSExecutable</key><string>X</string></dict></plist>
        """

    private func bundle() throws -> TemporaryTree {
        let tree = try TemporaryTree([
            "X.bundle/Contents/Info.plist": Self.list, "X.bundle/Contents/Linux/X": "code",
            "X.bundle/Contents/Resources/a.txt": "text", "outside.so": "outside", "copies/": "",
        ])
        chmod(tree("copies"), 0o700)
        return tree
    }

    private var code: BundleCode { BundleCode(layout: .contents, executable: "X") }

    @Test func errorsNameTheOriginalOfACopyUntilItIsRemoved() throws {
        let tree = try bundle()
        let copy = try BundleCopy(of: tree("X.bundle"), in: try PrivateDirectory(in: [tree("copies")]))
        let finding = PluginFinding(.notLoadable, filePath: copy.path + "/a", message: "See “\(copy.path)/a”.")
        let error = PluginError(bundlePath: copy.path, finding)
        #expect(error.filePath == tree("X.bundle/a") && error.findings[0].message == "See “\(tree("X.bundle/a"))”.")
        copy.remove()
        #expect(PluginError(bundlePath: copy.path, finding).filePath == copy.path + "/a")
        #expect(copy.ofOriginal(error).description == "The bundle “\(tree("X.bundle"))”: See “\(tree("X.bundle/a"))”.")
    }

    @Test(.fault(753), .enabled(if: geteuid() == 0, "only root has workers of another user"))
    func aCopyOfRootAllowsOthersWhatTheOriginalAllows() throws {
        let tree = try bundle()
        chmod(tree("X.bundle/Contents/Linux/X"), 0o4755)
        chmod(tree("X.bundle/Contents/Resources/a.txt"), 0o640)
        func mode(_ path: String) -> UInt32? { FileIdentity(path: path).map { $0.mode & 0o7777 } }
        let directory = try PrivateDirectory(in: [tree("copies")])
        let closed = try BundleCopy(of: tree("X.bundle"), in: directory)
        #expect(mode(closed.path) == 0o700 && mode(closed.path + "/Contents/Linux/X") == 0o700)
        chmod(tree.path, 0o755)
        let open = try BundleCopy(of: tree("X.bundle"), in: directory)
        #expect(mode(open.path) == 0o755 && mode(open.path + "/Contents/Linux/X") == 0o755)
        #expect(mode(open.path + "/Contents/Resources/a.txt") == 0o640)
        #expect(Path.isReachableByOthers(open.path + "/Contents"))
        // A new resource, too.
        try tree.write("X.bundle/Contents/Resources/b.txt", "other")
        chmod(tree("X.bundle/Contents/Resources/b.txt"), 0o604)
        #expect(try open.refreshResources(code, from: tree("X.bundle")))
        #expect(mode(open.path + "/Contents/Resources/b.txt") == 0o604)
        withExtendedLifetime(directory) {}
    }

    @Test(.fault(198)) func devicesAndFIFOsAreNeitherCopiedNorReadNorWaitedFor() throws {
        let tree = try bundle()
        try tree.link("X.bundle/Contents/Linux/zero.so", to: "/dev/zero")
        mkfifo(tree("X.bundle/Contents/Linux/pipe.so"), 0o600)
        let directory = try PrivateDirectory(in: [tree("copies")])
        let copy = try BundleCopy(of: tree("X.bundle"), in: directory)
        #expect(copy.findings.map(\.filePath) == [tree("X.bundle/Contents/Linux/pipe.so")])
        #expect(copy.findings.first?.message.contains("FIFO") == true)
        #expect(FileIdentity(path: copy.path + "/Contents/Linux/pipe.so") == nil)
        // Two endless files of the size 0 are never compared by their bytes.
        #expect(try code.isEqual(in: tree("X.bundle"), and: copy.path))
        try tree.write("X.bundle/Contents/Linux/X", "other")
        #expect(try !code.isEqual(in: tree("X.bundle"), and: copy.path))
        // A device in the place of code is a change.
        try tree.write("X.bundle/Contents/Linux/X", "code")
        tree.remove("X.bundle/Contents/Linux/zero.so")
        try tree.write("X.bundle/Contents/Linux/zero.so", "code")
        #expect(try !code.isEqual(in: tree("X.bundle"), and: copy.path))
    }

    @Test(.fault(265)) func aLinkOutOfTheBundleIsNotFollowedByCopiesAndComparisons() throws {
        let tree = try bundle()
        try tree.link("X.bundle/Contents/Linux/out.so", to: "../../../outside.so")
        let directory = try PrivateDirectory(in: [tree("copies")])
        let copy = try BundleCopy(of: tree("X.bundle"), in: directory)
        #expect(Path.linkTarget(copy.path + "/Contents/Linux/out.so") == tree("outside.so"))
        #expect(try code.isEqual(in: tree("X.bundle"), and: copy.path))
        // A change of the file outside is not a change of the bundle's code, but a link to another place is.
        try tree.write("outside.so", "changed")
        #expect(try code.isEqual(in: tree("X.bundle"), and: copy.path))
        try tree.write("elsewhere.so", "changed")
        tree.remove("X.bundle/Contents/Linux/out.so")
        try tree.link("X.bundle/Contents/Linux/out.so", to: "../../../elsewhere.so")
        #expect(try !code.isEqual(in: tree("X.bundle"), and: copy.path))
    }

    @Test(.fault(265)) func copiesHaveLimits() throws {
        let tree = try bundle()
        let directory = try PrivateDirectory(in: [tree("copies")])
        for limits in [TreeCopy.Limits(entries: 4), .init(bytes: 100), .init(levels: 2)] {
            let error = #expect(throws: PluginError.self) {
                try BundleCopy(of: tree("X.bundle"), in: directory, limits: limits)
            }
            #expect(error?.code == .copyFailed && error?.description.contains("too large") == true)
        }
        // Nothing of them is left.
        #expect(DirectoryListing(path: directory.path).names.keys.sorted() == ["lock"])
        // Neither is compared or copied further.
        #expect(throws: OpenedDirectory.Failure.self) {
            try code.files(in: tree("X.bundle"), limits: .init(entries: 4))
        }
    }

    @Test(.fault(264)) func codeThatCannotBeReadForAMomentIsNotNewCode() async {
        await #expect(processExitsWith: .success) {
            let tree = try BundleCopyTests().bundle()
            let code = BundleCopyTests().code
            let directory = try PrivateDirectory(in: [tree("copies")])
            let copy = try BundleCopy(of: tree("X.bundle"), in: directory)
            for (call, ending) in [("open", "Linux"), ("list", "Contents"), ("open", "Linux/X"), ("read", "Linux/X")] {
                FailingCalls.fail(call, ending, EMFILE)
                do throws(OpenedDirectory.Failure) {
                    _ = try code.isEqual(in: tree("X.bundle"), and: copy.path)
                    preconditionFailure("\(call) \(ending) was not noticed")
                } catch { precondition(error.errno == EMFILE) }
                precondition(FailingCalls.left == 0)
                precondition((try? code.isEqual(in: tree("X.bundle"), and: copy.path)) == true)
            }
            withExtendedLifetime(directory) {}
        }
    }

    // MARK: Real code

    private static let source = """
        #include "plugin_abi.h"
        static plugin_status make(const plugin_factory *f, const plugin_host *h, void **i) {
            (void)f; *i = h->alloc(h, 8); return PLUGIN_OK; }
        static const plugin_host *host;
        static void drop(void *i) { host->free(host, i); }
        static const plugin_factory thing = {{sizeof thing, 1}, {"thing", 5}, {"", 0}, 1, 0, 0, 0, make, 0, drop};
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { host = h; return h->register_factory(h, &thing); }
        PLUGIN_DECLARE_NOTE;
        """

    /// A bundle with code and a payload in a tree, and a place for its copies.
    private static func loadable(_ tree: TemporaryTree) throws {
        let code = try OpenedFile(path: ELFFixtures.c("reloaded.so", source)).bytes(atMost: 1 << 20)
        try tree.write("X.bundle/Contents/Info.plist", list)
        try tree.write("X.bundle/Contents/Linux/X", bytes: code)
        try tree.write("X.bundle/Contents/Resources/payload", bytes: Array(repeating: 7, count: 1 << 20))
        try tree.write("copies/")
        chmod(tree("copies"), 0o700)
        setenv("PLUGINHOST_COPIES", tree("copies"), 1)
    }

    /// The existing private copies.
    private static func copies(_ tree: TemporaryTree) -> [String] {
        let processes = DirectoryListing(path: tree("copies")).names.keys.filter { $0 != "lock" }
        return processes.flatMap { process in
            DirectoryListing(path: tree("copies/" + process)).names.keys.filter { $0 != "lock" }
                .map { tree("copies/\(process)/\($0)") }
        }
    }

    @Test(.fault(259)) func twoHundredReloadsLeaveAFewCopies() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            try Self.loadable(tree)
            let generations = PluginGenerations(path: tree("X.bundle"))
            var held: CInstance? = try generations.use { bundle in
                try bundle.loadAndReturnError()
                return try bundle.cProviders()[0].make()
            }
            let first = generations.current!.bundle
            var most = 0
            for build in 0..<200 {
                // Another build: the Info.plist counts as code.
                try tree.write("X.bundle/Contents/Info.plist", Self.list.replacing("copied", with: "copied\(build)"))
                guard case .replaced = generations.reload(at: tree("X.bundle")) else {
                    preconditionFailure("build \(build) is not in service")
                }
                // Objects that are released at once, as most are.
                _ = try generations.use { try $0.cProviders()[0].make() }
                generations.removeEndedCopies()
                most = max(most, Self.copies(tree).count)
            }
            // The one in service and the one whose object is held, and no others after the sweep.
            precondition(most <= 3, "\(most) copies")
            // An object that still exists finds the resources that it was built with.
            precondition(first.path(forResource: "payload", ofType: nil) != nil)
            precondition(Self.copies(tree).count == 2)
            precondition(generations.all.count == 201)
            withExtendedLifetime(held) {}
            held = nil
            generations.removeEndedCopies()
            precondition(Self.copies(tree).count == 1)
            precondition(first.path(forResource: "payload", ofType: nil) == nil)
            precondition(generations.current!.bundle.path(forResource: "payload", ofType: nil) != nil)
        }
    }

    @Test(.fault(259)) func aBuildThatFailsLeavesNoCopyAndOnlyThePassingErrorIsTriedAgain() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            try Self.loadable(tree)
            let generations = PluginGenerations(path: tree("X.bundle"))
            _ = try generations.use { try $0.loadAndReturnError() }
            try tree.write("X.bundle/Contents/Info.plist", Self.list.replacing("copied", with: "second"))
            // The copy cannot be opened at the moment: the same code is tried again.
            FailingCalls.fail("open", "X.bundle/Contents/Linux/X", EMFILE, times: 8)
            guard case .failed(let error) = generations.reload(at: tree("X.bundle")), error.isPassing else {
                preconditionFailure("the failure was not noticed")
            }
            precondition(error.description.contains("ulimit -n"))
            FailingCalls.stop()
            precondition(Self.copies(tree).count == 1)
            guard case .replaced = generations.reload(at: tree("X.bundle")) else { preconditionFailure() }
            generations.removeEndedCopies()
            // Bad code is tried once.
            try tree.write("X.bundle/Contents/Linux/next", "no code")
            try tree.rename("X.bundle/Contents/Linux/next", to: "X.bundle/Contents/Linux/X")
            guard case .failed(let bad) = generations.reload(at: tree("X.bundle")), bad.code == .notLoadable else {
                preconditionFailure("bad code is in service")
            }
            precondition(Self.copies(tree).count == 1)
            guard case .unchanged = generations.reload(at: tree("X.bundle")) else { preconditionFailure() }
        }
    }

    @Test(.fault(262)) func anErrorNamesTheBundleAndNotItsPrivateCopy() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            try Self.loadable(tree)
            let named = Self.source.replacing("{\"\", 0}", with: "{\"org.example.point\", 17}")
            let code = try OpenedFile(path: ELFFixtures.c("named.so", named)).bytes(atMost: 1 << 20)
            try tree.write("X.bundle/Contents/Linux/X", bytes: code)
            try tree.write("Y.bundle/Contents/Linux/X", bytes: code)
            try tree.write("Y.bundle/Contents/Info.plist", Self.list.replacing("copied", with: "other"))
            let generations = PluginGenerations(path: tree("X.bundle"))
            try generations.use { try $0.loadAndReturnError() }
            // A bundle that was loaded from a copy has the name.
            let bundle = try PluginBundle.open(path: tree("Y.bundle"))
            bundle.load()
            guard let error = bundle.loadError else { preconditionFailure("the name was free") }
            precondition(error.code == .duplicateFactory)
            precondition(error.description.contains(tree("X.bundle")), error.description)
            let texts = error.findings.flatMap { [$0.message, $0.remedy, $0.filePath ?? "", $0.subject ?? ""] }
            precondition(!texts.contains { $0.contains(tree("copies")) }, error.description)
        }
    }

    @Test(.fault(75)) func aFileThatIsRenamedOverLoadedCodeLeavesThatAlone() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            try Self.loadable(tree)
            let bundle = try PluginBundle.open(path: tree("X.bundle"))
            try bundle.loadAndReturnError()
            let before = FileIdentity(path: tree("X.bundle/Contents/Linux/X"))
            // As an installation should do it: a new file over the old one.
            try tree.write("X.bundle/Contents/Linux/new", "something else")
            try tree.rename("X.bundle/Contents/Linux/new", to: "X.bundle/Contents/Linux/X")
            precondition(FileIdentity(path: tree("X.bundle/Contents/Linux/X"))?.inode != before?.inode)
            for _ in 0..<100 { _ = try bundle.cProviders()[0].make() }
            precondition(bundle.isLoaded)
        }
    }

    @Test(.fault(75)) func aWatchedPluginIsLoadedFromACopyThatNobodyOverwrites() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            try Self.loadable(tree)
            let generations = PluginGenerations(path: tree("X.bundle"))
            try generations.use { try $0.loadAndReturnError() }
            // In place and to nothing: every process that had it mapped would end with SIGBUS.
            precondition(truncate(tree("X.bundle/Contents/Linux/X"), 0) == 0)
            for _ in 0..<100 { try generations.use { _ = try $0.cProviders()[0].make() } }
        }
    }

    @Test(.fault(75)) func messagesAndPagesSayToInstallByRenaming() throws {
        #expect(try textFile("../../../docs/faults.md").contains("| 75 | overwritten in place"))
        #expect(
            try textFile("../../../Sources/PluginHost/PluginHost.docc/HotReload.md").contains(
                "renaming a new one over it"))
        #expect(
            try textFile("../../../Sources/PluginHost/Loading/CodeLoad.swift").contains("by renaming it over the old"))
    }

    @Test(.fault(76)) func codeIsOpenedByItsPathWhileNumbersOfDescriptorsAreReused() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            try Self.loadable(tree)
            let bytes = try OpenedFile(path: tree("X.bundle/Contents/Linux/X")).bytes(atMost: 1 << 20)
            for number in 0..<50 {
                try tree.write(
                    "P\(number).bundle/Contents/Info.plist", Self.list.replacing("copied", with: "p\(number)"))
                try tree.write("P\(number).bundle/Contents/Linux/X", bytes: bytes)
            }
            // Another file takes each number as soon as it is free.
            try tree.write("decoy.so", bytes: bytes)
            let end = FixtureLock(false)
            let decoy = tree("decoy.so")
            defer { end.withLock { $0 = true } }
            let reuser = Task.detached {
                while !end.withLock({ $0 }) {
                    let numbers = (0..<8).map { _ in open(decoy, O_RDONLY | O_CLOEXEC) }
                    for number in numbers { close(number) }
                }
            }
            for number in 0..<50 {
                let bundle = try PluginBundle.open(path: tree("P\(number).bundle"))
                try bundle.loadAndReturnError()
                guard let base = bundle.currentCode?.library?.base else { preconditionFailure("no image") }
                precondition(LoadedLibraries.path(ofLibraryAt: base) == tree("P\(number).bundle/Contents/Linux/X"))
            }
            end.withLock { $0 = true }
            await reuser.value
            // The mapped files are those of the bundles, and never the other one.
            let maps = open("/proc/self/maps", O_RDONLY)
            var text: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = read(maps, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
            close(maps)
            let mapped = String(decoding: text, as: UTF8.self)
            precondition(!mapped.contains("decoy.so"))
            precondition((0..<50).allSatisfy { mapped.contains("P\($0).bundle/Contents/Linux/X") })
        }
    }

    @Test func anErrorNamesEveryPlaceForCopiesAndTheRemedy() throws {
        let tree = try TemporaryTree(["file": ""])
        do throws(PrivateDirectory.Failure) {
            _ = try PrivateDirectory(in: [tree("file"), tree("none/x")])
            Issue.record("there is no such place")
        } catch {
            let text = error.asError(bundlePath: "/b").description
            #expect(text.contains(tree("file")) && text.contains(tree("none/x")))
            #expect(text.contains("PLUGINHOST_COPIES"))
        }
    }
}

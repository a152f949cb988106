import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HostBasics

@Suite struct DirectoryWatchTests {
    private let reports = WatchReports()

    private func watch(
        _ roots: [String], quiet: Duration = .milliseconds(60), longest: Duration = .seconds(2),
        enters: @escaping @Sendable (String) -> Bool = { _ in true }
    ) throws -> DirectoryWatch {
        let watch = try DirectoryWatch(quietPeriod: quiet, longestWait: longest, enters: enters) { [reports] in
            reports.take($0)
        }
        for root in roots { try watch.add(root) }
        return watch
    }

    @Test func aNewFileIsToldByItsDirectoryAndName() throws {
        let tree = try TemporaryTree()
        let watch = try watch([tree.path])
        try tree.write("a.txt", "text")
        #expect(reports.next()?.names == [tree.path: ["a.txt"]])
        withExtendedLifetime(watch) {}
    }

    @Test func importantReportsAreNotLostAmongOtherEvents() throws {
        // The directory above the root is watched only to notice that the root appears or disappears.
        let tree = try TemporaryTree(["root/a": "1"])
        let watch = try watch([tree("root")], quiet: .milliseconds(1))
        for index in 0..<200 {
            try tree.write("beside\(index)")
            watch.reportAll()
            guard reports.next(within: 5)?.wholly == [tree("root")] else {
                Issue.record("the report \(index) has not come")
                break
            }
        }
        withExtendedLifetime(watch) {}
    }

    @Test func writingRenamingOverAndRemovingAreReported() throws {
        let tree = try TemporaryTree(["sub/a": "1"])
        let watch = try watch([tree.path])
        try tree.write("sub/a", "2")
        #expect(reports.next()?.names == [tree("sub"): ["a"]])
        try tree.write("sub/b", "3")
        #expect(reports.next()?.names == [tree("sub"): ["b"]])
        try tree.rename("sub/b", to: "sub/a")
        #expect(reports.next()?.names == [tree("sub"): ["a", "b"]])
        tree.remove("sub/a")
        #expect(reports.next()?.names == [tree("sub"): ["a"]])
        chmod(tree("sub"), 0o700)
        #expect(reports.next()?.names == [tree.path: ["sub"]])
        withExtendedLifetime(watch) {}
    }

    /// As an installer does: the watch of the old directory must not be taken for that of the new one.
    @Test func aDirectoryThatWasExchangedWithAnotherIsWatched() throws {
        let tree = try TemporaryTree(["root/X.bundle/a": "1", "beside/X.bundle/a": "2"])
        let watch = try watch([tree("root")])
        for round in 0..<3 {
            try tree.exchange("root/X.bundle", with: "beside/X.bundle")
            #expect(reports.next()?.names == [tree("root"): ["X.bundle"]], "\(round)")
            try tree.write("root/X.bundle/b\(round)", "3")
            #expect(reports.next()?.names == [tree("root/X.bundle"): ["b\(round)"]], "\(round)")
        }
        withExtendedLifetime(watch) {}
    }

    @Test func aBurstIsOneReport() throws {
        let tree = try TemporaryTree(["sub/": ""])
        let watch = try watch([tree.path], quiet: .milliseconds(500), longest: .seconds(60))
        for index in 0..<200 { try tree.write("sub/\(index)", "x") }
        #expect(reports.next()?.names[tree("sub")]?.count == 200)
        #expect(reports.waiting == 0)
        withExtendedLifetime(watch) {}
    }

    @Test func endlessWritingDoesNotHoldBackTheReport() throws {
        let tree = try TemporaryTree()
        // Longer than the test takes, so only the longest wait can end it.
        let watch = try watch([tree.path], quiet: .seconds(600), longest: .milliseconds(200))
        try tree.write("a", "x")
        #expect(reports.next()?.names == [tree.path: ["a"]])
        withExtendedLifetime(watch) {}
    }

    @Test func aFileThatIsStillBeingWrittenIsWaitedFor() throws {
        let tree = try TemporaryTree()
        let watch = try watch([tree.path], quiet: .milliseconds(1), longest: .seconds(600))
        let descriptor = open(tree("lib.so"), O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        try tree.write("other", "x")
        // Meanwhile the quiet period has passed many times.
        usleep(150_000)
        #expect(reports.waiting == 0)
        close(descriptor)
        #expect(reports.next()?.names == [tree.path: ["lib.so", "other"]])
        withExtendedLifetime(watch) {}
    }

    @Test func directoriesThatAreAddedLaterAreWatchedToo() throws {
        let tree = try TemporaryTree()
        let watch = try watch([tree.path])
        try tree.write("new/deep/a", "1")
        _ = try #require(reports.first { $0.names[tree.path]?.contains("new") ?? false })
        try tree.write("new/deep/a", "2")
        _ = try #require(reports.first { $0.names[tree("new/deep")]?.contains("a") ?? false })
        // After the move it is another directory.
        try tree.rename("new", to: "other")
        _ = try #require(reports.first { $0.names[tree.path]?.contains("other") ?? false })
        try tree.write("other/deep/a", "3")
        _ = try #require(reports.first { $0.names == [tree("other/deep"): ["a"]] })
        withExtendedLifetime(watch) {}
    }

    @Test func onlyWantedDirectoriesOfARootAreEntered() throws {
        let tree = try TemporaryTree(["A.bundle/x": "", "heap/x": "", "A.bundle/heap/x": ""])
        let watch = try watch([tree.path], enters: { $0.hasSuffix(".bundle") })
        try tree.write("heap/x", "1")
        try tree.write("A.bundle/heap/x", "1")
        #expect(reports.next()?.names == [tree("A.bundle/heap"): ["x"]])
        withExtendedLifetime(watch) {}
    }

    @Test func aRootThatDoesNotExistYetIsWatchedFromItsMaking() throws {
        let tree = try TemporaryTree()
        let root = tree("later/still")
        let watch = try watch([root])
        try tree.write("later/still/a", "1")
        _ = try #require(reports.first { $0.wholly.contains(root) })
        try tree.write("later/still/b", "1")
        _ = try #require(reports.first { $0.names[root]?.contains("b") ?? false })
        withExtendedLifetime(watch) {}
    }

    @Test func aRootThatIsRemovedAndMadeAgainIsWatchedAgain() throws {
        let tree = try TemporaryTree(["root/a": "1"])
        let root = tree("root")
        let watch = try watch([root])
        for round in 0..<3 {
            tree.remove("root")
            _ = try #require(reports.first { $0.wholly.contains(root) })
            try tree.write("root/b\(round)", "1")
            _ = try #require(reports.first { $0.wholly.contains(root) })
            try tree.write("root/c", "\(round)")
            _ = try #require(reports.first { $0.names[root]?.contains("c") ?? false })
        }
        withExtendedLifetime(watch) {}
    }

    @Test func aRootBehindALinkThatIsTurnedIsFoundAgain() throws {
        let tree = try TemporaryTree(["one/plugins/a": "1", "two/plugins/a": "2"])
        try tree.link("current", to: "one")
        let root = tree("current/plugins")
        let watch = try watch([root])
        try tree.link("next", to: "two")
        try tree.rename("next", to: "current")
        _ = try #require(reports.first { $0.wholly.contains(root) })
        try tree.write("two/plugins/b", "1")
        _ = try #require(reports.first { $0.names[root]?.contains("b") ?? false })
        withExtendedLifetime(watch) {}
    }

    @Test func theTargetOfALinkInARootIsWatchedUnderTheLinksName() throws {
        let tree = try TemporaryTree(["root/": "", "build/A.bundle/Contents/x": "1"])
        try tree.link("root/A.bundle", to: "../build/A.bundle")
        let watch = try watch([tree("root")])
        try tree.write("build/A.bundle/Contents/x", "2")
        _ = try #require(reports.first { $0.names[tree("root/A.bundle/Contents")]?.contains("x") ?? false })
        // As a build does that cleans first.
        tree.remove("build/A.bundle")
        _ = try #require(reports.first { $0.wholly.contains(tree("root/A.bundle")) })
        try tree.write("build/A.bundle/Contents/x", "3")
        _ = try #require(reports.first { $0.wholly.contains(tree("root/A.bundle")) })
        withExtendedLifetime(watch) {}
    }

    @Test(.fault(827)) func aBundleBehindALinkIsWatchedAfterTheLinkWasReplacedAgainAndAgain() throws {
        let tree = try TemporaryTree(["root/": ""])
        for version in 0..<4 { try tree.write("build/\(version).bundle/Contents/x") }
        try tree.link("root/A.bundle", to: "../build/0.bundle")
        let watch = try watch([tree("root")])
        for version in 1..<4 {
            try tree.link("next", to: "../build/\(version).bundle")
            try tree.rename("next", to: "root/A.bundle")
            _ = try #require(reports.first { $0.wholly.contains(tree("root/A.bundle")) })
            try tree.write("build/\(version).bundle/Contents/x", "new")
            _ = try #require(reports.first { $0.names[tree("root/A.bundle/Contents")]?.contains("x") ?? false })
        }
        // The former targets are not watched any more.
        let before = watch.watchCount
        try tree.write("build/1.bundle/Contents/x", "old")
        tree.remove("root/A.bundle")
        _ = try #require(reports.first { $0.names[tree("root")]?.contains("A.bundle") ?? false })
        #expect(watch.watchCount < before)
        withExtendedLifetime(watch) {}
    }

    @Test(.fault(827)) func everyLinkOfThePathIsFollowed() throws {
        // root -> current/plugins, current -> release, release -> v1; in it A.bundle -> ../../store/A.bundle, store -> s1.
        let tree = try TemporaryTree()
        for version in ["v1", "v2"] {
            try tree.write("\(version)/plugins/here")
            try tree.link("\(version)/plugins/A.bundle", to: "../../store/A.bundle")
        }
        for store in ["s1", "s2"] { try tree.write("\(store)/A.bundle/Contents/x") }
        try tree.link("release", to: "v1")
        try tree.link("current", to: "./release")
        try tree.link("root", to: tree("current/plugins"))
        try tree.link("store", to: "s1")
        let root = tree("root")
        let watch = try watch([root], enters: { $0.hasSuffix(".bundle") })
        try tree.link("next", to: "v2")
        try tree.rename("next", to: "release")
        _ = try #require(reports.first { $0.wholly.contains(root) })
        try tree.link("next", to: "s2")
        try tree.rename("next", to: "store")
        _ = try #require(reports.first { $0.wholly.contains(root + "/A.bundle") })
        try tree.write("s2/A.bundle/Contents/x", "new")
        _ = try #require(reports.first { $0.names[root + "/A.bundle/Contents"]?.contains("x") ?? false })
        try tree.write("v2/plugins/new", "x")
        _ = try #require(reports.first { $0.names[root]?.contains("new") ?? false })
        withExtendedLifetime(watch) {}
    }

    @Test(.fault(827), arguments: [false, true])
    func contentsThatIsALinkIsFollowed(isLinkedBundle: Bool) throws {
        let tree = try TemporaryTree(["root/": "", "one/x": "", "two/x": ""])
        let place = isLinkedBundle ? "elsewhere/A.bundle" : "root/A.bundle"
        try tree.write(place + "/readme")
        if isLinkedBundle { try tree.link("root/A.bundle", to: "../elsewhere/A.bundle") }
        try tree.link(place + "/Contents", to: "../../one")
        let watch = try watch([tree("root")])
        let contents = tree("root/A.bundle/Contents")
        try tree.write("one/x", "new")
        _ = try #require(reports.first { $0.names[contents]?.contains("x") ?? false })
        try tree.link("next", to: "../../two")
        try tree.rename("next", to: place + "/Contents")
        _ = try #require(reports.first { $0.wholly.contains(contents) })
        try tree.write("two/x", "new")
        _ = try #require(reports.first { $0.names[contents]?.contains("x") ?? false })
        withExtendedLifetime(watch) {}
    }

    @Test(.fault(827)) func linksThatLeadInCirclesOrUpwardsEnd() throws {
        let tree = try TemporaryTree(["root/B.bundle/Contents/x": ""])
        try tree.link("root/A.bundle", to: "../loop")
        try tree.link("loop", to: "root/A.bundle")
        try tree.link("root/B.bundle/up", to: "..")
        try tree.link("root/B.bundle/self", to: ".")
        let watch = try watch([tree("root")])
        #expect(watch.watchCount < 40)
        try tree.write("root/B.bundle/Contents/x", "new")
        _ = try #require(reports.first { $0.names[tree("root/B.bundle/Contents")]?.contains("x") ?? false })
        // A target that is made later.
        tree.remove("loop")
        try tree.write("loop/Contents/x")
        _ = try #require(reports.first { $0.wholly.contains(tree("root/A.bundle")) })
        withExtendedLifetime(watch) {}
    }

    @Test func eventsThatTheKernelDroppedMeanThatAnythingMayHaveChanged() throws {
        let tree = try TemporaryTree(["A.bundle/": ""])
        let most = try #require(Inotify.limit("fs.inotify.max_queued_events"))
        try #require(most < 1_000_000)
        let entered = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let isFirst = Atomic(true)
        let watch = try DirectoryWatch(quietPeriod: .milliseconds(20)) { [reports] changes in
            reports.take(changes)
            if isFirst.exchange(false, ordering: .relaxed) {
                entered.signal()
                goOn.wait(until: "the queue is full")
            }
        }
        try watch.add(tree.path)
        try tree.write("first", "x")
        entered.wait(until: "the handler runs")
        // The thread is busy, and the queue overflows. A new directory is made at a time when its event is dropped.
        for index in 0...most {
            let path = tree("f\(index % 1000)")
            close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644))
        }
        try tree.write("late/")
        goOn.signal()
        #expect(reports.first { $0.wholly == [tree.path] } != nil)
        try tree.write("late/a", "x")
        #expect(reports.first { $0.names[tree("late")]?.contains("a") ?? false } != nil)
        withExtendedLifetime(watch) {}
    }

    @Test func twoWatchesOfOneDirectoryBothReport() throws {
        let tree = try TemporaryTree()
        let others = WatchReports()
        let first = try watch([tree.path])
        let second = try DirectoryWatch(quietPeriod: .milliseconds(60)) { others.take($0) }
        try second.add(tree.path)
        try tree.write("a", "x")
        #expect(reports.next()?.names == [tree.path: ["a"]])
        #expect(others.next()?.names == [tree.path: ["a"]])
        first.cancel()
        try tree.write("b", "x")
        #expect(others.next()?.names == [tree.path: ["b"]])
        #expect(reports.waiting == 0)
        withExtendedLifetime(second) {}
    }

    @Test func aThousandDirectoriesAreWatchedByOneDescriptor() throws {
        let tree = try TemporaryTree()
        for index in 0..<1000 { try tree.write("P\(index).bundle/") }
        let watch = try watch([tree.path])
        #expect(watch.watchCount >= 1001)
        try tree.write("P999.bundle/a", "x")
        try tree.write("P0.bundle/a", "x")
        #expect(reports.next()?.names == [tree("P0.bundle"): ["a"], tree("P999.bundle"): ["a"]])
        withExtendedLifetime(watch) {}
    }

    @Test func aRemovedRootIsNotToldOf() throws {
        let tree = try TemporaryTree(["a/": "", "b/": ""])
        let watch = try watch([tree("a"), tree("b")])
        let before = watch.watchCount
        watch.remove(tree("a"))
        #expect(watch.watchCount == before - 1)
        try tree.write("a/x", "1")
        try tree.write("b/x", "1")
        #expect(reports.next()?.names == [tree("b"): ["x"]])
    }
}

/// In processes of their own, because they count the descriptors and threads of the process, fork it, or lower its limits.
@Suite struct DirectoryWatchProcessTests {
    static func entries(_ directory: String) -> Int { DirectoryListing(path: directory).names.count }

    @Test func aWatchThatEndsLeavesNoDescriptorAndNoThread() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            func watchAndEnd(_ cancels: Bool) throws {
                let reports = WatchReports()
                let watch = try DirectoryWatch(quietPeriod: .milliseconds(1)) { reports.take($0) }
                try watch.add(tree.path)
                try tree.write("x", "1")
                precondition(reports.next() != nil)
                if cancels { watch.cancel() }
            }
            try watchAndEnd(true)
            let descriptors = Self.entries("/proc/self/fd")
            for round in 0..<50 { try watchAndEnd(round % 2 == 0) }
            // The threads end soon without help.
            let limit = Wait.ofATest
            while Self.entries("/proc/self/fd") > descriptors, limit.sleep() {}
            precondition(Self.entries("/proc/self/fd") <= descriptors, "descriptors leak")
            // Threads of the test library start and end; fifty do not.
            precondition(Self.entries("/proc/self/task") < 50, "threads leak")
        }
    }

    @Test func aHandlerMayEndItsWatch() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            let own = Mutex<DirectoryWatch?>(nil)
            let calls = Atomic(0)
            let done = DispatchSemaphore(value: 0)
            let watch = try DirectoryWatch(quietPeriod: .milliseconds(1)) { _ in
                calls.add(1, ordering: .relaxed)
                own.withLock { $0?.cancel() }
                done.signal()
            }
            own.withLock { $0 = watch }
            try watch.add(tree.path)
            try tree.write("a", "1")
            done.wait(until: "the handler has run")
            try tree.write("b", "1")
            usleep(100_000)
            precondition(calls.load(ordering: .relaxed) == 1)
        }
    }

    @Test func aForkedChildDoesNotAffectTheParentsWatch() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            let reports = WatchReports()
            let watch = try DirectoryWatch(quietPeriod: .milliseconds(1)) { reports.take($0) }
            try watch.add(tree.path)
            let refused = ForkedChild.succeeds {
                watch.remove(tree.path)
                watch.cancel()
                do throws(PluginError) {
                    try watch.add(tree.path)
                    return false
                } catch { return error.code == .watchFailed && error.description.contains("forked") }
            }
            precondition(refused)
            try tree.write("a", "1")
            precondition(reports.next()?.names == [tree.path: ["a"]])
        }
    }

    @Test func limitsOfTheKernelAreNamedWithTheirRemedy() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["a/": "", "b/": ""])
            // Limits apply to a user namespace and those inside of it: a child with a namespace of its own may lower them. If
            // the system gives it none, there is nothing to check.
            func isReported(_ limit: String, at number: Int, _ body: () -> PluginError?) -> Bool {
                ForkedChild.succeeds {
                    guard ForkedChild.enterOwnNamespaces() else { return true }
                    let file = open("/proc/sys/user/max_inotify_\(limit)", O_WRONLY)
                    let text = "\(number)"
                    guard file >= 0, write(file, text, text.utf8.count) > 0 else { return true }
                    guard let error = body(), error.code == .watchFailed else { return false }
                    return error.description.contains("“sysctl fs.inotify.max_user_\(limit)=")
                }
            }
            let instances = isReported("instances", at: 0) {
                do throws(PluginError) {
                    _ = try DirectoryWatch { _ in }
                    return nil
                } catch { return error }
            }
            precondition(instances)
            #if !THREAD_SANITIZER
            // The run time of the sanitiser ends a forked child that starts a thread.
            let watches = isReported("watches", at: 3) {
                guard let watch = try? DirectoryWatch(handler: { _ in }) else { return nil }
                do throws(PluginError) {
                    try watch.add(tree.path)
                    return nil
                } catch {
                    // Nothing of it is left.
                    return watch.watchCount == 0 ? error : nil
                }
            }
            precondition(watches)
            #endif
        }
    }

    @Test func aProcessWithoutDescriptorsIsReported() async {
        await #expect(processExitsWith: .success) {
            // None at all: with any other limit, a thread of the test library that closes a file would make room.
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            do throws(PluginError) {
                _ = try DirectoryWatch { _ in }
                preconditionFailure("a watch without descriptors")
            } catch {
                precondition(error.code == .watchFailed)
                precondition(error.description.contains("ulimit -n"), error.description)
            }
        }
    }
}

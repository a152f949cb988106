import BundleReading
import Glibc
import TestSupport
import Testing

@testable import HostBasics
@testable import PluginHost

/// No bundle uses up the user's inotify watches, or ends a watch.
@Suite(.timeLimit(.minutes(2))) struct WatchLimitTests {
    private let reports = WatchReports()

    private func watch(
        _ root: String, _ limits: WatchedTrees.Limits = .init(),
        isBundle: @escaping @Sendable (String) -> Bool = { BundleLayout.hasInfoList(root: $0) }
    ) throws -> DirectoryWatch {
        let watch = try DirectoryWatch(
            quietPeriod: .milliseconds(60), limits: limits, enters: { $0.hasSuffix(".bundle") }, isBundle: isBundle
        ) { [reports] in reports.take($0) }
        try watch.add(root)
        return watch
    }

    @Test(.fault(199)) func aBundleThatLinksToTheRootOfTheSystemTakesFewWatches() throws {
        let tree = try TemporaryTree(["root/Y.bundle/Contents/Info.plist": ""])
        try tree.link("root/X.bundle", to: "/")
        let watch = try watch(tree("root"))
        #expect(watch.watchCount < 200)
        // The others are still watched.
        try tree.write("root/Y.bundle/Contents/Info.plist", "x")
        #expect(reports.first { $0.names[tree("root/Y.bundle/Contents")] == ["Info.plist"] } != nil)
    }

    @Test(.fault(199)) func evenOneThatLooksLikeABundleTakesNoMoreThanItsLimit() throws {
        let tree = try TemporaryTree(["root/Y.bundle/Contents/Info.plist": ""])
        try tree.link("root/X.bundle", to: "/")
        let limits = WatchedTrees.Limits()
        let watch = try watch(tree("root"), limits) { _ in true }
        #expect(watch.watchCount <= limits.bundle + 20)
        // Directories of a living system may also disappear while they are read, which other gaps tell.
        let gap = WatchGap(directory: tree("root/X.bundle"), reason: .bundleIsLarge(limit: limits.bundle))
        _ = try #require(reports.first { $0.gaps.contains(gap) })
        let error = gap.asError
        #expect(error.code == .watchFailed && error.description.contains("\(limits.bundle) directories"))
        try tree.write("root/Y.bundle/Contents/Info.plist", "x")
        #expect(reports.first { $0.names[tree("root/Y.bundle/Contents")] == ["Info.plist"] } != nil)
        // Well below a tenth of the user's limit.
        if let most = Inotify.limit("fs.inotify.max_user_watches") { #expect(limits.total <= most / 10) }
        #expect(limits.total <= 16_384)
    }

    @Test(.fault(199)) func aLinkedDirectoryIsWatchedOnceItBecomesABundle() throws {
        let tree = try TemporaryTree(["root/": "", "build/out/": ""])
        try tree.link("root/X.bundle", to: "../build/out")
        let watch = try watch(tree("root"))
        try tree.write("build/out/Contents/Info.plist", "x")
        _ = try #require(reports.first { $0.wholly.contains(tree("root/X.bundle")) })
        try tree.write("build/out/Contents/Resources/deep/a", "x")
        _ = try #require(
            reports.first { report in
                report.names.keys.contains { $0.hasPrefix(tree("root/X.bundle/Contents")) }
            })
        usleep(200_000)
        try tree.write("build/out/Contents/Resources/deep/b", "x")
        #expect(reports.first { $0.names[tree("root/X.bundle/Contents/Resources/deep")] == ["b"] } != nil)
        withExtendedLifetime(watch) {}
    }

    @Test(.fault(258)) func beyondTheLimitOfABundleTheWatchContinuesAndSaysSo() throws {
        let tree = try TemporaryTree(["root/B.bundle/Contents/x": ""])
        for number in 0..<20 { try tree.write("root/A.bundle/Contents/Resources/\(number)/deep/x") }
        var limits = WatchedTrees.Limits()
        limits.bundle = 8
        let watch = try watch(tree("root"), limits)
        let gaps = reports.first { !$0.gaps.isEmpty }?.gaps
        #expect(gaps == [WatchGap(directory: tree("root/A.bundle"), reason: .bundleIsLarge(limit: 8))])
        // The upper directories go first, and the other bundle has its own number.
        try tree.write("root/A.bundle/Contents/Info.plist", "x")
        #expect(reports.first { $0.names[tree("root/A.bundle/Contents")] == ["Info.plist"] } != nil)
        try tree.write("root/B.bundle/Contents/x", "1")
        #expect(reports.first { $0.names[tree("root/B.bundle/Contents")] == ["x"] } != nil)
        // Reported once.
        try tree.write("root/A.bundle/Contents/More/x", "1")
        #expect(reports.next()?.gaps == [])
        // With room again, new directories are watched.
        tree.remove("root/A.bundle/Contents/Resources")
        usleep(300_000)
        try tree.write("root/A.bundle/Contents/Later/x", "1")
        usleep(300_000)
        try tree.write("root/A.bundle/Contents/Later/y", "1")
        #expect(reports.first { $0.names[tree("root/A.bundle/Contents/Later")]?.contains("y") ?? false } != nil)
        withExtendedLifetime(watch) {}
    }

    @Test(.fault(258)) func beyondTheLimitOfAllTheWatchContinuesAndSaysSo() throws {
        let tree = try TemporaryTree()
        for number in 10..<50 { try tree.write("root/P\(number).bundle/Contents/x") }
        let watch = try watch(tree("root"), WatchedTrees.Limits(total: 30))
        #expect(watch.watchCount <= 30)
        let error = try #require(reports.first { !$0.gaps.isEmpty }?.gaps.first?.asError)
        #expect(error.description.contains("30 directories") && error.description.contains("max_user_watches"))
        // Bundles that come and go are still noticed.
        try tree.write("root/New.bundle/")
        #expect(reports.first { $0.names[tree("root")]?.contains("New.bundle") ?? false } != nil)
    }

    @Test(.fault(258)) func aTreeThatIsTooDeepIsWatchedAsFarAsTheLimit() throws {
        let tree = try TemporaryTree(["root/A.bundle/" + String(repeating: "d/", count: 40): ""])
        let watch = try watch(tree("root"))
        #expect(reports.first { !$0.gaps.isEmpty }?.gaps.first?.reason == .deep(limit: 32))
        #expect(watch.watchCount < 50)
    }

    @Test(.fault(264)) func aDirectoryThatCannotBeReadOnceIsReadLaterAndReported() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["root/A.bundle/Contents/Resources/x": ""])
            let reports = WatchReports()
            let watch = try DirectoryWatch(quietPeriod: .milliseconds(10)) { reports.take($0) }
            FailingCalls.fail("open", "A.bundle/Contents", EMFILE)
            try watch.add(tree("root"))
            precondition(FailingCalls.left == 0)
            let gap = reports.first { !$0.gaps.isEmpty }?.gaps.first
            precondition(gap?.directory == tree("root/A.bundle/Contents"))
            precondition(gap?.asError.description.contains("ulimit -n") == true)
            // It is tried again automatically, and anything may have changed there meanwhile.
            precondition(reports.first { $0.wholly.contains(tree("root/A.bundle/Contents")) } != nil)
            try tree.write("root/A.bundle/Contents/Resources/x", "1")
            precondition(reports.first { $0.names[tree("root/A.bundle/Contents/Resources")] == ["x"] } != nil)
        }
    }
}

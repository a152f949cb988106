import Fixtures
import Foundation
import PluginHost
import Testing

/// Faults 146 to 156: many threads, re-entrance, circles, fork. Run under the thread sanitiser by `make tsan` (156).
@Suite struct ConcurrentLoading {
    @Test func fault146_aThousandThreadsLoadOneBundleWithOneEntryCallAndOneNotification() throws {
        let path = try BundleFixture("ManyThreads", code: .c(Source.good + "/* 146 */")).path
        let seen = Locked(0)
        let observer = NotificationCenter.default.addObserver(
            forName: PluginBundle.didLoadNotification, object: nil, queue: nil
        ) { note in
            if (note.object as? PluginBundle)?.bundlePath == path { seen.withLock { $0 += 1 } }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let loaded = Locked(0)
        onThreads(1000) { _ in
            if PluginBundle(path: path)?.load() == true { loaded.withLock { $0 += 1 } }
        }
        #expect(loaded.withLock { $0 } == 1000)
        #expect(seen.withLock { $0 } == 1)
        #expect(try PluginBundle.open(path: path).function("entry_calls")().uint64 == 1)
    }

    @Test func fault146_aThousandThreadsGetTheSameError() throws {
        let path = try BundleFixture(
            "ManyThreadsFail",
            code: .c("PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { (void)h; return -9; }")
        ).path
        let bundle = try PluginBundle.open(path: path)
        let errors = Locked<Set<PluginError>>([])
        onThreads(1000) { _ in
            do { try bundle.loadAndReturnError() } catch { errors.withLock { _ = $0.insert(error as! PluginError) } }
        }
        #expect(errors.withLock { $0.count } == 1)
        #expect(errors.withLock { $0.first?.code } == .entryFailed)
    }

    @Test func fault147_aThousandThreadsLoadAHundredBundles() throws {
        let first = try BundleFixture("Hundred", code: .c(Source.good + "/* 147 */"))
        let paths = try (0..<100).map { index in
            let fixture = try BundleFixture("Hundred\(index)", code: .file(first.executable))
            return fixture.path
        }
        let loaded = Locked(0)
        onThreads(1000) { index in
            if PluginBundle(path: paths[index % 100])?.load() == true { loaded.withLock { $0 += 1 } }
        }
        #expect(loaded.withLock { $0 } == 1000)
        for path in paths { #expect(try PluginBundle.open(path: path).function("entry_calls")().uint64 == 1) }
    }

    @Test func fault148_loadAndUnloadRaceWithoutASecondEntryCall() throws {
        let bundle = try PluginBundle.open(
            path: BundleFixture("LoadUnloadRace", code: .c(Source.good + "/* 148 */")).path)
        onThreads(16) { index in
            for _ in 0..<500 {
                if index % 2 == 0 { bundle.load() } else { bundle.unload() }
            }
        }
        try bundle.loadAndReturnError()
        #expect(bundle.registrations.map(\.name) == ["Thing", "entry_calls"])
        #expect(try bundle.function("entry_calls")().uint64 == 1)
    }

    @Test func fault149_150_anObserverMayLoadAnotherBundleAndRemoveItself() throws {
        let first = try BundleFixture("Observed", code: .c(Source.good + "/* 149 */")).path
        let second = try BundleFixture("LoadedByObserver", code: .c(Source.good + "/* 149b */")).path
        let token = ObserverToken()
        let calls = Locked(0)
        let observer = NotificationCenter.default.addObserver(
            forName: PluginBundle.didLoadNotification, object: nil, queue: nil
        ) { note in
            guard (note.object as? PluginBundle)?.bundlePath == first else { return }
            calls.withLock { $0 += 1 }
            if let own = token.value { NotificationCenter.default.removeObserver(own) }
            #expect(PluginBundle(path: second)?.load() == true)
        }
        token.value = observer
        let bundle = try PluginBundle.open(path: first)
        try bundle.loadAndReturnError()
        bundle.unload()
        try bundle.loadAndReturnError()
        #expect(calls.withLock { $0 } == 1)
        #expect(PluginBundle(path: second)?.isLoaded == true)
    }

    @Test func fault150_anObserverThatRemovesItselfLeavesTheOthersBe() throws {
        let path = try BundleFixture("ObservedByThree", code: .c(Source.good + "/* 150 */")).path
        let calls = Locked<[String]>([])
        let token = ObserverToken()
        let observers = ["before", "leaving", "after"].map { name in
            let observer = NotificationCenter.default.addObserver(
                forName: PluginBundle.didLoadNotification, object: nil, queue: nil
            ) { note in
                guard (note.object as? PluginBundle)?.bundlePath == path else { return }
                calls.withLock { $0.append(name) }
                if name == "leaving", let own = token.value { NotificationCenter.default.removeObserver(own) }
            }
            if name == "leaving" { token.value = observer }
            return observer
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        let bundle = try PluginBundle.open(path: path)
        try bundle.loadAndReturnError()
        #expect(calls.withLock { $0.sorted() } == ["after", "before", "leaving"])
        bundle.unload()
        try bundle.loadAndReturnError()
        #expect(calls.withLock { $0.sorted() } == ["after", "after", "before", "before", "leaving"])
    }

    // The entries of the fixtures below call these, by their addresses: what they load is told here.
    private static let wanted = Locked<[String: String]>([:])
    private static let errors = Locked<[String: PluginError]>([:])
    private static let meeting = Locked(0)

    private static func load(_ key: String) {
        guard let path = wanted.withLock({ $0[key] }) else { return }
        do {
            try PluginBundle.open(path: path).loadAndReturnError()
        } catch {
            errors.withLock { $0[key] = error as? PluginError }
        }
    }

    @Test func fault152_aBundleThatLoadsItselfInItsEntryGetsAClearErrorAndLoads() throws {
        let path = try BundleFixture("LoadsItself", code: .c(Source.calling { ConcurrentLoading.load("152") })).path
        Self.wanted.withLock { $0["152"] = path }
        try PluginBundle.open(path: path).loadAndReturnError()
        let error = try #require(Self.errors.withLock { $0["152"] })
        #expect(error.code == .loadReentered)
        let message = """
            The bundle “\(path)”: “LoadsItself.bundle” was asked to load while this thread is loading it. Do not load or \
            unload a bundle from its own entry, hooks or constructors; register what it offers instead.
            """
        #expect(error.description == message)
    }

    @Test func fault151_aCircleOnOneThreadIsNamed() throws {
        let a = try BundleFixture("CircleA", code: .c(Source.calling { ConcurrentLoading.load("151a") })).path
        let b = try BundleFixture("CircleB", code: .c(Source.calling { ConcurrentLoading.load("151b") })).path
        Self.wanted.withLock {
            $0["151a"] = b; $0["151b"] = a
        }
        try PluginBundle.open(path: a).loadAndReturnError()
        let error = try #require(Self.errors.withLock { $0["151b"] })
        #expect(error.code == .dependencyCycle)
        let message = """
            The bundle “\(a)”: Bundles wait for one another to load: “CircleA.bundle” needs “CircleB.bundle” needs \
            “CircleA.bundle”. Load one of them lazily, when its offer is first used, and not from an entry or \
            a hook.
            """
        #expect(error.description == message)
        #expect(PluginBundle(path: b)?.isLoaded == true)
    }

    @Test func fault151_aCircleOverTwoThreadsIsNamedAndNobodyHangs() throws {
        // Each entry waits until the other has begun: then each wants the other's bundle.
        let a = try BundleFixture(
            "CrossA",
            code: .c(
                Source.calling {
                    ConcurrentLoading.meet(); ConcurrentLoading.load("cross-a")
                })
        ).path
        let b = try BundleFixture(
            "CrossB",
            code: .c(
                Source.calling {
                    ConcurrentLoading.meet(); ConcurrentLoading.load("cross-b")
                })
        ).path
        Self.wanted.withLock {
            $0["cross-a"] = b; $0["cross-b"] = a
        }
        onThreads(2) { index in PluginBundle(path: index == 0 ? a : b)?.load() }
        #expect(PluginBundle(path: a)?.isLoaded == true)
        #expect(PluginBundle(path: b)?.isLoaded == true)
        let found = Self.errors.withLock { [$0["cross-a"], $0["cross-b"]].compactMap(\.self) }
        // The thread that would have closed the circle got the error; the other waited and went on.
        #expect(found.count == 1)
        #expect(found.first?.code == .dependencyCycle)
        #expect(found.first?.description.contains("CrossA.bundle") == true)
        #expect(found.first?.description.contains("CrossB.bundle") == true)
    }

    private static func meet() {
        meeting.withLock { $0 += 1 }
        while meeting.withLock({ $0 }) < 2 { usleep(100) }
    }

    @Test func anEntryMayLoadAnotherBundle() throws {
        let inner = try BundleFixture("InnerLoad", code: .c(Source.good + "/* inner */")).path
        let outer = try BundleFixture("OuterLoad", code: .c(Source.calling { ConcurrentLoading.load("outer") })).path
        Self.wanted.withLock { $0["outer"] = inner }
        try PluginBundle.open(path: outer).loadAndReturnError()
        #expect(PluginBundle(path: inner)?.isLoaded == true)
        #expect(Self.errors.withLock { $0["outer"] } == nil)
    }

    @Test func fault153_aConstructorMayLoadAnotherBundleAndGetsAnErrorForItsOwn() throws {
        let load: @convention(c) () -> Void = {
            ConcurrentLoading.load("153"); ConcurrentLoading.load("153own")
        }
        let address = UInt(bitPattern: unsafeBitCast(load, to: UnsafeRawPointer.self))
        let source =
            Source.good + "__attribute__((constructor)) static void early(void) { ((void (*)(void))\(address)ul)(); }"
        let path = try BundleFixture("LoadsInConstructor", code: .c(source)).path
        let other = try BundleFixture("LoadedByConstructor", code: .c(Source.good + "/* 153 */")).path
        Self.wanted.withLock {
            $0["153"] = other; $0["153own"] = path
        }
        try PluginBundle.open(path: path).loadAndReturnError()
        #expect(PluginBundle(path: other)?.isLoaded == true)
        #expect(Self.errors.withLock { $0["153own"]?.code } == .loadReentered)
        #expect(Self.errors.withLock { $0["153"] } == nil)
    }

    @Test func fault154_aChildForkedWhileAnotherThreadLoadsGetsAnErrorAndDoesNotHang() async {
        // fork() in a process with many threads is for a process of its own.
        await #expect(processExitsWith: .success) { try ForkedLoad.run() }
    }

    @Test func fault155_scanningADirectoryWhileItsBundlesLoadGivesEveryBundle() throws {
        let folder = Workspace.temporary.appending(path: "scan-155")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for index in 0..<20 {
            let fixture = try BundleFixture("Scanned\(index)", code: .c(Source.good + "/* 155 */"))
            try FileManager.default.moveItem(at: fixture.url, to: folder.appending(path: "Scanned\(index).bundle"))
        }
        let path = folder.path
        let wrong = Locked(0)
        let catalog = PluginCatalog(searchPaths: [path], options: .init(index: .none))
        onThreads(8) { index in
            for round in 0..<20 {
                catalog.refresh()
                let found = catalog.plugins
                guard found.count == 20, (try? catalog.activate(found[(index * 3 + round) % 20].identifier)) != nil
                else {
                    wrong.withLock { $0 += 1 }
                    continue
                }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test func fault161_tenThousandLoadsAndUnloadsLeaveDescriptorsAndMemoryAsTheyWere() async {
        // In a process of its own: what is counted is the process's.
        await #expect(processExitsWith: .success) { try LoadCycles.run() }
    }
}

/// A process that loads and unloads one bundle over and over.
enum LoadCycles {
    static func run() throws {
        let bundle = try PluginBundle.open(path: BundleFixture("Cycled", code: .c(Source.good)).path)
        func cycle(_ count: Int) throws {
            for _ in 0..<count {
                try bundle.loadAndReturnError()
                bundle.unload()
            }
        }
        try cycle(1000)
        let descriptors = try descriptorCount()
        let kilobytes = try residentKilobytes()
        try cycle(10_000)
        let more = (try descriptorCount() - descriptors, try residentKilobytes() - kilobytes)
        // A hundred bytes a cycle would be 1,000 kB.
        guard more.0 <= 0, more.1 < 1000 else {
            throw Tool.Failure(description: "10,000 cycles left \(more.0) descriptors and \(more.1) kB behind")
        }
    }

    private static func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private static func residentKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
    }
}

/// A process that forks while one of its threads loads.
enum ForkedLoad {
    static let entered = DispatchSemaphore(value: 0)

    static func run() throws {
        // Compiled again here: the addresses in the fixture are this process's.
        let path = try BundleFixture(
            "SlowEntry",
            code: .c(
                Source.calling {
                    ForkedLoad.entered.signal(); usleep(500_000)
                })
        ).path
        let bundle = try PluginBundle.open(path: path)
        Thread { bundle.load() }.start()
        entered.wait()
        let child = forkProcess()
        if child == 0 {
            // Only what fork() leaves alone is used here: one load, which must not wait for a thread that is not there.
            let message =
                "The bundle “\(path)”: When this process was forked, another thread was loading it. Load "
                + "before fork(), or call exec() in the child."
            do {
                try bundle.loadAndReturnError()
                _exit(1)
            } catch {
                _exit("\(error)" == message ? 0 : 2)
            }
        }
        var status: Int32 = 0
        for _ in 0..<100 where waitpid(child, &status, WNOHANG) == 0 { usleep(100_000) }
        let exited = status & 0x7F == 0
        guard exited, (status >> 8) & 0xFF == 0 else {
            kill(child, SIGKILL)
            throw Tool.Failure(description: "the child hung or loaded: status \(status)")
        }
    }

    /// fork() is marked unavailable in Swift because of what a child may not do; this child keeps to it.
    private static func forkProcess() -> pid_t {
        typealias Fork = @convention(c) () -> pid_t
        return unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)()
    }
}

/// Written before the first load and read in the observer, which the load calls on the same thread.
private final class ObserverToken: @unchecked Sendable {
    var value: (any NSObjectProtocol)?
}

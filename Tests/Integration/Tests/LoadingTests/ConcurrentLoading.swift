import Fixtures
import Foundation
import PluginHost
import Testing

/// Many threads, re-entrance, circles, fork.
///
/// `make tsan` runs these tests under the thread sanitiser (156).
@Suite(.fault(156), .timeLimit(.minutes(10))) struct ConcurrentLoading {
    /// How many threads are about to load the bundle of fault 146, and how often its entry was called.
    private static let arrived = Locked(0)
    private static let entered = Locked(0)

    /// The function that the entries of fault 146 call: it returns when all threads request the load, so that 999 wait.
    private static func gather() {
        entered.withLock { $0 += 1 }
        waitUntil("all threads ask for the load") { arrived.withLock { $0 } == 1000 }
        // The last one has counted itself and is about to load.
        usleep(100_000)
    }

    @Test(.fault(146)) func aThousandThreadsThatLoadOneBundleGetTheOneOutcomeOfOneEntryCall() async {
        await #expect(processExitsWith: .success) {
            let bundle = try PluginBundle.open(
                path: BundleFixture("ManyThreads", code: .c(Source.calling { ConcurrentLoading.gather() })).path)
            let seen = Locked(0)
            let observer = NotificationCenter.default.addObserver(
                forName: PluginBundle.didLoadNotification, object: nil, queue: nil
            ) { _ in seen.withLock { $0 += 1 } }
            let loaded = Locked(0)
            onThreads(1000) { _ in
                Self.arrived.withLock { $0 += 1 }
                // Every thread for which load() succeeds finds everything that the bundle offers.
                if bundle.load(), bundle.registrations.map(\.name) == ["Thing"] { loaded.withLock { $0 += 1 } }
            }
            NotificationCenter.default.removeObserver(observer)
            try holds(loaded.withLock { $0 } == 1000, "all threads have loaded it")
            try holds(Self.entered.withLock { $0 } == 1, "its entry was called once")
            try holds(seen.withLock { $0 } == 1, "observers were called once")
        }
    }

    @Test(.fault(146)) func aThousandThreadsThatLoadOneBundleGetTheOneErrorOfOneEntryCall() async {
        await #expect(processExitsWith: .success) {
            let source = Source.calling { ConcurrentLoading.gather() }
                .replacing("return host->register_factory(host, &thing);", with: "return -9;")
            let bundle = try PluginBundle.open(path: BundleFixture("ManyThreadsFail", code: .c(source)).path)
            let errors = Locked<[PluginError]>([])
            onThreads(1000) { _ in
                Self.arrived.withLock { $0 += 1 }
                do {
                    try bundle.loadAndReturnError()
                } catch {
                    errors.withLock { $0.append(error as! PluginError) }
                }
            }
            let all = errors.withLock { $0 }
            try holds(all.count == 1000 && Set(all).count == 1, "all threads get one error")
            try holds(all[0].code == .entryFailed, "it is the entry's")
            try holds(Self.entered.withLock { $0 } == 1, "its entry was called once")
            try holds(bundle.registrations.isEmpty, "nothing is offered")
        }
    }

    @Test(.fault(147)) func aThousandThreadsLoadAHundredBundlesByAHundredEntryCalls() async {
        await #expect(processExitsWith: .success) {
            let source = Source.calling { ConcurrentLoading.entered.withLock { $0 += 1 } }
            let code = try BundleFixture("Hundred", code: .c(source)).executable
            let bundles = try (0..<100).map { index in
                try PluginBundle.open(path: BundleFixture("Hundred\(index)", code: .file(code)).path)
            }
            let loads = Locked<[String]>([])
            let observer = NotificationCenter.default.addObserver(
                forName: PluginBundle.didLoadNotification, object: nil, queue: nil
            ) { note in
                if let bundle = note.object as? PluginBundle { loads.withLock { $0.append(bundle.bundlePath) } }
            }
            let loaded = Locked(0)
            onThreads(1000) { index in
                let bundle = bundles[index % 100]
                if bundle.load(), bundle.registrations.map(\.name) == ["Thing"] { loaded.withLock { $0 += 1 } }
            }
            NotificationCenter.default.removeObserver(observer)
            try holds(loaded.withLock { $0 } == 1000, "each thread has loaded its bundle")
            try holds(Self.entered.withLock { $0 } == 100, "there were a hundred calls of entries")
            try holds(loads.withLock { $0.sorted() } == bundles.map(\.bundlePath).sorted(), "each was announced once")
        }
    }

    @Test(.fault(148)) func loadsThatRaceWithUnloadsShowAllThatIsOfferedOrNothing() throws {
        let bundle = try PluginBundle.open(
            path: BundleFixture("LoadUnloadRace", code: .c(Source.good + "/* 148 */")).path)
        let whole = ["Thing", "entry_calls"]
        let wrong = Locked<[String]>([])
        let ended = Locked(0)
        onThreads(16) { index in
            defer { ended.withLock { $0 += 1 } }
            // Twelve threads change it, four read it.
            if index >= 12 {
                waitUntil("twelve threads have changed it") {
                    for _ in 0..<100 {
                        let names = bundle.registrations.map(\.name)
                        if !names.isEmpty, names != whole { wrong.withLock { $0.append("\(names) is offered") } }
                        if case .failed(let error) = bundle.state { wrong.withLock { $0.append("\(error)") } }
                    }
                    return ended.withLock { $0 } >= 12
                }
                return
            }
            for _ in 0..<500 {
                if index % 2 == 0 {
                    do { try bundle.loadAndReturnError() } catch { wrong.withLock { $0.append("\(error)") } }
                } else {
                    do { try bundle.unloadAndReturnError() } catch { wrong.withLock { $0.append("\(error)") } }
                }
            }
        }
        #expect(wrong.withLock { $0 } == [])
        #expect([.active, .deactivated].contains(bundle.state))
        #expect(bundle.registrations.map(\.name) == (bundle.isLoaded ? whole : []))
        try bundle.loadAndReturnError()
        #expect(bundle.registrations.map(\.name) == whole)
        #expect(try bundle.function("entry_calls")().uint64 == 1)
    }

    @Test(.fault(149, 150)) func anObserverMayLoadAnotherBundleAndRemoveItself() throws {
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

    @Test(.fault(150)) func anObserverThatRemovesItselfLeavesTheOthersBe() throws {
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

    // The entries of the fixtures below call these, by their addresses, to find out what to load.
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

    @Test(.fault(152)) func aBundleThatLoadsItselfInItsEntryGetsAClearErrorAndLoads() throws {
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

    @Test(.fault(151)) func aCircleOnOneThreadIsNamed() throws {
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
            “CircleA.bundle”. Load one of them only when it is first needed, and not in an entry or \
            a hook.
            """
        #expect(error.description == message)
        #expect(PluginBundle(path: b)?.isLoaded == true)
    }

    @Test(.fault(151)) func aCircleOverTwoThreadsIsNamedAndNobodyHangs() throws {
        // Each entry waits until the other has begun: then each needs the other's bundle.
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
        // The thread that would have closed the circle got the error; the other waited and continued.
        #expect(found.count == 1)
        #expect(found.first?.code == .dependencyCycle)
        #expect(found.first?.description.contains("CrossA.bundle") == true)
        #expect(found.first?.description.contains("CrossB.bundle") == true)
    }

    private static func meet() {
        meeting.withLock { $0 += 1 }
        waitUntil("both entries run") { meeting.withLock { $0 } >= 2 }
    }

    @Test func anEntryMayLoadAnotherBundle() throws {
        let inner = try BundleFixture("InnerLoad", code: .c(Source.good + "/* inner */")).path
        let outer = try BundleFixture("OuterLoad", code: .c(Source.calling { ConcurrentLoading.load("outer") })).path
        Self.wanted.withLock { $0["outer"] = inner }
        try PluginBundle.open(path: outer).loadAndReturnError()
        #expect(PluginBundle(path: inner)?.isLoaded == true)
        #expect(Self.errors.withLock { $0["outer"] } == nil)
    }

    @Test(.fault(153)) func aConstructorMayLoadAnotherBundleAndGetsAnErrorForItsOwn() throws {
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

    @Test(.fault(154)) func aChildForkedWhileAnotherThreadLoadsGetsAnErrorAndDoesNotHang() async {
        // fork() in a process with many threads needs a process of its own.
        await #expect(processExitsWith: .success) { try ForkedLoad.run() }
    }

    @Test(.fault(155)) func scanningADirectoryWhileItsBundlesLoadGivesEveryBundle() throws {
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

    @Test(.fault(161), arguments: LoadCycles.Kind.allCases)
    func tenThousandLoadsAndUnloadsLeaveDescriptorsAndMemoryAsTheyWere(kind: LoadCycles.Kind) async {
        // In a process of its own, because the counts are those of the process.
        await #expect(processExitsWith: .success) { [kind = kind as LoadCycles.Kind] in try LoadCycles.run(kind) }
    }
}

/// Fails a test's own process.
func holds(_ holds: Bool, _ fact: String) throws {
    if !holds { throw Tool.Failure(description: "It does not hold that \(fact).") }
}

/// A process that forks while one of its threads loads.
enum ForkedLoad {
    static let entered = DispatchSemaphore(value: 0)
    /// Signalled when the child has ended: the load is under way during its whole life.
    static let mayEnd = DispatchSemaphore(value: 0)

    static func run() throws {
        // Compiled again here, because the addresses in the fixture are those of this process.
        let path = try BundleFixture(
            "SlowEntry",
            code: .c(
                Source.calling {
                    ForkedLoad.entered.signal(); waitUntil("the child has ended", ForkedLoad.mayEnd)
                })
        ).path
        let bundle = try PluginBundle.open(path: path)
        let isLoaded = Locked(false)
        let ended = DispatchSemaphore(value: 0)
        Thread {
            isLoaded.withLock { $0 = bundle.load() }
            ended.signal()
        }.start()
        try holds(waitUntil("the entry runs", entered), "the entry runs")
        let child = forkProcess()
        if child == 0 {
            // If it hangs, a signal ends it, which the threads of Swift's tasks block.
            var signals = sigset_t()
            sigemptyset(&signals)
            pthread_sigmask(SIG_SETMASK, &signals, nil)
            alarm(60)
            // This uses only what fork() leaves intact: one load, which must not wait for a thread that no longer exists.
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
        try holds(child > 0 && waitpid(child, &status, 0) == child, "there was a child")
        let state = bundle.state
        mayEnd.signal()
        guard status == 0 else { throw Tool.Failure(description: "the child hung or loaded: status \(status)") }
        try holds(state == .loading, "the bundle was being loaded all the time")
        // The load continues as if nothing had happened.
        try holds(waitUntil("the load has ended", ended), "the load ends")
        try holds(isLoaded.withLock { $0 }, "the bundle is loaded in the parent")
    }

    /// fork() is marked unavailable in Swift because of the limits for a child; this child respects them.
    private static func forkProcess() -> pid_t {
        typealias Fork = @convention(c) () -> pid_t
        return unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)()
    }
}

/// Written before the first load and read in the observer, which the load calls on the same thread.
private final class ObserverToken: @unchecked Sendable {
    var value: (any NSObjectProtocol)?
}

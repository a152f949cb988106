import BundleReading
import CPluginSupport.Shims
import ELFImages
import Foundation
import HostBasics
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@testable import PluginHost
@testable import PluginWorkers

/// Plug-ins in real worker processes; the faults have the numbers of docs/faults.md.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WorkerLoadingTests {
    private func error(_ body: () throws -> Void) -> PluginError? {
        #expect(throws: PluginError.self) { try body() }
    }

    private func process(_ plugin: CrashingPlugin) throws -> Int32 {
        try plugin.bundle.function("process", as: (() -> Int32).self)()
    }

    @Test func functionsRunInAnotherProcess() throws {
        let plugin = try CrashingPlugin()
        #expect(try plugin.bundle.function("add")(.int(40), .int(2)) == .int(42))
        #expect(try plugin.bundle.function("exported")() == .int(7))
        #expect(try plugin.bundle.function("each")(.callback { .int($0[0].int64! * 10) }) == .int(30))
        let number = try process(plugin)
        #expect(number != getpid())
        #expect(PluginWorker.all.filter { $0.processIdentifier == number }.map(\.bundles) == [[plugin.bundle]])
        #expect(try process(plugin) == number)
        plugin.bundle.unload()
    }

    @Test(.enabled(if: OtherUser.canConfine)) func aSandboxedPlugInReachesItsBundleAndNotTheUsersFiles() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.execution = { _ in .sandboxed }
            if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
            let plugin = try CrashingPlugin(execution: "any")
            let opens = try plugin.bundle.function("opens", as: ((String) -> Int32).self)
            #expect(try opens(plugin.bundle.manifestPath) == 1)
            let secret = plugin.directory.appending(path: "secret").path
            try Data("s".utf8).write(to: URL(filePath: secret))
            #expect(try opens(secret) == 0 && opens("/etc/passwd") == 0)
            #expect(try plugin.bundle.function("add")(.int(1), .int(2)) == .int(3))
        }
    }

    @Test func theStepsOfALoadInAWorkerAreReportedOnceAndInOrder() async {
        await #expect(processExitsWith: .success) {
            let thread = pthread_self()
            let steps = Lock<[LoadStep]>([])
            HostEnvironment.current.loadStep = { _, step in
                #expect(pthread_equal(thread, pthread_self()) != 0)
                steps.withLock { $0.append(step) }
            }
            let plugin = try CrashingPlugin()
            try plugin.bundle.loadAndReturnError()
            #expect(steps.withLock(\.self) == [.opening, .entry, .activation, .end])
            let worker = try #require(PluginWorker.all.first)
            worker.kill(.host)
            #expect(worker.waitForEnd() != nil)
            steps.withLock { $0 = [] }
            let sum = try plugin.bundle.function("add")(.int(1), .int(2))
            #expect(sum == .int(3))
            #expect(steps.withLock(\.self) == [.opening, .entry, .activation, .end], "another worker was started")
            steps.withLock { $0 = [] }
            plugin.bundle.unload()
            let broken = try CrashingPlugin(.entry)
            _ = try? broken.bundle.loadAndReturnError()
            #expect(steps.withLock(\.self) == [.opening, .entry, .end])
        }
    }

    @Test(.fault(402)) func aCrashDuringTheLoadIsTheErrorOfTheLoad() throws {
        for (place, phase) in [
            (CrashingPlugin.Place.constructor, WorkerEnd.Phase.open), (.entry, .enter), (.activate, .activate),
        ] {
            let plugin = try CrashingPlugin(place)
            let error = error { try plugin.bundle.loadAndReturnError() }
            #expect(error?.code == .workerEnded && error?.workerEnd?.phase == phase, "\(place)")
            #expect(error?.workerEnd?.cause == .signal(place == .entry ? SIGABRT : SIGSEGV))
            #expect(error?.bundlePath == plugin.bundle.bundlePath && plugin.bundle.loadError?.code == .workerEnded)
        }
    }

    @Test(.fault(403)) func aWorkerThatEndedAfterTheLoadIsReplaced() throws {
        let plugin = try CrashingPlugin()
        let first = try process(plugin)
        let worker = try #require(PluginWorker.all.first { $0.processIdentifier == first })
        #expect(kill(first, SIGKILL) == 0 && worker.waitForEnd() != nil)
        #expect(try process(plugin) != first)
        plugin.bundle.unload()
    }

    @Test(.fault(404), arguments: [(Int64(1), WorkerEnd.Cause.signal(SIGSEGV)), (2, .signal(SIGABRT)), (3, .exit(0))])
    func aCrashInACallIsTheErrorOfTheCallAndTheNextCallHasANewWorker(
        how: Int64, cause: WorkerEnd.Cause
    ) throws {
        let plugin = try CrashingPlugin()
        let first = try process(plugin)
        let worker = try #require(PluginWorker.all.first { $0.processIdentifier == first })
        let error = error { try plugin.bundle.function("die")(.int(how)) }
        #expect(error?.code == .workerEnded && error?.workerEnd?.cause == cause)
        #expect(error?.bundlePath == plugin.bundle.bundlePath)
        #expect(plugin.bundle.isLoaded)
        #expect(try process(plugin) != first)
        // The caller has its error before the kernel has removed the process.
        #expect(worker.waitForEnd() != nil && kill(first, 0) == -1)
        #expect(worker.end?.phase == .call(provider: "", method: "die"), "as events have it")
        plugin.bundle.unload()
    }

    @Test(arguments: [PluginExecution.isolated, .sandboxed])
    func aSignalLeavesTheFunctionsThatWereBeingCalled(execution: PluginExecution) async {
        await #expect(processExitsWith: .success) { [number = execution.rawValue as Int] in
            let execution = try #require(PluginExecution(rawValue: number))
            guard execution == .isolated || OtherUser.canConfine else { return }
            HostEnvironment.current.isolation.execution = { _ in execution }
            if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
            let plugin = try CrashingPlugin(execution: "any")
            for how in [Int64(1), 2] {
                let error = #expect(throws: PluginError.self) { try plugin.bundle.function("die")(.int(how)) }
                let end = try #require(error?.workerEnd)
                let code = try #require(plugin.bundle.executablePath)
                #expect(end.backtrace.count > 3 && end.backtrace.allSatisfy { $0.path.hasPrefix("/") })
                let line = try #require(end.backtraceLines().first { $0.hasSuffix(" in \(code)") })
                #expect(line.hasPrefix("die + "))
                #expect((end.backtrace[0].path == code) == (how == 1), "abort() is a function of the C library")
                #expect(end.output.isEmpty)
            }
        }
    }

    @Test func aChildThatAPluginForksReportsNoCrashOfTheWorker() throws {
        let plugin = try CrashingPlugin()
        let number = try process(plugin)
        let death = try plugin.bundle.function("forks")()
        #expect(death == .int(Int64(SIGSEGV)))
        #expect(try process(plugin) == number)
        plugin.bundle.unload()
    }

    @Test(.fault(405)) func aCrashWhileACallbackIsUnderWayIsTheErrorOfTheCall() throws {
        let plugin = try CrashingPlugin()
        let number = try process(plugin)
        let worker = try #require(PluginWorker.all.first { $0.processIdentifier == number })
        let error = error {
            try plugin.bundle.function("each")(
                .callback { _ in
                    kill(number, SIGKILL)
                    _ = worker.waitForEnd()
                    return .int(1)
                })
        }
        #expect(error?.code == .workerEnded && error?.workerEnd?.cause == .signal(SIGKILL))
        #expect(try plugin.bundle.function("then_die")(.callback { _ in .int(9) }) == .int(9))
        plugin.bundle.unload()
    }

    @Test func errorsOfCallsWithCallbacksNameThePlugIn() async {
        await #expect(processExitsWith: .success) {
            let plugin = try CrashingPlugin()
            let function = try plugin.bundle.function("then_die")
            @Sendable func recurse() throws -> ForeignValue { try function(.callback { _ in try recurse() }) }
            let refused = #expect(throws: PluginError.self) { try recurse() }
            #expect(refused?.code == .callRefused && refused?.bundlePath == plugin.bundle.bundlePath)
            HostEnvironment.current.isolation.callTime = .milliseconds(500)
            let hanging = try CrashingPlugin(name: "Hanging")
            // It hangs after the callback, so that no answer can come before the host looks at the time.
            let late = #expect(throws: PluginError.self) {
                try hanging.bundle.function("then_die")(.callback { _ in .int(4) })
            }
            #expect(late?.code == .callTimedOut && late?.bundlePath == hanging.bundle.bundlePath)
        }
    }

    @Test(.fault(407)) func anUnloadThatHangsEndsTheWorkerAfterTwoSeconds() throws {
        let plugin = try CrashingPlugin(.deactivate)
        let number = try process(plugin)
        let worker = try #require(PluginWorker.all.first { $0.processIdentifier == number })
        let began = ContinuousClock.now
        #expect(plugin.bundle.unload() && plugin.bundle.state == .deactivated)
        let time = ContinuousClock.now - began
        #expect(time > .milliseconds(1_900) && time < .seconds(20))
        #expect(worker.waitForEnd()?.cause == .timeOut(.seconds(2)))
        #expect(try process(plugin) != number, "the next use loads it again")
    }

    @Test func anUnloadedBundleLeavesNoProcess() throws {
        let plugin = try CrashingPlugin()
        let number = try process(plugin)
        let worker = try #require(PluginWorker.all.first { $0.processIdentifier == number })
        #expect(plugin.bundle.unload())
        #expect(worker.waitForEnd() == WorkerEnd(cause: .host, phase: .idle))
        #expect(kill(number, 0) == -1 && errno == ESRCH)
    }

    // MARK: Stopping

    /// A call of the function `waits` on another thread, which has begun when this object is made.
    private final class CallUnderWay: Sendable {
        private let outcome = Lock<Result<ForeignValue, any Error>?>(nil)
        private let ended = DispatchSemaphore(value: 0)

        init(_ plugin: CrashingPlugin, _ worker: PluginWorker, milliseconds: UInt32) throws {
            let waits = try plugin.bundle.function("waits")
            Thread { [self] in
                let result = Result { try waits(.uint(UInt64(milliseconds))) }
                outcome.withLock { $0 = result }
                ended.signal()
            }.start()
            let limit = Wait.ofATest
            while worker.state != .busy(calls: 1), limit.sleep() {}
            #expect(worker.state == .busy(calls: 1))
        }

        /// Waits for its end.
        func get() throws -> ForeignValue? {
            ended.wait(until: "the call has ended")
            return try outcome.withLock { $0 }?.get()
        }
    }

    @Test func aCallUnderWayEndsBeforeTheWorkerStops() async throws {
        let plugin = try CrashingPlugin()
        let number = try process(plugin)
        let worker = try #require(PluginWorker.all.first { $0.processIdentifier == number })
        let call = try CallUnderWay(plugin, worker, milliseconds: 1_500)
        await worker.stop(within: .seconds(120))
        #expect(try call.get() == .int(1))
        #expect(worker.end == WorkerEnd(cause: .host, phase: .idle))
        plugin.bundle.unload()
    }

    @Test func aCallThatTakesLongerThanTheTimeForStoppingEndsWithTheWorker() async throws {
        let plugin = try CrashingPlugin()
        let number = try process(plugin)
        let worker = try #require(PluginWorker.all.first { $0.processIdentifier == number })
        let call = try CallUnderWay(plugin, worker, milliseconds: .max)
        await worker.stop(within: .milliseconds(500))
        let error = #expect(throws: PluginError.self) { try call.get() }
        #expect(error?.code == .workerEnded && error?.workerEnd?.cause == .host)
        plugin.bundle.unload()
    }

    // MARK: Processes

    /// Whether a process has ended, now or soon: it may be a zombie, because nobody waits for it here.
    private static func ends(_ process: Int32) -> Bool {
        let limit = Wait.ofATest
        while let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            text.split(separator: ") ").last?.hasPrefix("Z") != true
        {
            if !limit.sleep() { return false }
        }
        return true
    }

    @Test func anIsolatedPlugInStartsProcessesWhichEndWithItsWorker() throws {
        let plugin = try CrashingPlugin()
        let child = try plugin.bundle.function("starts", as: (() -> Int32).self)()
        #expect(child > 0 && kill(child, 0) == 0)
        plugin.bundle.unload()
        #expect(Self.ends(child))
    }

    /// The number that a process of the worker's namespace has here.
    private static func number(of process: Int32, in worker: PluginWorker) -> Int32? {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
        return numbers.first { number in
            let status = (try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8)) ?? ""
            return status.contains("PPid:\t\(worker.processIdentifier)\n")
                && status.contains("NSpid:\t\(number)\t\(process)\n")
        }
    }

    @Test(.enabled(if: OtherUser.canConfine)) func aSandboxedPlugInStartsNoProcessWithoutThePermission() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.execution = { _ in .sandboxed }
            if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
            let asks = "PHPermissions = { processes = YES; };"
            let denied = try CrashingPlugin(execution: "any", name: "StartsNothing", info: asks)
            let started = try denied.bundle.function("starts", as: (() -> Int32).self)()
            #expect(started == -EPERM || started == -EACCES, "it was not granted")
            denied.bundle.unload()
            // What has no sandbox needs no permission.
            HostEnvironment.current.isolation.execution = { _ in .isolated }
            let child = try denied.bundle.function("starts", as: (() -> Int32).self)()
            #expect(child > 0)
            denied.bundle.unload()
            #expect(Self.ends(child))
        }
    }

    @Test(.enabled(if: OtherUser.canContainProcesses), arguments: [false, true])
    func theProcessesOfASandboxedPlugInEndWithItsWorker(crashes: Bool) async {
        await #expect(processExitsWith: .success) { [crashes] in
            HostEnvironment.current.isolation.execution = { _ in .sandboxed }
            HostEnvironment.current.isolation.grant = { _, asked in asked }
            if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
            let plugin = try CrashingPlugin(execution: "any", info: "PHPermissions = { processes = YES; };")
            let child = try plugin.bundle.function("starts", as: (() -> Int32).self)()
            let own = try plugin.bundle.function("process", as: (() -> Int32).self)()
            #expect(own == 1 && child > 1)
            let worker = try #require(PluginWorker.all.first)
            #expect(worker.confinement.enforced.isSuperset(of: [.files, .systemCalls, .processes]))
            let number = try #require(Self.number(of: child, in: worker))
            if crashes {
                let error = #expect(throws: PluginError.self) { try plugin.bundle.function("die")(.int(2)) }
                #expect(error?.workerEnd?.cause == .signal(SIGABRT), "although the kernel does not end it like that")
            } else {
                plugin.bundle.unload()
            }
            #expect(Self.ends(number))
        }
    }

    @Test(.enabled(if: OtherUser.canContainProcesses))
    func theProcessesOfASandboxedPlugInShareItsLimitOfMemory() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.execution = { _ in .sandboxed }
            HostEnvironment.current.isolation.grant = { _, asked in asked }
            if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
            let plugin = try CrashingPlugin(
                execution: "any", info: "PHPermissions = { processes = YES; }; PHLimits = { memory = 160; };")
            let floods = try plugin.bundle.function("floods")
            let worker = try #require(PluginWorker.all.first)
            #expect(try floods(.uint(50), .uint(0)) == .int(1))
            let tree = try #require(ProcessTree(first: worker.processIdentifier))
            #expect(tree.looks.count == 5 && tree.mostMemory >= 250 << 20, "also the one without a parent")
            #expect(tree.exceedsMemory(50 << 20) && !tree.exceedsMemory(100 << 20), "where each byte counts once")
            #expect(worker.end == nil)
            let error = #expect(throws: PluginError.self) {
                // The worker may end before the first call returns.
                let result = try floods(.uint(0), .uint(50))
                #expect(result == .int(1))
                try plugin.bundle.function("waits")(.uint(60_000))
            }
            #expect(error?.workerEnd?.cause == .limit(.memory))
            #expect(tree.looks.allSatisfy { Self.ends($0.process) })
        }
    }

    // MARK: Descriptors

    @Test func aTurnWithoutItsDescriptorsEndsTheWorker() throws {
        let plugin = try CrashingPlugin()
        let number = try process(plugin)
        let worker = try #require(PluginWorker.all.first { $0.processIdentifier == number })
        let error = error { try plugin.bundle.function("announces")() }
        #expect(error?.code == .callFailed || error?.code == .protocolViolation || error?.code == .workerEnded)
        guard case .violation(let text) = worker.waitForEnd()?.cause else {
            Issue.record("\(String(describing: worker.end)) \(String(describing: error))")
            return
        }
        #expect(text == "A message should come with 1 descriptors, and none came.")
        #expect(try process(plugin) != number)
        plugin.bundle.unload()
    }

    @Test func aWorkerPassesDescriptorsOnlyForACallUnderWay() async throws {
        let fixture = try WorkerFixture()
        let worker = try fixture.start()
        let error = #expect(throws: ControlFault.self) {
            try worker.take(.descriptors(lane: 0, turn: 1), [try RemoteDescriptor(duplicating: STDERR_FILENO)])
        }
        guard case .violation(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text == "descriptors come for turn 1 of lane 0, which is not under way")
        await worker.stop(within: .seconds(10))
    }

    private static let files = Int32(RLIMIT_NOFILE.rawValue)

    private static var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
    }

    /// Loads a bundle with so few free descriptors that it fails, then with one more, until it works.
    private static func loadWithFewDescriptors(_ bundle: PluginBundle) throws -> Set<PluginError.Code> {
        var limit = rlimit()
        getrlimit(Self.files, &limit)
        let before = limit
        defer {
            var before = before
            setrlimit(Self.files, &before)
        }
        let free = dup(0)
        close(free)
        var codes: Set<PluginError.Code> = []
        for room in 0..<100 {
            let count = Self.descriptorCount
            limit.rlim_cur = rlim_t(free) + rlim_t(room)
            setrlimit(Self.files, &limit)
            var error: PluginError?
            do { try bundle.loadAndReturnError() } catch let failure as PluginError { error = failure }
            var all = before
            setrlimit(Self.files, &all)
            guard let error else {
                #expect(room > 0)
                return codes
            }
            codes.insert(error.code)
            #expect(error.isProvisional, "with \(room): \(error)")
            let patience = Wait.ofATest
            // The first start that comes so far leaves the descriptor of the thread that watches workers.
            while !PluginWorker.all.isEmpty || Self.descriptorCount > count + 1, patience.sleep() {}
            #expect(PluginWorker.all.isEmpty && Self.descriptorCount <= count + 1, "with \(room)")
        }
        Issue.record("The bundle could not be loaded with 100 free descriptors.")
        return codes
    }

    @Test(.fault(441)) func aWorkerIsNotStartedWithoutDescriptorsAndALaterLoadWorks() async {
        await #expect(processExitsWith: .success) {
            let plugin = try CrashingPlugin()
            #expect(try Self.loadWithFewDescriptors(plugin.bundle).contains(.workerUnavailable))
            let add = try plugin.bundle.function("add")
            // A call needs none.
            var limit = rlimit()
            getrlimit(Self.files, &limit)
            let free = dup(0)
            close(free)
            limit.rlim_cur = rlim_t(free)
            setrlimit(Self.files, &limit)
            #expect(dup(0) == -1 && errno == EMFILE)
            #expect(try add(.int(1), .int(2)) == .int(3))
        }
    }

    @Test(.fault(441), .enabled(if: OtherUser.canConfine))
    func descriptorsThatAreMissingAreNoFaultOfTheKernelsSandbox() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.execution = { _ in .sandboxed }
            if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
            let plugin = try CrashingPlugin(execution: "any")
            let codes = try Self.loadWithFewDescriptors(plugin.bundle)
            #expect(codes.contains(.workerUnavailable) && !codes.contains(.sandboxUnavailable))
        }
    }

    @Test(.fault(432)) func aGrantThatIsWithdrawnIsGoneFromTheNextWorker() async {
        await #expect(processExitsWith: .success) {
            let granted = Lock(WorkerLimits())
            HostEnvironment.current.isolation.execution = { _ in .isolated }
            HostEnvironment.current.isolation.limits = { _, _ in granted.withLock { $0 } }
            let plugin = try CrashingPlugin(execution: "any")
            let process = try plugin.bundle.function("process", as: (() -> Int32).self)
            let first = try process()
            let old = try #require(PluginWorker.all.first { $0.processIdentifier == first })
            granted.withLock { $0.openFiles = 64 }
            #expect(try process() == first, "a worker that runs keeps what it has")
            kill(first, SIGKILL)
            _ = old.waitForEnd()
            let second = try process()
            let new = try #require(PluginWorker.all.first { $0.processIdentifier == second })
            #expect(old.start.placement.limits.openFiles != 64 && new.start.placement.limits.openFiles == 64)
        }
    }

    /// Two bundles that share a worker.
    private static func group() throws -> (one: CrashingPlugin, two: PluginBundle) {
        HostEnvironment.current.isolation.execution = { _ in .isolated }
        HostEnvironment.current.isolation.group = { _ in "both" }
        let one = try CrashingPlugin(execution: "any", name: "One")
        // In the folder of the first: a group shares one.
        let other = one.directory.appending(path: "Two.bundle")
        try FileManager.default.copyItem(at: one.directory.appending(path: "One.bundle"), to: other)
        try Data("{ CFBundleIdentifier = \"org.example.Two\"; NSExecutable = One; }".utf8)
            .write(to: other.appending(path: "Contents/Info.plist"))
        return (one, try PluginBundle.open(path: other.path))
    }

    @Test(.fault(445)) func onlyThePlugInWhoseCodeRanIsBlamed() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.deaths = 1
            let (one, two) = try Self.group()
            let process = try two.function("process", as: (() -> Int32).self)
            let first = try process()
            let worker = try #require(PluginWorker.all.first { $0.processIdentifier == first })
            // A call of the other plug-in is under way, but its callback runs in the application.
            let each = try two.function("each")
            let isInCallback = DispatchSemaphore(value: 0), goOn = DispatchSemaphore(value: 0)
            let isOver = DispatchSemaphore(value: 0)
            Thread {
                let error = #expect(throws: PluginError.self) {
                    try each(
                        .callback { _ in
                            isInCallback.signal()
                            goOn.wait(until: "the worker has ended")
                            return .int(1)
                        })
                }
                #expect(error?.code == .workerEnded && error?.bundlePath == two.bundlePath)
                isOver.signal()
            }.start()
            isInCallback.wait(until: "the callback runs")
            #expect(throws: PluginError.self) { try one.bundle.function("die")(.int(1)) }
            goOn.signal()
            isOver.wait(until: "the other call has ended")
            #expect(worker.end?.phase == .call(provider: "", method: "die"))
            #expect(worker.values.withLock(\.blame.blamed) == [one.bundle.bundlePath])
            #expect(try process() != first, "it is not blamed")
            let error = #expect(throws: PluginError.self) { try one.bundle.function("process")() }
            #expect(error?.code == .quarantined)
        }
    }

    @Test(.fault(445)) func theDeathOfOneOfAGroupEndsTheOthersAndBothComeBack() async {
        await #expect(processExitsWith: .success) {
            let (one, two) = try Self.group()
            let process = try two.function("process", as: (() -> Int32).self)
            let first = try process()
            #expect(try one.bundle.function("process")() == .int(Int64(first)), "they share a worker")
            let worker = try #require(PluginWorker.all.first { $0.processIdentifier == first })
            let error = #expect(throws: PluginError.self) { try one.bundle.function("die")(.int(1)) }
            #expect(error?.code == .workerEnded && error?.bundlePath == one.bundle.bundlePath)
            #expect(worker.values.withLock(\.blame.blamed) == [one.bundle.bundlePath])
            let second = try process()
            #expect(second != first)
            #expect(try one.bundle.function("process")() == .int(Int64(second)))
        }
    }
}

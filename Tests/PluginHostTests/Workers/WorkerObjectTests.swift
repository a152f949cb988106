import Foundation
import HostBasics
import HostRecords
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@testable import PluginHost
@testable import PluginWorkers

/// Objects in real worker processes; the faults have the numbers of docs/faults.md.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WorkerObjectTests {
    private func worker(of process: Int32) throws -> PluginWorker {
        try #require(PluginWorker.all.first { $0.processIdentifier == process })
    }

    // MARK: The end

    @Test(.fault(406)) func aCrashInAReleaseEndsTheWorkerAndTheNextObjectHasANewOne() throws {
        let plugin = try GadgetPlugin("GadgetOfRelease")
        var gadget: (any Gadget)? = try plugin.make()
        let other = try plugin.make()
        let worker = try worker(of: try #require(try gadget?.process()))
        #expect(try gadget?.perform("abort when it is released") == "abort when it is released")
        gadget = nil
        let end = try #require(worker.waitForEnd())
        #expect(end.cause == .signal(SIGABRT) && end.phase == .idle)
        #expect(worker.values.withLock { $0.blame.blamed } == [plugin.bundle.bundlePath])
        let error = #expect(throws: PluginError.self) { try other.process() }
        #expect(error?.code == .workerEnded && error?.bundlePath == plugin.bundle.bundlePath)
        #expect(try plugin.make().process() != worker.processIdentifier)
        plugin.bundle.unload()
    }

    @Test func aCallOfAnObjectWhoseWorkerHasEndedIsNoReasonToRefuseIt() throws {
        let plugin = try GadgetPlugin("GadgetOfRetries")
        func code(_ gadget: any Gadget) -> PluginError.Code? {
            #expect(throws: PluginError.self) { try gadget.perform("abort") }?.code
        }
        for _ in 1...2 {
            let gadget = try plugin.make()
            // The first ends its worker; the others are not sent.
            for _ in 1...4 { #expect(code(gadget) == .workerEnded) }
        }
        #expect(code(try plugin.make()) == .callRefused, "it has ended two workers")
        plugin.bundle.unload()
    }

    @Test func twoEndsByOneCallCountAsOne() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.deaths = 2
            let plugin = try GadgetPlugin("GadgetOfPoison")
            let file = plugin.directory.appending(path: "state/quarantine").path
            try FileManager.default.createDirectory(
                at: plugin.directory.appending(path: "state"), withIntermediateDirectories: false)
            _ = PluginCatalog(searchPaths: [], options: .init(index: .none, quarantine: file))
            func code(_ text: String) -> PluginError.Code? {
                #expect(throws: PluginError.self) { try plugin.make().perform(text) }?.code
            }
            #expect(code("abort") == .workerEnded)
            #expect(code("abort") == .workerEnded)
            #expect(code("abort") == .callRefused, "another worker was started for it")
            #expect(code("abort again") == .workerEnded)
            #expect(code("abort again") == .quarantined)
            // It is written on another thread.
            let limit = Wait.ofATest
            while Quarantine.at(file).entries.isEmpty, limit.sleep() {}
            #expect(Quarantine.at(file).entries.map(\.count) == [2])
        }
    }

    @Test func twoEndsByOneCallOfAFunctionCountAsOne() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.deaths = 2
            let plugin = try CrashingPlugin()
            let die = try plugin.bundle.function("die", as: ((Int32) -> Int32).self)
            func error(_ how: Int32) -> PluginError? { #expect(throws: PluginError.self) { try die(how) } }
            #expect(error(1)?.code == .workerEnded)
            #expect(error(1)?.code == .workerEnded)
            let refused = error(1)
            #expect(refused?.code == .callRefused && refused?.subject == "die")
            #expect(try die(7) == 7, "other values are no poison")
            #expect(error(2)?.code == .workerEnded)
            #expect(error(3)?.code == .quarantined)
        }
    }

    @Test(.fault(762)) func endsThatAreNotThePluginsDoingDoNotCount() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.deaths = 2
            HostEnvironment.current.isolation.cancelTime = .milliseconds(20)
            let plugin = try CrashingPlugin()
            let waits = try plugin.bundle.function("waits", as: ((UInt32) -> Int32).self)
            let process = try plugin.bundle.function("process", as: (() -> Int32).self)
            func code(_ body: () throws -> Void) -> PluginError.Code? {
                #expect(throws: PluginError.self, performing: body)?.code
            }
            // The caller does not wait any longer, always at the same call.
            for _ in 1...4 {
                #expect(code { try PluginCall.within(.milliseconds(10)) { _ = try waits(600_000) } } == .callTimedOut)
            }
            // Somebody else ends the process, also by a signal that looks like a crash.
            for signal in [SIGKILL, SIGSEGV, SIGTERM, SIGABRT, SIGKILL] {
                let number = try process()
                let worker = try #require(PluginWorker.all.first { $0.processIdentifier == number })
                Thread {
                    while worker.state != .busy(calls: 1) { usleep(1_000) }
                    kill(number, signal)
                }.start()
                #expect(code { _ = try waits(600_000) } == .workerEnded)
                #expect(worker.waitForEnd()?.cause == .signal(signal))
                #expect(worker.values.withLock { $0.life.ended?.origin == .elsewhere && $0.blame.blamed.isEmpty })
            }
            #expect(try waits(1) == 1)
            // Its own crash counts.
            let die = try plugin.bundle.function("die", as: ((Int32) -> Int32).self)
            for how: Int32 in [1, 2] { #expect(code { _ = try die(how) } == .workerEnded) }
            #expect(code { _ = try waits(1) } == .quarantined)
        }
    }

    @Test(.fault(865)) func aLaterCallSaysWhatEndedTheWorkerAndWhoSentTheSignal() throws {
        let plugin = try GadgetPlugin("GadgetOfLaterCalls")
        func error(_ body: () throws -> Void) -> PluginError? { #expect(throws: PluginError.self, performing: body) }
        let name = "“perform(_:)” of the provider “GadgetOfLaterCalls” ran"
        let gadget = try plugin.make()
        let first = try #require(error { _ = try gadget.perform("abort") })
        #expect(first.findings[0].message.contains(name))
        #expect(first.findings[0].remedy.contains("Report this to the author"))
        let later = try #require(error { _ = try gadget.process() })
        #expect(later.findings[0].message.contains(name) && later.workerEnd?.phase == first.workerEnd?.phase)
        // Nothing of the plug-in runs when somebody else ends its process.
        let other = try plugin.make()
        let worker = try worker(of: try other.process())
        kill(worker.processIdentifier, SIGKILL)
        _ = worker.waitForEnd()
        let killed = try #require(error { _ = try other.process() })
        #expect(killed.findings[0].message.contains("SIGKILL while no call was under way"))
        #expect(killed.findings[0].remedy.contains("Another process sent the signal"))
        #expect(!killed.findings[0].remedy.contains("author"))
        plugin.bundle.unload()
    }

    @Test(.fault(868)) func callsThatTakeTooLongCountBeforeTheNextOne() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.deaths = 2
            HostEnvironment.current.isolation.callTime = .milliseconds(400)
            let plugin = try CrashingPlugin()
            let waits = try plugin.bundle.function("waits", as: ((UInt32) -> Int32).self)
            func code() -> PluginError.Code? { #expect(throws: PluginError.self) { try waits(600_000) }?.code }
            // At once: the process may still be ending.
            #expect([code(), code(), code()] == [.callTimedOut, .callTimedOut, .quarantined])
        }
    }

    @Test(.fault(764)) func endsOfWorkersAreKeptOverRunsThatEndAtOnce() async throws {
        let plugin = try CrashingPlugin(name: "CrashingShortly")
        let state = plugin.directory.appending(path: "state/quarantine").path, path = plugin.bundle.bundlePath
        for run in 1...3 {
            // In a call, in a call that takes too long, and in a call again.
            let how: Int32 = run == 2 ? 4 : 1
            await #expect(processExitsWith: .exitCode(7)) {
                [path = path as String, state = state as String, how = how as Int32] in
                HostEnvironment.current.isolation.callTime = .seconds(2)
                _ = PluginCatalog(searchPaths: [], options: .init(index: .none, quarantine: state))
                let die = try PluginBundle.open(path: path).function("die", as: ((Int32) -> Int32).self)
                do { _ = try die(how) } catch { _exit(7) }
            }
            let quarantine = Quarantine.at(state)
            #expect((quarantine.entries + quarantine.suspects).map(\.count) == [run])
            #expect(quarantine.entries.map(\.identifier) == (run < 3 ? [] : ["org.example.CrashingShortly"]))
        }
        #expect(Quarantine.at(state).entries.first?.deaths.allSatisfy { $0.isOfWorker && $0.phase == "call" } == true)
        let left = try FileManager.default.contentsOfDirectory(
            atPath: plugin.directory.appending(path: "state/strikes").path)
        #expect(left.isEmpty, "what was counted is removed")
    }

    @Test(.fault(764)) func anEndInALoadIsKeptTooAndAReplacedPluginHasNone() async throws {
        let plugin = try CrashingPlugin(.entry, name: "CrashingEntry")
        let state = plugin.directory.appending(path: "state/quarantine").path, path = plugin.bundle.bundlePath
        for _ in 1...2 {
            await #expect(processExitsWith: .exitCode(7)) { [path = path as String, state = state as String] in
                _ = PluginCatalog(searchPaths: [], options: .init(index: .none, quarantine: state))
                do { try PluginBundle.open(path: path).loadAndReturnError() } catch { _exit(7) }
            }
        }
        let suspects = Quarantine.at(state).suspects
        #expect(suspects.map(\.count) == [2] && suspects.first?.deaths.last?.phase == "entry")
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String, state = state as String] in
            _ = PluginCatalog(searchPaths: [], options: .init(index: .none, quarantine: state))
            do { try PluginBundle.open(path: path).loadAndReturnError() } catch { _exit(7) }
        }
        let code = path + "/Contents/Linux/CrashingEntry"
        let bytes = try Data(contentsOf: URL(filePath: code))
        try (bytes + [0]).write(to: URL(filePath: code + ".new"))
        #expect(rename(code + ".new", code) == 0)
        #expect(Quarantine.at(state).entries.isEmpty && Quarantine.at(state).suspects.isEmpty)
    }

    @Test(.fault(760)) func ofSeveralCallsNobodyKnowsWhichOneCrashed() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.deaths = 9
            let plugin = try CrashingPlugin()
            let waits = try plugin.bundle.function("waits", as: ((UInt32) -> Int32).self)
            let die = try plugin.bundle.function("die", as: ((Int32) -> Int32).self)
            let process = try plugin.bundle.function("process", as: (() -> Int32).self)
            for _ in 1...3 {
                // So that it is loaded and activated, and the call is the only one.
                let number = try process()
                let worker = try #require(PluginWorker.all.first { $0.processIdentifier == number })
                let other = Task.detached { try waits(60_000) }
                while worker.state != .busy(calls: 1) { usleep(1_000) }
                #expect(throws: PluginError.self) { try die(1) }
                let result = await other.result
                #expect(#expect(throws: PluginError.self) { try result.get() }?.code == .workerEnded)
            }
        }
    }

    @Test func endsInTheActivationAreNotForgiven() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.deaths = 2
            let plugin = try CrashingPlugin(.activate)
            func code() -> PluginError.Code? {
                #expect(throws: PluginError.self) { try plugin.bundle.function("process", as: (() -> Int32).self)() }?
                    .code
            }
            #expect(code() == .workerEnded)
            #expect(code() == .workerEnded)
            #expect(code() == .quarantined)
        }
    }

    // MARK: Idle time

    @Test func aWorkerWithoutUseEndsAndTheNextRequestStartsAnother() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.idleTime = .milliseconds(100)
            let plugin = try GadgetPlugin("GadgetOfIdleTime")
            var gadget: (any Gadget)? = try plugin.make()
            let process = try #require(try gadget?.process())
            let worker = try #require(PluginWorker.all.first { $0.processIdentifier == process })
            // Longer than the time, and than the second between two looks.
            try await Task.sleep(for: .seconds(4))
            #expect(try gadget?.process() == process, "an object keeps it")
            gadget = nil
            #expect(worker.waitForEnd() == WorkerEnd(cause: .host, phase: .idle))
            #expect(plugin.isDeactivated && plugin.bundle.isLoaded)
            #expect(try plugin.make().process() != process)
            // Nobody is to blame, so another end and another start cost no time.
            #expect(worker.values.withLock(\.blame.blamed).isEmpty)
            let functions = try CrashingPlugin()
            let number = try functions.bundle.function("process", as: (() -> Int32).self)
            let first = try number()
            #expect(try #require(PluginWorker.all.first { $0.processIdentifier == first }).waitForEnd()?.cause == .host)
            #expect(try number() != first)
        }
    }

    @Test func withoutAnIdleTimeAWorkerStays() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.idleTime = nil
            let plugin = try GadgetPlugin("GadgetWithoutIdleTime")
            let process = try plugin.make().process()
            try await Task.sleep(for: .seconds(4))
            #expect(try plugin.make().process() == process)
        }
    }

    // MARK: Hot reload

    @Test(.fault(753), .enabled(if: OtherUser.canConfine), arguments: ["isolated", "sandboxed"])
    func aWatchedPlugInOfRootRunsAsAnotherUser(execution: String) async {
        await #expect(processExitsWith: .success) { [execution] in
            if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
            unsetenv("PLUGINHOST_COPIES")
            let closed = try TemporaryTree(["runtime/": ""])
            setenv("XDG_RUNTIME_DIR", closed("runtime"), 1)
            let plugin = try GadgetPlugin("Watched", execution: execution)
            let catalog = PluginCatalog(
                searchPaths: [plugin.directory.path], options: .init(index: .none, requiresProbe: true))
            let events = try catalog.watch()
            let gadgets = try #require(catalog.extension(named: "Watched", of: .gadget))
            #expect(try gadgets.make().process() != getpid())
            withExtendedLifetime((events, closed)) {}
        }
    }

    @Test func aReloadLeavesOldObjectsInTheirWorkerWhichEndsWithTheLast() async throws {
        let plugin = try GadgetPlugin("GadgetOfReloads")
        let catalog = PluginCatalog(searchPaths: [plugin.directory.path], options: .init(index: .none))
        var events = try catalog.watch().makeAsyncIterator()
        let gadgets = try #require(catalog.extension(named: "GadgetOfReloads", of: .gadget))
        var old: (any Gadget)? = try gadgets.make()
        let process = try #require(try old?.process())
        let worker = try worker(of: process)
        try plugin.rebuild()
        var remaining: [GenerationReport]?
        while remaining == nil, let event = await events.next() {
            switch event {
            case .reloaded(_, let generation, let others):
                #expect(generation.number == 2 && generation.state == .active)
                remaining = others
            case .failed(let error): throw error
            case .added, .removed, .changed: continue
            }
        }
        #expect(remaining?.map(\.number) == [1])
        #expect(try old?.process() == process, "the old object lives on")
        let new = try gadgets.make()
        #expect(try new.process() != process)
        #expect(worker.end == nil)
        old = nil
        #expect(worker.waitForEnd() == WorkerEnd(cause: .host, phase: .idle))
        #expect(try new.process() != process && gadgets.make().process() == new.process())
    }

    @Test(arguments: OtherUser.canConfine ? ["isolated", "sandboxed"] : ["isolated"])
    func otherStringsReachAnObjectThatExists(execution: String) async {
        await #expect(processExitsWith: .success) { [execution] in
            if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
            unsetenv("PLUGINHOST_COPIES")
            let plugin = try GadgetPlugin("Strings", execution: execution)
            let table = plugin.bundle.bundlePath + "/Contents/Resources/Localizable.strings"
            try FileManager.default.createDirectory(atPath: Path.parent(table), withIntermediateDirectories: true)
            func write(_ text: String) throws {
                try "language = \"\(text)\";".write(toFile: table, atomically: true, encoding: .utf8)
                chmod(table, 0o644)
            }
            try write("first")
            let catalog = PluginCatalog(searchPaths: [plugin.directory.path], options: .init(index: .none))
            var events = try catalog.watch().makeAsyncIterator()
            let gadget = try #require(catalog.extension(named: "Strings", of: .gadget)).make()
            let process = try gadget.process()
            #expect(try gadget.perform("string") == "first")
            for text in ["second", "third"] {
                try write(text)
                while let event = await events.next() {
                    if case .changed = event { break }
                    if case .failed(let error) = event { throw error }
                }
                // The process takes the news on another thread than calls.
                for _ in 0..<500 where try gadget.perform("string") != text {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(try gadget.perform("string") == text)
            }
            #expect(try gadget.process() == process && process != getpid())
        }
    }

    // MARK: Services

    @Test func aMethodUsesAServiceOfTheApplication() async throws {
        let service = HostEnvironment.provide(.helper, named: "application") { ApplicationGadget() }
        defer { service.withdraw() }
        let plugin = try GadgetPlugin("GadgetOfServices")
        let gadget = try plugin.make()
        #expect(try gadget.perform("a") == "<a>")
        #expect(try await gadget.performLater("b") == "<b>", "in an asynchronous method too")
        #expect(try await gadget.performLater("in order") == "<1><later 2><3>")
        plugin.bundle.unload()
    }

    @Test func aTaskThatOutlivesItsCallMayNotUseAService() async throws {
        let service = HostEnvironment.provide(.helper, named: "application") { ApplicationGadget() }
        defer { service.withdraw() }
        let plugin = try GadgetPlugin("GadgetOfLateTasks")
        var gadget: (any Gadget)? = try plugin.make()
        let worker = try worker(of: try #require(try gadget?.process()))
        #expect(try await gadget?.performLater("later") == "later")
        try await Task.sleep(for: .seconds(2))
        #expect(worker.end == nil, "it is refused, and nothing else happens")
        gadget = nil
        plugin.bundle.unload()
        let output = try #require(worker.waitForEnd()).output
        #expect(output.contains("It got: ") && output.contains("outside of a call"), "\(output)")
    }

    @Test func aServiceInAnotherWorkerIsRefusedWithTheRemedy() throws {
        let helper = try GadgetPlugin("HelperElsewhere")
        try helper.bundle.loadAndReturnError()
        let plugin = try GadgetPlugin("GadgetOfHelpers")
        let gadget = try plugin.make()
        let error = #expect(throws: (any Error).self) { try gadget.perform("c") }
        let text = "\(error as Any)"
        #expect(text.contains("HelperElsewhere") && text.contains("another worker process"), "\(text)")
        #expect(text.contains("IsolationPolicy.group"), "\(text)")
        helper.bundle.unload()
        plugin.bundle.unload()
    }

    @Test func aServiceInTheSameGroupIsUsedInTheirWorker() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.provide(.helper, named: "application", order: 1) { ApplicationGadget() }
            HostEnvironment.current.isolation.execution = { _ in .isolated }
            HostEnvironment.current.isolation.group = { _ in "all" }
            let plugin = try GadgetPlugin("GadgetOfGroups", execution: "any")
            // In the same folder.
            let helper = try GadgetPlugin("HelperOfGroups", execution: "any")
            let path = plugin.directory.appending(path: "HelperOfGroups.bundle").path
            try FileManager.default.copyItem(atPath: helper.bundle.bundlePath, toPath: path)
            let bundle = try PluginBundle.open(path: path)
            try bundle.loadAndReturnError()
            let gadget = try plugin.make()
            #expect(try gadget.perform("d") == "d in \(gadget.process())", "it comes before the application's")
        }
    }
}

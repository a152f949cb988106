import BundleReading
import CSandbox
import Foundation
@_spi(Tools) import HostBasics
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost
@_spi(Tools) @testable import PluginWorkers

/// Worker processes, from their start to their end.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PluginWorkerTests {
    private let fixture: WorkerFixture

    init() throws { fixture = try WorkerFixture() }

    @Test func anIsolatedWorkerStartsAndStops() async throws {
        let worker = try fixture.start()
        #expect(worker.state == .idle)
        #expect(worker.processIdentifier > 0 && worker.processIdentifier != getpid())
        #expect(PluginWorker.all.contains { $0 === worker })
        #expect(worker.confinement.missing[.files] != nil)
        await worker.stop(within: .seconds(10))
        #expect(worker.end == WorkerEnd(cause: .host, phase: .idle))
        #expect(!PluginWorker.all.contains { $0 === worker })
        #expect(kill(worker.processIdentifier, 0) == -1 && errno == ESRCH)
        // A second stop has nothing to wait for.
        await worker.stop(within: .seconds(10))
    }

    @Test(.enabled(if: OtherUser.canConfine)) func aSandboxedWorkerIsConfinedBeforeItIsReady() async throws {
        let worker = try fixture.start(.sandboxed)
        #expect(worker.confinement.enforced.isSuperset(of: [.privileges, .files, .network, .signals, .systemCalls]))
        let status = try String(contentsOfFile: "/proc/\(worker.processIdentifier)/status", encoding: .utf8)
        #expect(status.contains("NoNewPrivs:\t1"))
        #expect(status.contains("Seccomp:\t2"))
        #expect(status.contains("CapEff:\t0000000000000000"))
        await worker.stop(within: .seconds(10))
    }

    @Test func aKilledWorkerIsReportedWithItsSignal() throws {
        let worker = try fixture.start()
        #expect(kill(worker.processIdentifier, SIGSEGV) == 0)
        let end = try #require(worker.waitForEnd())
        #expect(end.cause == .signal(SIGSEGV))
        #expect(end.phase == .idle)
        #expect(end.description == "was ended by the signal SIGSEGV while no call was under way")
        let error = #expect(throws: PluginError.self) { try worker.load(fixture.bundle) }
        #expect(error?.code == .workerEnded)
        #expect(error?.workerEnd == end)
    }

    @Test(.fault(400)) func aWorkerThatDiesBeforeItIsReadyIsAnErrorWithItsOutput() throws {
        var placement = fixture.placement()
        for (text, cause) in [("echo no luck; exit 0", WorkerEnd.Cause.exit(0)), ("kill -6 $$", .signal(SIGABRT))] {
            placement.settings.program = try fixture.program(text)
            let error = #expect(throws: PluginError.self) { try PluginWorker.start(placement, for: fixture.bundle) }
            #expect(error?.code == .workerUnavailable)
            #expect(error?.workerEnd?.cause == cause)
            #expect(error?.workerEnd?.phase == .start)
            #expect(error?.workerEnd?.output == (cause == .exit(0) ? "no luck\n" : ""))
        }
    }

    @Test(.fault(866)) func aLibraryThatTheWorkerProgramLacksIsNamed() throws {
        let library = try ELFFixtures.c("libgone.so", "int gone(void) { return 1; }\n")
        let needy = try ELFFixtures.c(
            "needy", "int gone(void);\nint main(void) { return gone(); }\n",
            ["-L\(Path.parent(library))", "-Wl,--no-as-needed", "-lgone"])
        unlink(library)
        var placement = fixture.placement()
        placement.settings.program = try fixture.program("exec \(needy)")
        let error = try #require(
            #expect(throws: PluginError.self) { try PluginWorker.start(placement, for: fixture.bundle) })
        #expect(error.code == .workerUnavailable && error.subject == "libgone.so")
        #expect(error.findings[0].message.contains("cannot start without the library “libgone.so”"))
        #expect(error.systemMessage?.contains("cannot open shared object file") == true)
        #expect(error.workerEnd?.cause == .exit(127))
    }

    @Test(.fault(866)) func theRemedySaysWhyTheWorkerDoesNotFindTheLibrary() throws {
        let output = "x\nexe: error while loading shared libraries: libA.so.1: cannot open shared object file: None\n"
        let missing = try #require(MissingLibrary(output: output))
        #expect(missing.name == "libA.so.1" && missing.line.hasPrefix("exe: error"))
        #expect(MissingLibrary(output: "no luck\n") == nil)
        let place = "\(fixture.directory.path)/libA.so.1"
        let moved = PluginFinding(missing, known: ["/usr/lib/libB.so", place], user: "nobody")
        #expect(moved.filePath == place && moved.message.contains("no longer there"))
        #expect(moved.remedy.contains("Restart the application"))
        try Data().write(to: URL(filePath: place))
        let closed = PluginFinding(missing, known: [place], user: "nobody")
        #expect(closed.message.contains("the user “nobody”") && closed.remedy.contains("chmod o+x"))
        let unknown = PluginFinding(missing, known: [], user: nil)
        #expect(unknown.filePath == nil && unknown.remedy.contains("install it again"))
    }

    @Test func aWorkerThatDoesNotAnswerIsUnavailableAfterTheStartTime() throws {
        var placement = fixture.placement()
        placement.settings.program = try fixture.program("exec sleep 1000")
        placement.settings.startTime = .milliseconds(300)
        let began = ContinuousClock.now
        let error = #expect(throws: PluginError.self) { try PluginWorker.start(placement, for: fixture.bundle) }
        #expect(error?.code == .workerUnavailable)
        #expect(error?.workerEnd?.cause == .timeOut(.milliseconds(300)))
        #expect(ContinuousClock.now - began < .seconds(10))
    }

    @Test(.fault(401)) func aWorkerThatDiesAfterItIsReadyEndsTheNextRequest() throws {
        let worker = try fixture.start()
        #expect(kill(worker.processIdentifier, SIGSTOP) == 0)
        let asked = DispatchSemaphore(value: 0)
        let bundle = fixture.bundle
        let result = Lock<PluginError?>(nil)
        Thread {
            do throws(PluginError) { _ = try worker.load(bundle) } catch { result.withLock { $0 = error } }
            asked.signal()
        }.start()
        while worker.values.withLock({ $0.questions.pending.isEmpty }) { usleep(1_000) }
        #expect(kill(worker.processIdentifier, SIGKILL) == 0)
        asked.wait(until: "the load has failed")
        #expect(result.withLock(\.self)?.code == .workerEnded)
        #expect(result.withLock(\.self)?.workerEnd?.phase == .open)
        #expect(worker.waitForEnd()?.cause == .signal(SIGKILL))
    }

    @Test func whatAWorkerPrintsIsKept() throws {
        var placement = fixture.placement()
        placement.settings.program = try fixture.program(
            "head -c 200000 /dev/zero | tr '\\0' x; echo; echo 'the end' >&2; exit 3")
        let error = #expect(throws: PluginError.self) { try PluginWorker.start(placement, for: fixture.bundle) }
        let output = try #require(error?.workerEnd?.output)
        #expect(output.utf8.count == WorkerOutput.kept)
        #expect(output.hasSuffix("x\nthe end\n"))
    }

    @Test func whatAPlugInPrintsBeforeItCrashesIsKept() async {
        await #expect(processExitsWith: .success) {
            let plugin = try CrashingPlugin()
            let error = #expect(throws: PluginError.self) { try plugin.bundle.function("prints")() }
            #expect(error?.workerEnd?.output.contains("a line\n") == true)
        }
    }

    @Test func moreOutputThanTheLimitWaitsForTheNextSecond() throws {
        var ends: [Int32] = [-1, -1]
        #expect(phs_worker_make_pipe(&ends) == 0)
        let (pipe, written) = (RemoteDescriptor(adopting: ends[0]), RemoteDescriptor(adopting: ends[1]))
        let line = [UInt8](repeating: 0x78, count: 1_023) + [0x0A]
        for _ in 0..<10 { #expect(write(written.descriptor, line, line.count) == line.count) }
        let output = WorkerOutput(pipe, bundleIdentifier: "org.example.plain", mostPerSecond: 4_096, to: applicationLog)
        let second: UInt64 = 1_000_000_000
        output.read(at: 7 * second)
        #expect(output.text.utf8.count == 4_096)
        #expect(output.pause(at: 7 * second + 1) == 8 * second)
        output.read(at: 7 * second + 2)
        #expect(output.text.utf8.count == 4_096)
        #expect(output.pause(at: 8 * second) == nil)
        output.read(at: 8 * second)
        #expect(output.text.utf8.count == 8_192)
    }

    /// What a function makes the application log.
    private static func logged(_ count: Int, by body: () throws -> Void) rethrows -> [HostLogRecord] {
        let records = Lock<[HostLogRecord]>([])
        HostEnvironment.current.log = { record in records.withLock { $0.append(record) } }
        try body()
        let limit = Wait.ofATest
        while records.withLock(\.count) < count, limit.sleep() {}
        return records.withLock { $0 }
    }

    @Test func aWorkerLogsUnderItsOwnNameAndWithoutControlCharacters() async {
        await #expect(processExitsWith: .success) {
            let fixture = try WorkerFixture()
            let worker = try fixture.start()
            worker.values.withLock { values in
                values.residents.loaded[4] = WorkerResidents.Resident(plugin: .named("org.example.member"))
            }
            let records = try Self.logged(2) {
                try worker.take(.log(.error, bundleIdentifier: "PluginHost", "a\u{1B}[2J\nb"), [])
                try worker.take(.log(.notice, bundleIdentifier: "org.example.member", "ä"), [])
            }
            #expect(records.map(\.bundleIdentifier) == ["org.example.plain", "org.example.member"])
            #expect(records.map(\.message) == ["a\u{1B}[2J\nb".escapedForDisplay, "ä"])
            #expect(!records[0].message.unicodeScalars.contains { $0.value < 0x20 })
            await worker.stop(within: .seconds(10))
        }
    }

    @Test func aStormOfMessagesIsLoggedInPartAndWithOneNumberForTheRest() async {
        await #expect(processExitsWith: .success) {
            let second: UInt64 = 1_000_000_000
            let log = WorkerLog(mostPerSecond: 100, to: applicationLog)
            let records = Self.logged(6) {
                // More bytes than in a second, then in the next one.
                for _ in 1...5 { log.put(String(repeating: "x", count: 60), .notice, of: "b", at: 7 * second) }
                log.put("y", .notice, of: "b", at: 8 * second)
                for _ in 1...3 { log.put(String(repeating: "z", count: 100), .notice, of: "b", at: 8 * second) }
                log.end(of: "b")
                log.end(of: "b")
            }
            let texts = records.map(\.message)
            try #require(texts.count == 6)
            #expect(texts[2] == "3 messages of the plug-in were not logged, because there were too many.")
            #expect(texts[3] == "y" && texts[4].hasPrefix("z"))
            #expect(texts[5] == "2 messages of the plug-in were not logged, because there were too many.")
            // As many as the application takes, whatever their size.
            let isBlocked = DispatchSemaphore(value: 0)
            let count = Lock(0)
            HostEnvironment.current.log = { _ in
                isBlocked.wait(until: "all messages were sent")
                isBlocked.signal()
                count.withLock { $0 += 1 }
            }
            let large = WorkerLog(mostPerSecond: .max, to: applicationLog)
            for number in 0..<500 {
                large.put(String(repeating: "x", count: 60_000), .notice, of: "b", at: UInt64(number) * second)
            }
            large.end(of: "b")
            isBlocked.signal()
            let limit = Wait.ofATest
            while count.withLock({ $0 }) < 126, limit.sleep() {}
            usleep(100_000)
            #expect((100...130).contains(count.withLock { $0 }))
        }
    }

    @Test func aWorkerReportsNoMoreStepsThanLoadsHave() async throws {
        let worker = try fixture.start()
        worker.values.withLock { values in
            values.residents.loaded[4] = WorkerResidents.Resident(plugin: .named("x"))
        }
        #expect(throws: ControlFault.self) { try worker.take(.step(5, .entry), []) }
        for _ in 1...64 { try worker.take(.step(4, .entry), []) }
        #expect(throws: ControlFault.self) { try worker.take(.step(4, .entry), []) }
        worker.values.withLock { $0.residents.loaded = [:] }
        await worker.stop(within: .seconds(10))
    }

    @Test func aCallUnderWayIsNamedByItsProviderAndMethod() {
        func call(isOfMethod: Bool, provider: UInt32, method: UInt32) -> LaneCall {
            LaneCall(
                lane: 0, number: 1, isOfMethod: isOfMethod, bundle: 2, provider: provider, object: 3, method: method,
                isInPlugin: true)
        }
        var values = PluginWorker.Values()
        values.life = .ready(Confinement())
        values.residents.providers[5] = LoadedReport.ReportedProvider(
            number: 5, name: "text", point: "p", pointVersion: 1, order: 0, text: "", methods: ["begin()", "end()"])
        let method = values.phase(call(isOfMethod: true, provider: 5, method: 1))
        #expect(method == .call(provider: "text", method: "end()"))
        #expect(values.phase(call(isOfMethod: false, provider: 5, method: 5)) == .make("text"))
        // A function is called over the worker's own object.
        let desk = call(isOfMethod: true, provider: 0, method: 1)
        #expect(values.phase(desk) == .idle)
        values.residents.functions = [
            7: (bundle: 1, name: "other"), 8: (bundle: 2, name: "add"), 9: (bundle: 3, name: "third"),
        ]
        #expect(values.phase(desk) == .call(provider: "", method: "add"))
        #expect(values.phase(nil) == .idle)
    }

    @Test func aWorkerThatIgnoresTheRequestToStopIsKilled() async throws {
        let worker = try fixture.start()
        #expect(kill(worker.processIdentifier, SIGSTOP) == 0)
        await worker.stop(within: .milliseconds(100))
        #expect(worker.end?.cause == .host)
    }

    @Test(.fault(408, 409)) func anotherProtocolOrBuildIsRefused() throws {
        let worker = try fixture.start()
        for ready in [WorkerReady(version: 99, fingerprint: ""), WorkerReady(fingerprint: "other")] {
            worker.values.withLock { values in
                values.life.acceptance = .unknown
                if !values.life.refusal.isEmpty { values.life.refusal = [] }
                values.questions.pending[.start] = WorkerAnswer.Pending(reply: Reply(), time: .seconds(1), due: .max)
            }
            try worker.take(.ready(ready), [])
            let finding = try #require(worker.values.withLock(\.life.refusal).first)
            #expect(finding.code == .workerUnavailable)
            #expect(finding.remedy.contains("Restart the application"))
        }
        #expect(worker.waitForEnd()?.cause == .host)
    }

    @Test func eventsAreReportedInOrder() async throws {
        let events = PluginWorker.events
        let worker = try fixture.start()
        await worker.stop(within: .seconds(10))
        var kinds: [WorkerEvent.Kind] = []
        for await event in events where event.worker === worker {
            kinds.append(event.kind)
            if kinds.count == 2 { break }
        }
        #expect(kinds == [.started, .ended(try #require(worker.end))])
    }

    @Test func manyStartsLeaveNothingBehind() async {
        // In a process of its own, because the workers of other tests would be counted.
        await #expect(processExitsWith: .success) {
            let fixture = try WorkerFixture()
            let count = ProcessInfo.processInfo.environment["WORKER_STARTS"].flatMap { Int($0) } ?? 50
            var memory = 0
            for number in 0..<count {
                // By then, everything that is made once is made.
                if number == count / 2 { memory = try #require(ProcessLook(process: getpid())).memory }
                let worker = try fixture.start()
                #expect(descriptorsBecome(1, of: "pluginhost-window") && descriptorsBecome(1, of: "pidfd"))
                await worker.stop(within: .seconds(10))
                let isThere = kill(worker.processIdentifier, 0) == 0
                #expect(!isThere)
            }
            #expect(descriptorsBecome(0, of: "pluginhost-window") && descriptorsBecome(0, of: "pidfd"))
            #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD, "no process is left")
            let growth = try #require(ProcessLook(process: getpid())).memory - memory
            #expect(growth < 1 << 20, "the memory grew by \(growth) bytes")
        }
    }
}

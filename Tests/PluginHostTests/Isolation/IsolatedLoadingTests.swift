import Foundation
import HostBasics
@_spi(PluginHost) import PluginABI
import Synchronization
import TestSupport
import Testing

@testable import PluginHost
@testable import PluginWorkers

/// Code that runs in a worker process, as an application uses it; the faults have the numbers of docs/faults.md.
@Suite struct IsolatedLoadingTests {
    /// A bundle whose code runs in pretended workers.
    final class World {
        let tree: TemporaryTree
        let bundle: PluginBundle
        let workers: PretendedWorkers
        let point: ExtensionPoint<any Converter>

        private static let count = Atomic(0)

        init(
            _ base: String, _ change: (inout LoadedReport) -> Void = { _ in }, manifest: String = "",
            confinedTo permissions: PluginPermissions? = nil
        ) throws {
            // Several may exist at a time, and names at a point are unique.
            let name = base + "\(Self.count.add(1, ordering: .relaxed).newValue)"
            tree = try TemporaryTree([
                "\(name).bundle/Contents/Info.plist": """
                { CFBundleIdentifier = "org.example.\(name)"; NSExecutable = \(name); PHExecution = isolated; \(manifest) }
                """,
                "\(name).bundle/Contents/Linux/\(name)": "",
            ])
            bundle = try PluginBundle.open(path: tree("\(name).bundle"))
            point = ExtensionPoint("org.example.\(name)", version: 2, remote: ConverterProxy.interface)
            var report = LoadedReport()
            report.providers = [
                .init(
                    number: 1, name: "text", point: point.name, pointVersion: 2, order: 3, text: "Text",
                    methods: ConverterProxy.interface.methodNames)
            ]
            report.functions = [.init(number: 0, name: "add", signature: "(int32, int32) -> int32")]
            report.classes = ["Reporter"]
            report.classNames = ["Module.Reporter"]
            change(&report)
            workers = PretendedWorkers(report, confinedTo: permissions)
            WorkerSources[bundle.bundlePath] = workers
        }

        deinit { WorkerSources[bundle.bundlePath] = nil }

        func provider() throws -> Provider<any Converter> { try bundle.providers(of: point)[0] }
    }

    private func error(_ body: () throws -> Void) -> PluginError? {
        #expect(throws: PluginError.self) { try body() }
    }

    // MARK: What works as in one process

    @Test func aProviderGivesProxies() throws {
        let world = try World("IsolatedProviders")
        #expect(world.bundle.state == .discovered)
        let provider = try world.provider()
        #expect(world.bundle.isLoaded && world.bundle.state == .active)
        #expect(provider.name == "text" && provider.order == 3 && provider.displayName == "Text")
        let converter = try provider.make()
        #expect(try converter.title == "Grüße" && converter.fileExtension == "txt")
        #expect(world.bundle.liveObjects.map(\.description) == ["1 of the provider “text” at “\(world.point.name)”"])
        #expect(world.workers.all.count == 1 && world.workers.desk.steps == ["activate 7"])
        withExtendedLifetime(converter) {}
    }

    @Test func registrationsAreThoseThatTheWorkerStates() throws {
        let world = try World("IsolatedRegistrations")
        #expect(world.bundle.registrations.isEmpty)
        try world.bundle.loadAndReturnError()
        #expect(
            world.bundle.registrations.map { "\($0.kind.rawValue) \($0.name)" } == [
                "pluginClass Reporter", "provider text", "function add",
            ])
        #expect(world.bundle.classNames == ["Module.Reporter"])
    }

    @Test func observersLearnALoadOnce() async throws {
        let world = try World("IsolatedEvents")
        let path = world.bundle.bundlePath
        var loads = PluginBundle.loads.makeAsyncIterator()
        var changes = PluginBundle.stateChanges.makeAsyncIterator()
        try world.bundle.loadAndReturnError()
        var load = await loads.next()
        while load?.bundle.bundlePath != path { load = await loads.next() }
        #expect(load?.classNames == ["Module.Reporter"])
        var states: [PluginState] = []
        while states.last != .active {
            if let change = await changes.next(), change.bundle.bundlePath == path { states.append(change.state) }
        }
        #expect(states == [.loading, .active])
    }

    @Test func thePlugInsOwnErrorIsTheCause() throws {
        let world = try World("IsolatedFailures") { $0.providers[0].number = 2 }
        let provider = try world.provider()
        let error = error { _ = try provider.make() }
        #expect(error?.code == .instantiationFailed)
        #expect(error?.findings.first?.remedy == "None.")
        #expect(error?.description.contains("The provider 2 does not work.") == true)
    }

    @Test func methodsThrowWhatThePlugInThrows() throws {
        let world = try World("IsolatedErrors")
        let converter = try world.provider().make()
        let failure = #expect(throws: PluginFailure.self) { try converter.begin(Order(name: "none", pieces: [:])) }
        #expect(failure?.code == 7 && failure?.remedy == "Order something.")
        #expect(try converter.total() == 0)
    }

    @Test(.fault(426)) func anErrorOfAnotherTypeComesWithItsTypeAndText() throws {
        let world = try World("IsolatedUnknownErrors")
        let converter = try world.provider().make()
        let error = error { _ = try converter.convert("unknown", progress: RemoteCallback { _ in true }) }
        #expect(error?.code == .callFailed && error?.subject == "convert(_:progress:)")
        #expect(error?.bundlePath == world.bundle.bundlePath)
        #expect(error?.systemMessage?.hasSuffix("Unknown: a reason of the plug-in's own") == true)
        #expect(try converter.title == "Grüße")
    }

    /// The plug-in's error has only the system's words; the author must learn that the sandbox is the cause.
    @Test func aRefusalOfTheSandboxComesWithWhatThePlugInMayReach() throws {
        let granted = try PluginPermissions(items: ["files=/etc/hostname:read"])
        for (permissions, words) in [(granted, "files=/etc/hostname:read"), (PluginPermissions(), "nothing")] {
            let world = try World("SandboxRefusals", confinedTo: permissions)
            let converter = try world.provider().make()
            let refused = error { _ = try converter.convert("refused", progress: RemoteCallback { _ in true }) }
            #expect(refused?.code == .callFailed && refused?.description.contains("/etc/shadow") == true)
            let remedy = refused?.findings[0].remedy ?? ""
            #expect(remedy.contains("PHPermissions") && remedy.hasSuffix("was granted: \(words)."), "\(remedy)")
            // Another error has nothing to do with the sandbox.
            let other = error { _ = try converter.convert("unknown", progress: RemoteCallback { _ in true }) }
            #expect(other?.findings[0].remedy == "")
        }
        let free = try World("FreeRefusals")
        let converter = try free.provider().make()
        let error = error { _ = try converter.convert("refused", progress: RemoteCallback { _ in true }) }
        #expect(error?.findings[0].remedy == "")
    }

    // MARK: What does not cross

    @Test func classesDoNotCross() throws {
        let world = try World("IsolatedClasses", manifest: "NSPrincipalClass = Reporter;")
        #expect(world.bundle.classNamed("Reporter") == nil && world.bundle.principalClass == nil)
        let error = error { _ = try world.bundle.makePrincipal(as: AnyObject.self) }
        #expect(error?.code == .notRemote && error?.subject == "Reporter")
    }

    @Test func aPointWithoutARemoteInterfaceIsRefused() throws {
        let world = try World("IsolatedLocalPoint")
        let local = ExtensionPoint<any Converter>(world.point.name, version: 2)
        let error = error { _ = try world.bundle.providers(of: local) }
        #expect(error?.code == .notRemote && error?.subject == local.name)
        #expect(error?.description.contains("swift package remote-interfaces") == true)
    }

    @Test func aPlugInWhosePointIsNotRemoteIsRefused() throws {
        let world = try World("IsolatedOldPlugin") { $0.providers[0].methods = nil }
        let provider = try world.provider()
        #expect(error { _ = try provider.make() }?.code == .notRemote)
    }

    @Test func theTableOfAFactoryDoesNotCross() throws {
        let world = try World("IsolatedFactory") {
            $0.cProviders = [.init(number: 0, name: "maker", point: "org.example.maker", pointVersion: 1, order: 0)]
        }
        let factory = try #require(try world.bundle.cProviders().first)
        #expect(factory.name == "maker" && factory.extensionPoint == "org.example.maker")
        let error = error { _ = try factory.make() }
        #expect(error?.code == .notRemote && error?.subject == "maker")
    }

    @Test(.fault(425)) func missingMethodsAreAllNamed() throws {
        let world = try World("IsolatedMethods") {
            $0.providers[0].methods = $0.providers[0].methods?.filter { $0 != "open()" && $0 != "title" }
        }
        let provider = try world.provider()
        let error = error { _ = try provider.make() }
        #expect(error?.code == .interfaceMismatch)
        #expect(error?.description.contains("“title”, “open()”") == true)
        #expect(error?.bundlePath == world.bundle.bundlePath)
        #expect(world.workers.last.objects == 1, "only the desk")
    }

    // MARK: The end of a worker

    @Test(.fault(404)) func aCrashInACallIsTheCallersErrorAndTheNextObjectHasANewWorker() throws {
        let world = try World("IsolatedCrash")
        let provider = try world.provider()
        let converter = try provider.make()
        let first = world.workers.last
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { first.crash() }
        let error = error { _ = try converter.convert("endless", progress: RemoteCallback { _ in true }) }
        #expect(error?.code == .workerEnded)
        #expect(
            error?.findings[0].workerEnd
                == WorkerEnd(cause: .signal(11), phase: .call(provider: "text", method: "convert(_:progress:)")))
        #expect(self.error { _ = try converter.total() }?.code == .workerEnded)
        let second = try provider.make()
        #expect(try second.title == "Grüße")
        #expect(self.error { _ = try converter.total() }?.code == .workerEnded, "the old object stays dead")
        #expect(world.workers.all.count == 2 && world.workers.desk.steps == ["activate 7", "activate 7"])
        #expect(first.openUses == 1, "the old object still uses the old worker")
        withExtendedLifetime(converter) {}
    }

    @Test(.fault(403)) func aWorkerThatEndedAfterTheLoadIsReplaced() throws {
        let world = try World("IsolatedEarlyEnd")
        let provider = try world.provider()
        world.workers.last.crash()
        #expect(try provider.make().title == "Grüße")
        #expect(world.workers.all.map(\.openUses) == [0, 1])
    }

    @Test(.fault(402)) func anEndDuringTheLoadIsTheErrorOfTheLoad() throws {
        let world = try World("IsolatedLoadCrash")
        world.workers.fault = PluginError(
            bundlePath: world.bundle.bundlePath, PluginFinding(.workerEnded, message: "The worker ended."))
        #expect(error { try world.bundle.loadAndReturnError() }?.code == .workerEnded)
        #expect(world.workers.last.openUses == 0 && world.bundle.loadError?.code == .workerEnded)
        world.workers.fault = nil
        #expect(try world.provider().make().title == "Grüße")
    }

    @Test func aRestartThatFailsIsTheErrorOfTheRequestAndIsTriedAgain() throws {
        let world = try World("IsolatedRestart")
        let provider = try world.provider()
        world.workers.last.crash()
        world.workers.fault = PluginError(
            bundlePath: world.bundle.bundlePath, PluginFinding(.workerUnavailable, message: "There is none."))
        #expect(error { _ = try provider.make() }?.code == .workerUnavailable)
        world.workers.fault = nil
        #expect(try provider.make().title == "Grüße")
        #expect(world.workers.all.map(\.openUses) == [0, 0, 1])
    }

    @Test func manyThreadsStartOneWorkerAgain() throws {
        let world = try World("IsolatedThreads")
        let provider = try world.provider()
        world.workers.last.crash()
        onThreads(8) { _ in #expect(throws: Never.self) { _ = try provider.make().title } }
        #expect(world.workers.all.count == 2)
    }

    @Test func theSameCallOnTwoThreadsEndsAWorkerOnce() {
        let poison = PoisonCalls()
        let call = PoisonCalls.Call(provider: "p", history: .none)
        let first = NSObject(), second = NSObject()
        #expect(!poison.isNeeded)
        for _ in 1...3 { poison.note(call, in: first) }
        #expect(poison.isNeeded && poison.refusalTime(of: call) == nil)
        poison.note(call, in: second)
        #expect(poison.isNeeded && poison.refusalTime(of: call) != nil)
    }

    @Test(.fault(761)) func aRefusalEndsAfterMinutes() {
        let time = Lock<UInt64>(1_000_000_000_000)
        let poison = PoisonCalls { time.withLock { $0 } }
        let call = PoisonCalls.Call(provider: "p", history: .none)
        let other = PoisonCalls.Call(provider: "p", history: .none.adding("m()", 1))
        func wait(_ seconds: UInt64) { time.withLock { $0 += seconds * 1_000_000_000 } }
        #expect(!poison.note(call, in: NSObject()))
        wait(299)
        #expect(poison.note(call, in: NSObject()))
        #expect(poison.refusalTime(of: call) == .seconds(300) && poison.refusalTime(of: other) == nil)
        wait(200)
        #expect(poison.refusalTime(of: call) == .seconds(100), "asking does not make it longer")
        wait(100)
        #expect(poison.refusalTime(of: call) == nil && !poison.isNeeded)
        #expect(!poison.note(call, in: NSObject()), "the crashes of before count no more")
        // More than it keeps: only old ones make room.
        for number in 0..<1_001 {
            poison.note(.init(provider: "p", history: .none.adding("n()", UInt64(number))), in: NSObject())
        }
        #expect(!poison.note(other, in: NSObject()) && !poison.note(other, in: NSObject()))
        wait(300)
        #expect(!poison.note(other, in: NSObject()) && poison.note(other, in: NSObject()))
    }

    @Test(.fault(760)) func badDocumentsAreNoReasonToRefuseAnotherOne() throws {
        let world = try World("IsolatedDocuments")
        let provider = try world.provider()
        // The document comes in a call before the one that crashes.
        func crash(with document: String) throws -> PluginError.Code? {
            let converter = try provider.make()
            try converter.begin(Order(name: document, pieces: [:]))
            let worker = world.workers.last
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { worker.crash() }
            let code = error { _ = try converter.convert("endless", progress: RemoteCallback { _ in true }) }?.code
            while !worker.hasEnded { usleep(1_000) }
            return code
        }
        for number in 1...4 { #expect(try crash(with: "\(number)") == .workerEnded) }
        // The same one again: its calls are noted since the first crash.
        #expect(try crash(with: "4") == .workerEnded)
        #expect(try crash(with: "4") == .callRefused)
        #expect(try crash(with: "5") == .workerEnded)
    }

    @Test func aCallThatEndedTwoWorkersIsRefused() throws {
        let world = try World("IsolatedPoison")
        let provider = try world.provider()
        let call = { (converter: any Converter, text: String) in
            try converter.convert(text, progress: RemoteCallback { _ in true })
        }
        for _ in 1...2 {
            let converter = try provider.make()
            let worker = world.workers.last
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { worker.crash() }
            #expect(error { _ = try call(converter, "endless") }?.code == .workerEnded)
            // These are not sent any more, so they end nothing.
            for _ in 1...3 { #expect(error { _ = try call(converter, "endless") }?.code == .workerEnded) }
        }
        let converter = try provider.make()
        #expect(error { _ = try call(converter, "endless") }?.code == .callRefused)
        #expect(try call(converter, "other") == "OTHER", "other values are no poison")
        world.bundle.unload()
        world.bundle.load()
        let later = try provider.make()
        let worker = world.workers.last
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { worker.crash() }
        #expect(error { _ = try call(later, "endless") }?.code == .workerEnded, "the code may be other code")
    }

    @Test func aPlugInThatWasReplacedMeanwhileMayNoLongerHaveTheProvider() throws {
        let world = try World("IsolatedReplaced")
        let provider = try world.provider()
        world.workers.last.crash()
        world.workers.report.providers = []
        let error = error { _ = try provider.make() }
        #expect(error?.code == .superseded && error?.subject == "text")
    }

    // MARK: Unload

    @Test(.fault(422)) func objectsOutliveAnUnloadAndTheirWorkerEndsWithTheLast() throws {
        let world = try World("IsolatedUnload")
        let provider = try world.provider()
        var converter: (any Converter)? = try provider.make()
        let first = world.workers.last
        #expect(world.bundle.unload() && world.bundle.state == .deactivated)
        #expect(world.workers.desk.steps == ["activate 7", "deactivate 7"])
        #expect(try converter?.title == "Grüße" && first.openUses == 1)
        #expect(error { _ = try provider.make() }?.code == .workerEnded)
        converter = nil
        #expect(first.openUses == 0 && first.objects == 0)
        try world.bundle.loadAndReturnError()
        #expect(try provider.make().title == "Grüße", "a kept provider works after the next load")
        #expect(world.workers.all.count == 2)
    }

    @Test func anUnloadAfterACrashNeedsNoWorker() throws {
        let world = try World("IsolatedUnloadCrash")
        _ = try world.provider().make()
        world.workers.last.crash()
        #expect(world.bundle.unload())
        #expect(world.workers.all.map(\.openUses) == [0])
        #expect(world.workers.desk.steps == ["activate 7"])
    }

    @Test func namesAreFreeAfterAFailedActivation() throws {
        let world = try World("IsolatedActivation")
        world.workers.desk.activationFailure = PluginError(
            bundlePath: "/elsewhere", PluginFinding(.activationFailed, message: "It cannot be activated."))
        let error = error { try world.bundle.loadAndReturnError() }
        #expect(error?.code == .activationFailed && error?.bundlePath == world.bundle.bundlePath)
        #expect(world.workers.last.openUses == 0)
        #expect(ProviderTable.shared.owners(at: world.point.name).isEmpty)
        world.workers.desk.activationFailure = nil
        #expect(try world.provider().make().title == "Grüße")
    }

    @Test func aNameThatAnotherBundleHasEndsTheWorkerBeforeAnythingIsActivated() throws {
        let world = try World("IsolatedNames")
        let key = Registrations.Key(point: world.point.name, name: "text")
        try ProviderTable.shared.insert([key], of: "/other.bundle")
        #expect(error { try world.bundle.loadAndReturnError() }?.code == .duplicateFactory)
        #expect(world.workers.last.openUses == 0 && world.workers.desk.steps.isEmpty)
        ProviderTable.shared.remove([key], of: "/other.bundle")
        #expect(world.bundle.load())
    }

    // MARK: A worker may state anything

    @Test(arguments: ["", "a\0b", String(repeating: "x", count: 2_000), "text"])
    func namesAreCheckedAsThoseOfAnyRegistration(name: String) throws {
        let world = try World("IsolatedBadNames") {
            $0.providers.append($0.providers[0])
            $0.providers[1].name = name
        }
        let error = error { try world.bundle.loadAndReturnError() }
        #expect(error?.code == (name == "text" ? .duplicateFactory : .registrationInvalid))
        #expect(world.workers.last.openUses == 0)
    }

    @Test func aRegistrationThatInfoPlistDoesNotDeclareIsAnError() throws {
        let world = try World(
            "IsolatedUndeclared",
            manifest: "PHFactories = ({ name = other; extensionPoint = \"org.example.other\"; });")
        #expect(error { try world.bundle.loadAndReturnError() }?.code == .undeclaredRegistration)
        #expect(world.workers.last.openUses == 0)
    }

    @Test func aMessageMayNotClaimWhatOnlyTheHostKnows() throws {
        for code in [PluginError.Code.workerEnded, .quarantined, .callTimedOut] {
            let bytes = try MessageFixture.bytes(of: SentFinding(PluginFinding(code, message: "It ended.")))
            let failure = #expect(throws: RemoteFailure.self) {
                try MessageFixture.value(SentFinding.self, from: bytes)
            }
            #expect(failure?.code == .protocolViolation)
        }
    }
}

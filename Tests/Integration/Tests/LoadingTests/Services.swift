import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// Services that plug-ins offer to one another, and that the application offers to them.
@Suite struct Services {
    private func error(_ body: () throws -> Void) throws -> PluginError {
        try #require(#expect(throws: PluginError.self) { try body() })
    }

    @Test func aServiceIsMadeOnceAndGivenToAllThatAskFromAnyThread() throws {
        let giver = try ServiceFixture.swift("Giver", offers: "org.example.given")
        let taker = try PluginBundle.open(
            path: ServiceFixture.swift("Taker", asks: "org.example.given").path)
        try PluginBundle.open(path: giver.path).loadAndReturnError()
        try taker.loadAndReturnError()
        let answers = Locked<[String]>([])
        onThreads(16) { _ in
            guard let answer = try? ServiceFixture.ask(taker) else { return }
            answers.withLock { $0.append(answer) }
        }
        #expect(answers.withLock { $0 } == Array(repeating: "from org.example.Giver", count: 16))
        #expect(try ServiceFixture.askIfAvailable(taker) == "from org.example.Giver")
        #expect(Hooks.calls(of: giver) == ["Client.activate", "make"])
    }

    @Test func afterAnUnloadTheServiceIsMissingAndAfterTheNextLoadANewOne() throws {
        let giver = try ServiceFixture.swift("GiverOnAndOff", offers: "org.example.on-and-off")
        let taker = try PluginBundle.open(
            path: ServiceFixture.swift("TakerOnAndOff", asks: "org.example.on-and-off").path)
        let bundle = try PluginBundle.open(path: giver.path)
        try bundle.loadAndReturnError()
        _ = try ServiceFixture.ask(taker)
        bundle.unload()
        #expect(try ServiceFixture.askIfAvailable(taker) == nil)
        let missing = try error { _ = try ServiceFixture.ask(taker) }
        #expect(missing.code == .serviceMissing && missing.subject == "org.example.on-and-off")
        #expect(missing.bundlePath == taker.bundlePath)
        try bundle.loadAndReturnError()
        _ = try ServiceFixture.ask(taker)
        #expect(Hooks.calls(of: giver) == ["Client.activate", "make", "Client.activate", "make"])
    }

    @Test func aMissingServiceTellsWhichBundleDeclaresIt() throws {
        let declared: [String: any Sendable] = ["name": "x", "extensionPoint": "org.example.missing"]
        let newer: [String: any Sendable] = ["name": "y", "extensionPoint": "org.example.missing", "version": 2]
        let first = try BundleFixture("CouldOffer", info: ["PHFactories": [declared]], code: .none)
        let second = try BundleFixture("OffersTwo", info: ["PHFactories": [newer]], code: .none)
        let (one, two) = (try PluginBundle.open(path: first.path), try PluginBundle.open(path: second.path))
        let taker = try PluginBundle.open(path: ServiceFixture.swift("Misses", asks: "org.example.missing").path)
        let missing = try error { _ = try ServiceFixture.ask(taker) }
        let message = """
            Neither the application nor a plug-in offers version 1 of the service “org.example.missing”. \
            “\(one.bundlePath)” declares it but is not loaded, “\(two.bundlePath)” declares version 2.
            """
        #expect(missing.findings[0].message == message)
    }

    @Test func anUndeclaredServiceIsRefusedEvenIfItExists() throws {
        HostEnvironment.provide(ExtensionPoint<String>("org.example.undeclared"), named: "host") { "there" }
        let secret = try PluginBundle.open(
            path: ServiceFixture.swift("AsksSecretly", asks: "org.example.undeclared", uses: [:]).path)
        let refused = try error { _ = try ServiceFixture.ask(secret) }
        #expect(refused.code == .serviceUndeclared)
        let message = """
            The bundle “\(secret.bundlePath)”: The plug-in asked for version 1 of the service “org.example.undeclared”, \
            and PHUses does not declare it. Add the extension point with this version to PHUses of Info.plist.
            """
        #expect(refused.description == message)
        #expect(throws: PluginError.self) { try ServiceFixture.askIfAvailable(secret) }
        let other = try PluginBundle.open(
            path: ServiceFixture.swift(
                "AsksForAnother", asks: "org.example.undeclared", uses: ["org.example.undeclared": 2]
            ).path)
        #expect(try error { _ = try ServiceFixture.ask(other) }.description.contains("PHUses declares version 2."))
    }

    @Test func ofSeveralOffersTheLowestOrderIsGivenAndOfEqualOnesTheApplications() throws {
        let point = ExtensionPoint<String>("org.example.ordered")
        let giver = try PluginBundle.open(
            path: ServiceFixture.swift("GivesFifth", offers: point.name, order: 5).path)
        try giver.loadAndReturnError()
        let taker = try PluginBundle.open(path: ServiceFixture.swift("TakesFirst", asks: point.name).path)
        let made = Locked(0)
        let last = HostEnvironment.provide(point, named: "last", order: 6) { "last" }
        #expect(try ServiceFixture.ask(taker) == "from org.example.GivesFifth")
        let equal = HostEnvironment.provide(point, named: "equal", order: 5) {
            made.withLock { $0 += 1 }
            return "equal"
        }
        for _ in 0..<3 { #expect(try ServiceFixture.ask(taker) == "equal") }
        #expect(made.withLock { $0 } == 1)
        equal.withdraw()
        giver.unload()
        #expect(try ServiceFixture.ask(taker) == "last")
        last.withdraw()
        #expect(try ServiceFixture.askIfAvailable(taker) == nil)
    }

    @Test func aServiceOfTheApplicationThatFailsIsTriedAgain() throws {
        let point = ExtensionPoint<String>("org.example.failing")
        let tries = Locked(0)
        HostEnvironment.provide(point, named: "failing") {
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            if number == 1 { throw PluginFailure("The dictionary is locked.", remedy: "Wait.") }
            return "try \(number)"
        }
        let taker = try PluginBundle.open(path: ServiceFixture.swift("TakesFailing", asks: point.name).path)
        let failed = try error { _ = try ServiceFixture.ask(taker) }
        #expect(failed.code == .instantiationFailed)
        #expect(failed.description.contains("failed: The dictionary is locked. Wait."))
        #expect(try ServiceFixture.ask(taker) == "try 2")
    }

    @Test func anotherInterfaceAtTheSamePointIsAnError() throws {
        HostEnvironment.provide(ExtensionPoint<Int>("org.example.number-service"), named: "number") { 3 }
        let taker = try PluginBundle.open(
            path: ServiceFixture.swift("TakesText", asks: "org.example.number-service").path)
        let wrong = try error { _ = try ServiceFixture.ask(taker) }
        #expect(wrong.code == .duplicateABI)
        #expect(wrong.description.contains("“Swift.Int”") && wrong.description.contains("“Swift.String”"))
    }

    // MARK: Circles

    @Test(.fault(151)) func servicesThatNeedOneAnotherAreNamed() throws {
        let a = try PluginBundle.open(
            path: ServiceFixture.swift("ServiceA", offers: "org.example.a", asks: "org.example.b", early: "make").path)
        let b = try PluginBundle.open(
            path: ServiceFixture.swift("ServiceB", offers: "org.example.b", asks: "org.example.a", early: "make").path)
        try a.loadAndReturnError()
        try b.loadAndReturnError()
        let found = try error { _ = try ServiceFixture.ask(a) }
        let circle = try #require(found.findings.first { $0.code == .dependencyCycle })
        let message = """
            Bundles wait for one another to offer services: “ServiceB.bundle” needs “ServiceA.bundle” needs \
            “ServiceB.bundle”.
            """
        #expect(circle.message == message)
        // From two sides at the same time: nobody hangs, and every outcome is that error.
        let others = Locked(0)
        onThreads(8) { index in
            do {
                _ = try ServiceFixture.ask(index % 2 == 0 ? a : b)
                others.withLock { $0 += 1 }
            } catch let error as PluginError {
                if !error.findings.contains(where: { $0.code == .dependencyCycle }) { others.withLock { $0 += 1 } }
            } catch {
                others.withLock { $0 += 1 }
            }
        }
        #expect(others.withLock { $0 } == 0)
    }

    @Test(.fault(152)) func aServiceThatNeedsItselfIsNamed() throws {
        let point = "org.example.own"
        let own = try PluginBundle.open(
            path: ServiceFixture.swift("ServiceOfItself", offers: point, asks: point, early: "make").path)
        let found = try error { _ = try ServiceFixture.ask(own) }
        let message = """
            “ServiceOfItself.bundle” was asked to make the service “org.example.own” while this thread is making its \
            service “org.example.own”.
            """
        #expect(found.findings.contains { $0.code == .dependencyCycle && $0.message == message })
    }

    @Test(.fault(151)) func hooksThatNeedServicesOfOneAnotherAreNamed() throws {
        let first = try ServiceFixture.swift("HookNeedsFirst", offers: "org.example.first")
        let second = try PluginBundle.open(
            path: ServiceFixture.swift("HookNeedsSecond", asks: "org.example.first", early: "activate").path)
        let found = Locked<PluginError?>(nil)
        Hooks.on("Client.activate", of: first) {
            do { try second.loadAndReturnError() } catch { found.withLock { $0 = error as? PluginError } }
            return false
        }
        try PluginBundle.open(path: first.path).loadAndReturnError()
        let error = try #require(found.withLock { $0 })
        #expect(error.code == .activationFailed)
        #expect(error.findings.map(\.code) == [.activationFailed, .dependencyCycle])
        let chain = "“HookNeedsFirst.bundle” needs “HookNeedsSecond.bundle” needs “HookNeedsFirst.bundle”"
        #expect(error.description.contains("Bundles wait for one another to load: \(chain)."))
        // It was only too early.
        try second.loadAndReturnError()
        #expect(second.state == .active)
    }

    // MARK: The C level

    @Test func theCLevelSharesOneInstanceOfTheFirstFactory() throws {
        let giver = """
            #include <stdlib.h>
            typedef struct { plugin_header header; int (*next)(void *); } counter;
            static int next(void *p) { return ++*(int *)p; }
            static const counter functions = {{sizeof functions, 1}, next};
            static plugin_status create(const plugin_factory *f, const plugin_host *h, void **out) {
                (void)f; (void)h; *out = calloc(1, sizeof(int)); return PLUGIN_OK;
            }
            static void release(void *p) { free(p); }
            static const plugin_factory factory = {{sizeof factory, 1}, {"counter", 7}, {"org.example.c-service", 21},
                3, 0, 0, &functions, create, 0, release};
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { return h->register_factory(h, &factory); }
            """
        let taker = """
            typedef struct { plugin_header header; int (*next)(void *); } counter;
            static const plugin_host *kept;
            static int ask(int version) {
                const plugin_services *services = kept->get_extension(kept, PLUGIN_STRING(PLUGIN_SERVICES_ID));
                plugin_service found = {{sizeof found, 1}, 0, 0};
                plugin_status status = services->find_service(kept, PLUGIN_STRING("org.example.c-service"), version, &found);
                return status ? status : ((const counter *)found.functions)->next(found.instance);
            }
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                kept = h;
                plugin_function f = {{sizeof f, 1}, PLUGIN_STRING("ask"), PLUGIN_STRING("(int32) -> int32"), (plugin_code)ask};
                return h->register_function(h, &f);
            }
            """
        let bundle = try PluginBundle.open(
            path: BundleFixture("TakerC", info: ["PHUses": ["org.example.c-service": 3]], code: .c(taker)).path)
        let ask = try bundle.function("ask")
        #expect(try ask(.int(3)).int64 == -7)
        #expect(try ask(.int(2)).int64 == -1)
        let offering = try PluginBundle.open(path: BundleFixture("GiverC", code: .c(giver)).path)
        try offering.loadAndReturnError()
        #expect(try ask(.int(3)).int64 == 1)
        #expect(try ask(.int(3)).int64 == 2)
        #expect(offering.liveObjects.map(\.count) == [1])
        // The host never releases an object that a C client has.
        offering.unload()
        #expect(try ask(.int(3)).int64 == -7)
        #expect(offering.liveObjects.map(\.count) == [1])
    }
}

import Fixtures
import Foundation
import PluginHost
import Testing

/// The hooks `activate` and `deactivate`, and the states of a bundle.
@Suite(.timeLimit(.minutes(10))) struct Lifecycle {
    @Test func hooksRunInTheOrderOfRegistrationAndBackwards() throws {
        let fixture = try Hooks.swift("Ordered")
        let bundle = try PluginBundle.open(path: fixture.path)
        #expect(bundle.state == .discovered)
        for _ in 0..<2 {
            try bundle.loadAndReturnError()
            try bundle.loadAndReturnError()
            #expect(bundle.state == .active)
            #expect(try bundle.unloadAndReturnError())
            #expect(try !bundle.unloadAndReturnError())
            #expect(bundle.state == .deactivated)
        }
        let once = ["First.activate", "Second.activate", "Second.deactivate", "First.deactivate"]
        #expect(Hooks.calls(of: fixture) == once + once)
    }

    @Test func hooksOfTheCLevelRunInTheOrderOfRegistrationAndBackwards() throws {
        let fixture = try Hooks.c("OrderedC")
        let bundle = try PluginBundle.open(path: fixture.path)
        try bundle.loadAndReturnError()
        bundle.unload()
        #expect(
            Hooks.calls(of: fixture) == ["first.activate", "second.activate", "second.deactivate", "first.deactivate"])
    }

    @Test func nothingIsOfferedBeforeActivateHasEndedNorFromDeactivateOn() throws {
        let fixture = try Hooks.c("OfferedWhileActive")
        let bundle = try PluginBundle.open(path: fixture.path)
        let seen = Locked<[PluginState]>([])
        let look: @Sendable () -> Bool = {
            seen.withLock { $0.append(bundle.state) }
            return bundle.isLoaded || !bundle.registrations.isEmpty || bundle.loadError != nil
        }
        Hooks.on("second.activate", of: fixture, look)
        Hooks.on("first.deactivate", of: fixture, look)
        try bundle.loadAndReturnError()
        #expect(bundle.registrations.map(\.name) == ["OfferedWhileActive", "entry_calls"])
        bundle.unload()
        #expect(seen.withLock { $0 } == [.loading, .deactivating])
    }

    @Test func anActivateThatThrowsUndoesThoseBeforeItAndTheNextLoadTriesAgain() throws {
        let fixture = try Hooks.swift("ActivateThrows")
        Hooks.on("Second.activate", of: fixture) { true }
        let error = try loadError(fixture)
        #expect(error.code == .activationFailed)
        #expect(error.subject == "Second")
        let message = """
            The bundle “\(fixture.path)”: Activating the class “Second” failed: The licence has expired. Renew it.
            """
        #expect(error.description == message)
        let bundle = try PluginBundle.open(path: fixture.path)
        #expect(bundle.state == .failed(error))
        #expect(Hooks.calls(of: fixture) == ["First.activate", "Second.activate", "First.deactivate"])
        Hooks.on("Second.activate", of: fixture) { false }
        try bundle.loadAndReturnError()
        #expect(bundle.state == .active)
        #expect(Hooks.calls(of: fixture).suffix(2) == ["First.activate", "Second.activate"])
    }

    @Test func anActivateOfTheCLevelThatFailsTellsItsReasonAndLeavesItsNamesFree() throws {
        let fixture = try Hooks.c("ActivateFailsInC")
        Hooks.on("second.activate", of: fixture) { true }
        let error = try loadError(fixture)
        #expect(error.code == .activationFailed)
        let message = """
            The bundle “\(fixture.path)”: Activating the plug-in failed: The scanner is not connected. Connect it.
            """
        #expect(error.description == message)
        #expect(Hooks.calls(of: fixture) == ["first.activate", "second.activate", "first.deactivate"])
        // The name at the extension point is free.
        let taker =
            Source.factory + """
                FACTORY_AT(two, "ActivateFailsInC", "org.example.hooked");
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { return h->register_factory(h, &two); }
                """
        let other = try PluginBundle.open(path: BundleFixture("TakesItsName", code: .c(taker)).path)
        try other.loadAndReturnError()
        other.unload()
        Hooks.on("second.activate", of: fixture) { false }
        let bundle = try PluginBundle.open(path: fixture.path)
        try bundle.loadAndReturnError()
        #expect(try bundle.function("entry_calls")().uint64 == 1)
    }

    @Test func anActivateOfTheCLevelThatFailsWithoutAReasonIsReportedWithItsStatus() throws {
        let fixture = try Hooks.c("ActivateFailsSilently")
        Hooks.on("first.activate", of: fixture) { true }
        let error = try loadError(fixture)
        #expect(error.description.hasSuffix("Activating the plug-in failed: it returned -1 and gave no reason."))
        #expect(Hooks.calls(of: fixture) == ["first.activate"])
    }

    @Test func aNameThatIsTakenIsToldBeforeAnyHookRuns() throws {
        let owner =
            Source.factory + """
                FACTORY_AT(one, "NameTaken", "org.example.hooked");
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { return h->register_factory(h, &one); }
                """
        try PluginBundle.open(path: BundleFixture("NameOwner", code: .c(owner)).path).loadAndReturnError()
        let fixture = try Hooks.c("NameTaken")
        #expect(try loadError(fixture).code == .duplicateFactory)
        #expect(Hooks.calls(of: fixture).isEmpty)
    }

    @Test func hooksThatAreTooShortAreRefused() throws {
        let source =
            Source.factory + """
                FACTORY(one, "One");
                static const plugin_hooks hooks = {{16, 1}, 0, 0, 0};
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                    const plugin_lifecycle *lifecycle = h->get_extension(h, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
                    if (lifecycle->register_hooks(h, &hooks) != PLUGIN_INVALID_ARGUMENT) return PLUGIN_FAILED;
                    lifecycle->register_hooks(h, 0);
                    return h->register_factory(h, &one);
                }
                """
        let error = try loadError(BundleFixture("ShortHooks", code: .c(source)))
        #expect(error.code == .registrationInvalid)
        #expect(error.findings.count == 2)
    }

    @Test func aPluginOfHooksAloneIsActive() throws {
        let source = """
            static const plugin_hooks hooks = {{sizeof hooks, 1}, 0, 0, 0};
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                const plugin_lifecycle *lifecycle = h->get_extension(h, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
                return lifecycle->register_hooks(h, &hooks);
            }
            """
        let bundle = try PluginBundle.open(path: BundleFixture("HooksAlone", code: .c(source)).path)
        try bundle.loadAndReturnError()
        #expect(bundle.state == .active)
    }

    // MARK: What hooks load

    @Test(.fault(152)) func aHookThatLoadsOrUnloadsItsOwnBundleGetsAClearError() throws {
        let fixture = try Hooks.swift("HookOnItself")
        let bundle = try PluginBundle.open(path: fixture.path)
        let messages = Locked<[String]>([])
        let act: @Sendable () -> Bool = {
            for work in [{ try bundle.loadAndReturnError() }, { _ = try bundle.unloadAndReturnError() }] {
                do {
                    try work()
                } catch {
                    let error = error as! PluginError
                    messages.withLock { $0.append("\(error.code): \(error.findings[0].message)") }
                }
            }
            return false
        }
        Hooks.on("First.activate", of: fixture, act)
        Hooks.on("Second.deactivate", of: fixture, act)
        try bundle.loadAndReturnError()
        #expect(bundle.state == .active)
        bundle.unload()
        #expect(bundle.state == .deactivated)
        #expect(
            messages.withLock { $0 } == [
                "loadReentered: “HookOnItself.bundle” was asked to load while this thread is loading it.",
                "loadReentered: “HookOnItself.bundle” was asked to unload while this thread is loading it.",
                "loadReentered: “HookOnItself.bundle” was asked to load while this thread is unloading it.",
                "loadReentered: “HookOnItself.bundle” was asked to unload while this thread is unloading it.",
            ])
    }

    @Test func aHookMayLoadAndUnloadAnotherBundle() throws {
        let fixture = try Hooks.swift("HookOnAnother")
        let other = try PluginBundle.open(path: Hooks.c("UsedByHook").path)
        Hooks.on("First.activate", of: fixture) { !other.load() }
        Hooks.on("First.deactivate", of: fixture) { !other.unload() }
        let bundle = try PluginBundle.open(path: fixture.path)
        try bundle.loadAndReturnError()
        #expect(other.state == .active)
        bundle.unload()
        #expect(other.state == .deactivated)
    }

    @Test(.fault(151)) func aCircleOfHooksIsNamed() throws {
        let a = try Hooks.swift("HookCircleA")
        let b = try Hooks.swift("HookCircleB")
        let (first, second) = (try PluginBundle.open(path: a.path), try PluginBundle.open(path: b.path))
        let found = Locked<PluginError?>(nil)
        Hooks.on("First.activate", of: a) { !second.load() }
        Hooks.on("First.activate", of: b) {
            do {
                try first.loadAndReturnError()
                return false
            } catch {
                found.withLock { $0 = error as? PluginError }
                return true
            }
        }
        #expect(throws: PluginError.self) { try first.loadAndReturnError() }
        let error = try #require(found.withLock { $0 })
        #expect(error.code == .dependencyCycle)
        let chain = "“HookCircleA.bundle” needs “HookCircleB.bundle” needs “HookCircleA.bundle”"
        #expect(error.findings[0].message == "Bundles wait for one another to load: \(chain).")
        #expect(first.loadError?.code == .activationFailed)
        #expect(second.loadError?.code == .activationFailed)
    }

    @Test(.fault(151)) func aCircleOfALoadAndAnUnloadOnTwoThreadsIsNamedAndNobodyHangs() throws {
        let a = try Hooks.swift("HookCrossA")
        let b = try Hooks.swift("HookCrossB")
        let (first, second) = (try PluginBundle.open(path: a.path), try PluginBundle.open(path: b.path))
        try second.loadAndReturnError()
        let begun = Locked(0)
        let codes = Locked<[PluginError.Code]>([])
        @Sendable func meeting(_ work: @escaping @Sendable () throws -> Void) -> @Sendable () -> Bool {
            {
                begun.withLock { $0 += 1 }
                waitUntil("both hooks run") { begun.withLock { $0 } >= 2 }
                do { try work() } catch { codes.withLock { $0.append((error as! PluginError).code) } }
                return false
            }
        }
        Hooks.on("First.activate", of: a, meeting { try second.unloadAndReturnError() })
        Hooks.on("Second.deactivate", of: b, meeting { try first.loadAndReturnError() })
        onThreads(2) { index in _ = index == 0 ? first.load() : second.unload() }
        #expect(codes.withLock { $0 } == [.dependencyCycle])
        #expect(first.state == .active)
        #expect(second.state == .deactivated)
    }

    // MARK: Loads and unloads that overlap

    @Test func aLoadWaitsForTheEndOfAnUnloadAndThenLoads() throws {
        let fixture = try Hooks.swift("LoadDuringUnload")
        let bundle = try PluginBundle.open(path: fixture.path)
        try bundle.loadAndReturnError()
        let inside = DispatchSemaphore(value: 0)
        Hooks.on("First.deactivate", of: fixture) {
            inside.signal()
            usleep(100_000)
            return false
        }
        onThreads(2) { index in
            if index == 0 {
                bundle.unload()
            } else {
                waitUntil("the hook runs", inside)
                #expect(bundle.load())
            }
        }
        #expect(bundle.state == .active)
        let expected = ["Second.deactivate", "First.deactivate", "First.activate", "Second.activate"]
        #expect(Hooks.calls(of: fixture).suffix(4) == expected)
    }

    @Test func anUnloadWaitsForTheEndOfALoadAndThenUnloads() throws {
        let fixture = try Hooks.swift("UnloadDuringLoad")
        let bundle = try PluginBundle.open(path: fixture.path)
        let inside = DispatchSemaphore(value: 0)
        Hooks.on("First.activate", of: fixture) {
            inside.signal()
            usleep(100_000)
            return false
        }
        onThreads(2) { index in
            if index == 0 {
                bundle.load()
            } else {
                waitUntil("the hook runs", inside)
                #expect(bundle.unload())
            }
        }
        #expect(bundle.state == .deactivated)
        let expected = ["First.activate", "Second.activate", "Second.deactivate", "First.deactivate"]
        #expect(Hooks.calls(of: fixture) == expected)
    }

    @Test(.fault(148)) func loadsAndUnloadsThatRaceCallHooksInTurnAndNeverTwoAtOnce() throws {
        let fixture = try Hooks.c("HooksInTurn")
        let bundle = try PluginBundle.open(path: fixture.path)
        let running = Locked(0)
        let clash = Locked(false)
        for hook in ["first.activate", "second.activate", "first.deactivate", "second.deactivate"] {
            Hooks.on(hook, of: fixture) {
                let others = running.withLock { running in
                    defer { running += 1 }
                    return running
                }
                if others > 0 { clash.withLock { $0 = true } }
                // Long enough for another thread's hook to begin beside it, if that were possible.
                usleep(20)
                running.withLock { $0 -= 1 }
                return false
            }
        }
        let unloads = Locked(0)
        onThreads(16) { index in
            for _ in 0..<200 {
                if index % 2 == 0 {
                    bundle.load()
                } else if bundle.unload() {
                    unloads.withLock { $0 += 1 }
                }
            }
        }
        bundle.unload()
        #expect(!clash.withLock { $0 })
        let calls = Hooks.calls(of: fixture)
        let once = ["first.activate", "second.activate", "second.deactivate", "first.deactivate"]
        #expect(calls.count % 4 == 0 && calls.count >= 4 * unloads.withLock { $0 })
        #expect(stride(from: 0, to: calls.count, by: 4).allSatisfy { Array(calls[$0..<$0 + 4]) == once })
    }

    // MARK: States

    // In processes of their own: a sequence keeps the latest 1,024 changes, and those of other tests would push these out.

    @Test func theSequenceOfStatesGivesEachChangeInOrder() async {
        await #expect(processExitsWith: .success) {
            let fixture = try Hooks.swift("Watched")
            let bundle = try PluginBundle.open(path: fixture.path)
            var changes = PluginBundle.stateChanges.makeAsyncIterator()
            Hooks.on("First.activate", of: fixture) { true }
            bundle.load()
            let failed = PluginState.failed(try #require(bundle.loadError))
            Hooks.on("First.activate", of: fixture) { false }
            bundle.load()
            bundle.unload()
            let expected: [PluginState] = [
                .discovered, .loading, failed, .loading, .active, .deactivating, .deactivated,
            ]
            var seen: [PluginState] = [.discovered]
            while seen.count < expected.count, let change = await changes.next() {
                #expect(change.previous == seen.last)
                seen.append(change.state)
            }
            #expect(seen == expected)
            #expect(seen.map(\.description).suffix(3) == ["active", "deactivating", "deactivated"])
        }
    }

    @Test func changesOfOneBundleByManyThreadsArriveInOrder() async {
        await #expect(processExitsWith: .success) {
            let many = try BundleFixture("WatchedByMany", code: .c(Source.good + "/* w */"))
            let bundle = try PluginBundle.open(path: many.path)
            var changes = PluginBundle.stateChanges.makeAsyncIterator()
            onThreads(8) { index in
                for _ in 0..<50 { _ = index % 2 == 0 ? bundle.load() : bundle.unload() }
            }
            try bundle.loadAndReturnError()
            // A change after all of it comes after all of it.
            let mark = try PluginBundle.open(path: BundleFixture("WatchedLast", code: .c(Source.good + "/* m */")).path)
            try mark.loadAndReturnError()
            var last = PluginState.discovered
            while let change = await changes.next(), change.bundle !== mark {
                #expect(change.previous == last)
                last = change.state
            }
            #expect(last == .active)
        }
    }
}

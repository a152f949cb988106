import Foundation
import PluginABI
import PluginHost
import PluginTesting
import Testing

@Suite struct TestHostTests {
    @Test func aPluginSeesTheHostOfItsTest() async throws {
        try await withTestHost(.init(name: "Bench", version: "7.1")) { host in
            let bundle = try Greeting.bundle()
            _ = try Greeting.made(bundle)
            let record = try #require(host.log.first { $0.bundleIdentifier == "org.example.Greeter" })
            #expect(record.message == "made for Bench 7.1")
            #expect(TestHost.current === host)
        }
        #expect(TestHost.current == nil)
    }

    @Test(.testHost(languages: ["de"])) func theLanguagesAreThoseOfTheHost() throws {
        let bundle = try Greeting.bundle()
        let greeter = try Greeting.made(bundle)
        #expect("\(greeter)" == "Guten Tag, world")
        TestHost.current?.setLanguages(["en"])
        #expect("\(greeter)" == "Hello, world")
    }

    @Test func theSettingsReachTheEnvironmentAndAreRestored() async throws {
        let settings = TestHost.Settings(
            capabilities: ["printing"], languages: ["fr"], device: "phone", scale: 2,
            requiresDeclaredRegistrations: true)
        // Within a host, because another test's host may be in force before it.
        try await withTestHost { _ in
            let name = HostEnvironment.current.name
            try await withTestHost(settings) { host in
                let environment = HostEnvironment.current
                #expect(environment.capabilities == ["printing"] && environment.preferredLanguages == ["fr"])
                #expect(environment.device == "phone" && environment.scale == 2)
                #expect(environment.requiresDeclaredRegistrations && host.settings.languages == ["fr"])
            }
            #expect(HostEnvironment.current.name == name && HostEnvironment.current.preferredLanguages == ["en"])
            await #expect(throws: CancellationError.self) {
                try await withTestHost(settings) { _ -> Void in throw CancellationError() }
            }
            #expect(HostEnvironment.current.scale == 1)
        }
    }

    /// Each sees only its own language, although all run at once and give others the time to interfere.
    @Test(arguments: ["de", "en"], 1...8) func testsThatRunAtOnceDoNotShareAHost(language: String, run: Int)
        async throws
    {
        try await withTestHost(.init(languages: [language])) { host in
            let greeter = try Greeting.made(Greeting.bundle(), for: "\(run)")
            for _ in 0..<5 {
                #expect("\(greeter)" == (language == "de" ? "Guten Tag, \(run)" : "Hello, \(run)"))
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(host.log.count { $0.bundleIdentifier == "org.example.Greeter" } == 1)
        }
    }

    @Test func theEndUnloadsTheBundlesAndWithdrawsTheServices() async throws {
        try await withTestHost { _ in
            let bundle = try await withTestHost { _ in
                let bundle = try Greeting.bundle()
                _ = try Greeting.made(bundle)
                #expect(bundle.isLoaded)
                return bundle
            }
            #expect(!bundle.isLoaded)
            // The service of the inner host is gone.
            expectPluginError(.instantiationFailed, saying: "org.example.audience") {
                try bundle.providers(of: Greeting.point)[0].make()
            }
            bundle.unload()
        }
    }

    @Test func aPluginRunsWhereTheSettingsSay() async throws {
        try await withTestHost(.init(execution: .isolated)) { _ in
            // A bundle of its own, because code stays in this process once it was loaded here.
            let bundle = try TemporaryBundle("Elsewhere", executable: builtLibrary(named: "Greeter")).open()
            try bundle.loadAndReturnError()
            #expect(PluginWorker.all.contains { $0.bundles.contains { $0 === bundle } })
        }
    }

    /// Root cannot be confined, and the tests of many authors run as root, in a container.
    @Test(.fault(754), arguments: [nil, PluginExecution.inProcess, .isolated, .sandboxed])
    func aPluginThatDemandsASandboxGetsItWhoeverRunsTheTests(execution: PluginExecution?) async throws {
        try await withTestHost(.init(execution: execution)) { _ in
            let bundle = try TemporaryBundle(
                "Confined", info: ["PHExecution": "sandboxed"], executable: builtLibrary(named: "Greeter")
            ).open()
            try bundle.loadAndReturnError()
            let worker = PluginWorker.all.first { $0.bundles.contains { $0 === bundle } }
            #expect(worker?.confinement.enforced.isSuperset(of: [.files, .systemCalls]) == true)
        }
    }

    @Test func theEnvironmentSaysWherePluginsRun() async {
        await #expect(processExitsWith: .success) {
            setenv("PLUGIN_TEST_EXECUTION", "isolated", 1)
            try await withTestHost { _ in
                let bundle = try TemporaryBundle("Elsewhere", executable: builtLibrary(named: "Greeter")).open()
                try bundle.loadAndReturnError()
                #expect(PluginWorker.all.contains { $0.bundles.contains { $0 === bundle } })
            }
            setenv("PLUGIN_TEST_EXECUTION", "outside", 1)
            let error = await #expect(throws: TestKitError.self) { try await withTestHost { _ in } }
            #expect(error?.code == .executionUnknown && error?.message.contains("“outside”") == true)
            #expect(error?.remedy == "Use one of: in-process, isolated, sandboxed.")
        }
    }

    @Test func theSettingsOfAPluginAreThoseOfTheTest() async throws {
        for _ in 0..<2 {
            try await withTestHost { host in
                let bundle = try Greeting.bundle()
                let greeter = try Greeting.made(bundle)
                // Nothing is left of the first round, although the bundle is the same object.
                #expect(try "\(greeter)" == "Hello, world" && host.storedValues(of: bundle).isEmpty)
                try host.setValues(["remembers": .boolean(true)], of: bundle)
                #expect(try bundle.settings?.origin(of: "remembers")?.layer == .user)
                #expect("\(greeter)" == "Hello, world")
                #expect(
                    try host.storedValues(of: bundle)
                        == ["remembers": .boolean(true), "last": .text("Hello, world")])
                try host.setValues(["last": .text("Hello, boss")], of: bundle, locked: true)
                #expect("\(greeter)".contains("The administrator has locked the setting “last”"))
                expectPluginError(.settingLocked) { try host.setValues(["last": .text("")], of: bundle) }
                expectPluginError(.settingUndeclared) { try host.setValues(["first": .text("")], of: bundle) }
            }
        }
    }

    @Test func theFilesWithSettingsAreRemovedWithTheHost() async throws {
        let path = try await withTestHost { host in
            let bundle = try Greeting.bundle()
            try host.setValues(["remembers": .boolean(true)], of: bundle)
            return try #require(try bundle.settings?.origin(of: "remembers")?.path)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(.testHost) func aBundleWithoutSettingsIsNamed() throws {
        let bundle = try TemporaryBundle("Plain").open()
        let error = #expect(throws: TestKitError.self) { try TestHost.current?.storedValues(of: bundle) }
        #expect(error?.code == .settingsMissing && error?.path == bundle.bundlePath)
    }

    @Test(.testHost) func aCatalogueHasTheGivenBundlesAlone() throws {
        let words = try TemporaryBundle("Words", info: ["CFBundleDisplayName": "All words"])
        let bundle = try Greeting.bundle()
        let host = try #require(TestHost.current)
        let catalog = try host.catalog(of: bundle, words.open())
        #expect(catalog.plugins.map(\.identifier) == ["org.example.Greeter", "org.example.Words"])
        #expect(catalog.indexPath == nil)
        host.provide(Greeting.audience) { "catalogue" }
        #expect(!bundle.isLoaded)
        let greeter = try #require(catalog.extensions(of: Greeting.point).first).make()
        #expect("\(greeter)" == "Hello, catalogue" && bundle.isLoaded)
    }
}

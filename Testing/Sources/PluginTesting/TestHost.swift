import Glibc
public import PluginABI
@_spi(Tools) public import PluginHost
import Synchronization

/// An application that exists for one test only.
///
/// It has its own name, version, languages, services and settings of plug-ins, keeps what plug-ins log, and leaves nothing
/// behind.
///
/// ```swift
/// @Suite(.testHost(languages: ["de"])) struct GreeterTests {
///     @Test func theGreetingIsGerman() throws {
///         let greeting = try #require(try PluginBundle.underTest().providers(of: .greeting).first).make()
///         #expect(greeting.text == "Guten Tag")
///     }
/// }
/// ```
/// A process has only one ``/PluginHost/HostEnvironment``. So only one test host is in force at a time. Tests that run
/// concurrently wait for their turn without blocking a thread. Use a test host in every test that loads a bundle or
/// reads its resources, with ``withTestHost(_:_:)`` or the trait `testHost`.
///
/// When the test ends, the bundles that the kit opened for it are unloaded, the services are withdrawn and the previous
/// environment is restored. Code stays mapped, so the next test that loads the same bundle activates it again without
/// calling its entry again.
///
/// Test hosts nest: if both a suite and one of its tests have a test host, the test's host replaces the suite's until
/// the test ends.
///
/// **Threads.** Any.
public final class TestHost: Sendable {
    /// The settings of a test host.
    public struct Settings: Sendable {
        /// The application's name.
        public var name: String
        /// The application's version.
        public var version: String
        /// What the application offers beyond its version, for `PHCapabilities`.
        public var capabilities: Set<String>
        /// The user's languages, best first.
        ///
        /// The languages of the machine that runs the tests have no effect.
        public var languages: [String]
        /// The kind of device, as in the names of resources.
        public var device: String?
        /// Pixels per point.
        public var scale: Int
        /// Whether a bundle with `PHFactories` must register everything that it declares there.
        public var requiresDeclaredRegistrations: Bool
        /// Where plug-ins run.
        ///
        /// If nil, the default, the environment variable `PLUGIN_TEST_EXECUTION` decides: `in-process`, `isolated` or
        /// `sandboxed`. Running the same tests once with each value shows that a plug-in works everywhere. Without the
        /// variable, plug-ins run in the test's process, unless their Info.plist or the test itself decides otherwise.
        ///
        /// A sandboxed plug-in gets the permissions that its Info.plist asks for.
        public var execution: PluginExecution?

        /// Creates settings.
        ///
        /// The defaults describe an English application without capabilities.
        public init(
            name: String = "TestHost", version: String = "1.0.0", capabilities: Set<String> = [],
            languages: [String] = ["en"], device: String? = nil, scale: Int = 1,
            requiresDeclaredRegistrations: Bool = false, execution: PluginExecution? = nil
        ) {
            self.name = name
            self.version = version
            self.capabilities = capabilities
            self.languages = languages
            self.device = device
            self.scale = scale
            self.requiresDeclaredRegistrations = requiresDeclaredRegistrations
            self.execution = execution
        }

        /// Where plug-ins run; nil if neither the test nor the environment decides it.
        fileprivate func decidedExecution() throws(TestKitError) -> PluginExecution? {
            if let execution { return execution }
            let variable = "PLUGIN_TEST_EXECUTION"
            guard let name = getenv(variable).map({ String(cString: $0) }), !name.isEmpty else { return nil }
            if let execution = PluginExecution(name) { return execution }
            let names = PluginExecution.allCases.map(\.description).joined(separator: ", ")
            throw TestKitError(
                code: .executionUnknown, path: variable,
                message: "The environment variable \(variable) is “\(name)”, which is no execution.",
                remedy: "Use one of: \(names).")
        }
    }

    /// The host of the running test; nil outside of a test host.
    @TaskLocal public static var current: TestHost?

    /// The settings that the host was created with.
    public let settings: Settings

    private struct State {
        var records: [HostLogRecord] = []
        var services: [HostService] = []
        var bundles: [PluginBundle] = []
        /// The owners of directories that must exist until the end.
        var owners: [any AnyObject & Sendable] = []
    }

    private let state = Mutex(State())
    /// Lets the hosts inside this one run one at a time.
    private let turn = Turn()
    /// Lets the outermost hosts run one at a time.
    private static let firstTurn = Turn()

    /// The files with settings of plug-ins.
    private let folder: TemporaryFolder

    private init(_ settings: Settings) throws(TestKitError) {
        self.settings = settings
        folder = try TemporaryFolder()
    }

    // MARK: Use

    /// What plug-ins and the library have logged, oldest first.
    public var log: [HostLogRecord] { state.withLock(\.records) }

    /// Stores values of a plug-in's settings, as the user or an administrator would.
    ///
    /// They count at once, also in a worker process. The files are in a directory of this host, so neither those of the
    /// machine nor those of another test have an effect.
    ///
    /// - Parameters:
    ///   - values: the values by key; a whole number may stand for a real.
    ///   - bundle: the plug-in.
    ///   - locked: whether they are an administrator's, who does not let the user change them.
    /// - Throws: ``TestKitError`` of code `settingsMissing`; `PluginError` of code `settingsUnreadable`,
    ///   `settingUndeclared`, `settingInvalid`, `settingSecret` or `settingLocked`. Values of smaller keys are stored
    ///   then.
    public func setValues(
        _ values: [String: SettingScalar], of bundle: PluginBundle, locked: Bool = false
    ) throws {
        let settings = try Self.settings(of: bundle)
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            if locked {
                try settings.setForSystem(key, to: value, locks: true)
            } else {
                try settings.set(key, to: value)
            }
        }
    }

    /// The values of a plug-in's settings that were stored for the user, by the plug-in or by the test.
    ///
    /// - Parameter bundle: the plug-in.
    /// - Returns: the values by key; a setting without one is not among them.
    /// - Throws: ``TestKitError`` of code `settingsMissing`; `PluginError` of code `settingsUnreadable`.
    public func storedValues(of bundle: PluginBundle) throws -> [String: SettingScalar] {
        try Self.settings(of: bundle).userValues
    }

    private static func settings(of bundle: PluginBundle) throws -> PluginSettings {
        if let settings = try bundle.settings { return settings }
        throw TestKitError(
            code: .settingsMissing, path: bundle.bundlePath,
            message: "The bundle “\(bundle.bundlePath)” has no Settings.bundle.",
            remedy: "Put Settings.bundle with a Root.plist into Resources.")
    }

    /// Changes the user's languages while the test runs.
    ///
    /// Every bundle uses them from its next look-up.
    ///
    /// - Parameter languages: the languages, best first.
    public func setLanguages(_ languages: [String]) { HostEnvironment.current.preferredLanguages = languages }

    /// Provides a service of the application to plug-ins until the test ends.
    ///
    /// - Parameters:
    ///   - point: the extension point, declared in the application's API.
    ///   - name: a name for messages.
    ///   - make: creates the object once, at the first request.
    public func provide<Interface: Sendable>(
        _ point: ExtensionPoint<Interface>, named name: String = "test",
        _ make: @escaping @Sendable () throws -> Interface
    ) {
        let service = HostEnvironment.provide(point, named: name, make)
        state.withLock { $0.services.append(service) }
    }

    /// A catalogue whose only candidates are these bundles.
    ///
    /// It has no index and no user choices.
    ///
    /// - Parameter bundles: the bundles. Each keeps its name, so the names must differ.
    /// - Returns: the catalogue. It loads a bundle when an object that the bundle provides is first made.
    /// - Throws: ``TestKitError`` if the temporary directory cannot be written.
    public func catalog(of bundles: PluginBundle...) throws -> PluginCatalog {
        let folder = try TemporaryFolder()
        for bundle in bundles {
            let name = bundle.bundlePath.split(separator: "/").last.map(String.init) ?? "bundle"
            try folder.link(name.hasSuffix(".bundle") ? name : name + ".bundle", to: bundle.bundlePath)
        }
        state.withLock {
            $0.owners.append(folder)
            $0.bundles += bundles
        }
        return PluginCatalog(searchPaths: [folder.path], options: .init(index: .none))
    }

    /// Unloads a bundle when the test ends, and keeps its directory until then.
    func keep(_ bundle: PluginBundle, of temporary: TemporaryBundle? = nil) {
        state.withLock { state in
            state.bundles.append(bundle)
            if let temporary { state.owners.append(temporary) }
        }
    }

    // MARK: Beginning and end

    /// Runs a body in a new host; see ``withTestHost(_:_:)``.
    static nonisolated(nonsending) func run<Result>(
        _ settings: Settings, _ body: nonisolated(nonsending) (TestHost) async throws -> Result
    ) async throws -> Result {
        let host = try TestHost(settings)
        let execution = try settings.decidedExecution()
        let turn = current?.turn ?? firstTurn
        await turn.take()
        let previous = HostEnvironment.current
        host.begin(execution)
        defer {
            host.end()
            HostEnvironment.current = previous
            turn.pass()
        }
        return try await $current.withValue(host) { try await body(host) }
    }

    private func begin(_ execution: PluginExecution?) {
        var environment = HostEnvironment.current
        environment.name = settings.name
        environment.version = settings.version
        environment.capabilities = settings.capabilities
        environment.preferredLanguages = settings.languages
        environment.device = settings.device
        environment.scale = settings.scale
        environment.requiresDeclaredRegistrations = settings.requiresDeclaredRegistrations
        environment.log = { [weak self] record in self?.state.withLock { $0.records.append(record) } }
        environment.loadStep = nil
        environment.settingsFolder = SettingsFolder(folder.path)
        if let execution { environment.isolation = Self.policy(execution) }
        // A plug-in may demand a sandbox, and the library does not run one with the rights of root.
        if geteuid() == 0, environment.isolation.user == nil { environment.isolation.sandboxUser = "nobody" }
        HostEnvironment.current = environment
    }

    /// Runs every plug-in in the same way, with all permissions that it asks for.
    private static func policy(_ execution: PluginExecution) -> IsolationPolicy {
        var policy = IsolationPolicy()
        policy.execution = { _ in execution }
        policy.grant = { _, asked in asked }
        return policy
    }

    private func end() {
        let (services, bundles) = state.withLock { ($0.services, $0.bundles) }
        for bundle in bundles.reversed() { bundle.unload() }
        for service in services { service.withdraw() }
    }
}

/// Runs a body in a new test host.
///
/// It works in Swift Testing and in XCTest, even in tests that run concurrently.
///
/// ```swift
/// func testTheGreetingIsGerman() async throws {
///     try await withTestHost(.init(languages: ["de"])) { host in
///         let greeting = try XCTUnwrap(PluginBundle.underTest().providers(of: .greeting).first).make()
///         XCTAssertEqual(greeting.text, "Guten Tag")
///     }
/// }
/// ```
/// - Parameters:
///   - settings: the settings of the host.
///   - body: the test. It is called when no other test host is in force.
/// - Returns: what the body returns.
/// - Throws: what the body throws; ``TestKitError`` of code `executionUnknown` or `notWritable`.
public nonisolated(nonsending) func withTestHost<Result>(
    _ settings: TestHost.Settings = .init(),
    _ body: nonisolated(nonsending) (TestHost) async throws -> Result
) async throws -> Result {
    try await TestHost.run(settings, body)
}

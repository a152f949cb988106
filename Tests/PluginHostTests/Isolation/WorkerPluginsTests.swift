@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@testable import PluginHost

/// What a worker process serves: plug-ins that are loaded there, used over a connection.
@Suite struct WorkerPluginsTests {
    private static let point = ExtensionPoint(
        "org.example.served", version: 3, remote: ConverterProxy.interface)

    private static let entry: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status = { host in
        registerPlugin(with: host) { plugin in
            plugin.provide(WorkerPluginsTests.point, named: "served", order: 4) { _ in TextConverter() }
            plugin.provide(ExtensionPoint<any Converter>("org.example.local"), named: "local") { _ in TextConverter() }
            plugin.provide(WorkerPluginsTests.point, named: "failing") { _ in
                throw PluginError(
                    bundlePath: "/x", PluginFinding(.serviceMissing, message: "It is missing.", remedy: "Install it."))
            }
            let add: @convention(c) (Int32, Int32) -> Int32 = { $0 &+ $1 }
            plugin.register(function: "add", "(int32, int32) -> int32", add)
        }
    }

    @Test func aLoadedPlugInIsServed() async {
        // In a process of its own, because an entry belongs to one bundle.
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree([
                "Served.bundle/Contents/Info.plist": "{ CFBundleIdentifier = org.example.Served; }"
            ])
            let bundle = try PluginBundle.linked(at: tree("Served.bundle"), entry: WorkerPluginsTests.entry)
            let plugins = WorkerPlugins()
            let report = try plugins.load(bundle, as: 5)
            #expect(bundle.state == .deactivated, "nothing is offered before the host demands it")
            #expect(report.providers.map(\.name) == ["served", "local", "failing"])
            #expect(report.providers.map(\.number) == [1, 2, 3])
            #expect(report.providers[0].methods == ConverterProxy.interface.methodNames)
            #expect(report.providers[1].methods == nil && report.providers[0].order == 4)
            #expect(report.functions == [.init(number: 0, name: "add", signature: "(int32, int32) -> int32")])
            #expect(try plugins.load(bundle, as: 6) == report, "a second load calls no entry")

            let (host, worker) = MemoryConnection.pair(worker: plugins.makeServer())
            let desk = try WorkerDeskProxy.desk(over: host)
            let outcome = try desk.activate(5)
            #expect(outcome.failure == nil && outcome.warnings.isEmpty && bundle.state == .active)
            let methods = try #require(report.providers[0].methods)
            let converter = try ConverterProxy.interface.make(1, methods: methods, over: host)
            #expect(try converter.title == "Grüße")
            let missing = #expect(throws: PluginFailure.self) {
                try ConverterProxy.interface.make(3, methods: methods, over: host)
            }
            #expect(missing?.message == "It is missing." && missing?.remedy == "Install it.")
            let local = #expect(throws: RemoteFailure.self) {
                try ConverterProxy.interface.make(2, methods: methods, over: host)
            }
            #expect(local?.code == .notRemote)
            guard case .returned(let sum) = try desk.call(5, "add", [SentValue(.int(1)), SentValue(.int(2))]),
                case .failed(let error) = try desk.call(5, "none", [])
            else { fatalError("The functions answer something else.") }
            #expect(sum.value == .int(3) && error.error(of: bundle).code == .functionUnavailable)
            try plugins.deactivate(5)
            #expect(bundle.state == .deactivated)
            host.end()
            worker.end()
        }
    }

    @Test func aNumberThatDoesNotExistIsAViolation() throws {
        let (host, worker) = MemoryConnection.pair(worker: WorkerPlugins().makeServer())
        defer {
            host.end()
            worker.end()
        }
        let failure = #expect(throws: RemoteFailure.self) {
            try ConverterProxy.interface.make(9, methods: ConverterProxy.interface.methodNames, over: host)
        }
        #expect(failure?.code == .protocolViolation)
        let desk = try WorkerDeskProxy.desk(over: host)
        #expect(throws: RemoteFailure.self) { try desk.activate(1) }
        #expect(throws: RemoteFailure.self) { try desk.call(1, "add", []) }
    }
}

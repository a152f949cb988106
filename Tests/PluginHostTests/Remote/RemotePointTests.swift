import Testing

@_spi(PluginHost) @testable import PluginABI
@testable import PluginHost

@Suite struct RemotePointTests {
    private let context = PluginContext(services: PluginHost.HostTable(bundle: .main))

    private func provider(_ point: ExtensionPoint<any Converter>) -> AnyProvider {
        TypedProvider(point: point, name: "text", displayName: nil, order: 0) { _ in TextConverter() }
    }

    @Test func pointsAreEqualIfTheyHaveOneNameAndVersion() {
        let local = ExtensionPoint<any Converter>("org.example.converter", version: 2)
        let remote = ExtensionPoint("org.example.converter", version: 2, remote: ConverterProxy.interface)
        #expect(local == remote)
        #expect(local.hashValue == remote.hashValue)
        #expect(local != ExtensionPoint("org.example.converter", version: 1))
        #expect(local.remote == nil)
        #expect(remote.remote === ConverterProxy.interface)
    }

    @Test func theRemoteInterfaceIsEvaluatedOnlyWhenItIsUsed() {
        @Sendable func evaluated() -> RemoteInterface<any Converter> { fatalError("The interface is evaluated.") }
        let point = ExtensionPoint("org.example.converter", remote: evaluated())
        #expect(point.name == "org.example.converter")
        #expect(provider(point).pointName == point.name)
    }

    @Test func aProviderOfARemotePointServesItsObjects() throws {
        let provider = provider(ExtensionPoint("org.example.converter", remote: ConverterProxy.interface))
        let names = try #require(provider.remoteMethods)
        #expect(names == ConverterProxy.interface.methodNames)
        let context = context
        let server = RemoteServer { _ in try provider.makeServant(context) }
        let (host, worker) = MemoryConnection.pair(worker: server)
        defer {
            host.end()
            worker.end()
        }
        #expect(try ConverterProxy.interface.make(0, methods: names, over: host).title == "Grüße")
    }

    @Test func aProviderOfAnotherPointIsNotRemote() {
        let provider = provider(ExtensionPoint("org.example.converter"))
        #expect(provider.remoteMethods == nil)
        let error = #expect(throws: RemoteFailure.self) { try provider.makeServant(context) }
        #expect(error?.code == .notRemote)
        #expect(error?.message == "The extension point “org.example.converter” has no remote interface.")
    }
}

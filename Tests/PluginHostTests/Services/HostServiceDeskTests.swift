@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@testable import PluginHost

/// A service with one method, and its proxy as the generator writes it.
private protocol Ticker: Sendable {
    func tick() throws -> Int
}

private final class TickerProxy: Ticker {
    private let remote: RemoteObject
    private init(_ remote: RemoteObject) { self.remote = remote }

    func tick() throws -> Int { try remote.call(0) }

    static let interface = RemoteInterface<any Ticker>(
        proxy: { TickerProxy($0) }, methods: [RemoteMethod("tick()") { try $0.tick() }])
}

private final class OwnTicker: Ticker {
    private let number: Int
    init(_ number: Int) { self.number = number }
    func tick() -> Int { number }
}

extension ExtensionPoint where Interface == any Ticker {
    fileprivate static func ticker(_ name: String, _ version: UInt32) -> Self {
        .init("org.example.ticker-\(name)", version: version, remote: TickerProxy.interface)
    }
}

/// The services that a worker process is offered.
@Suite struct HostServiceDeskTests {
    /// The plug-ins of a worker, by their numbers: each declares one version of one service.
    private struct Clients {
        let tree = try! TemporaryTree()
        private(set) var bundles: [PluginBundle] = []

        mutating func add(_ point: String, _ version: Int) throws -> UInt32 {
            let name = "Client\(bundles.count)"
            try tree.write(
                "\(name).bundle/Contents/Info.plist",
                "{ CFBundleIdentifier = \"org.example.\(name)\"; PHUses = { \"org.example.ticker-\(point)\" = \(version); }; }"
            )
            bundles.append(try PluginBundle.open(path: tree("\(name).bundle")))
            return UInt32(bundles.count - 1)
        }

        func desk(most: Int = 10) -> HostServiceDesk {
            HostServiceDesk(
                resident: { [bundles] in Int($0) < bundles.count ? bundles[Int($0)] : nil }, number: { _ in nil },
                release: { _ in }, most: most)
        }
    }

    private static let entry: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status = { host in
        registerPlugin(with: host) { plugin in
            plugin.provide(.ticker("versions", 1), named: "old") { _ in OwnTicker(1) }
            plugin.provide(.ticker("versions", 2), named: "new") { _ in OwnTicker(2) }
        }
    }

    private func number(_ offer: ServiceOffer) -> UInt32? {
        if case .inHost(let number, _) = offer { number } else { nil }
    }

    @Test func eachVersionOfAServiceHasItsOwnNumber() throws {
        var clients = Clients()
        let first = try clients.add("versions", 1), second = try clients.add("versions", 2)
        try clients.tree.write(
            "Server.bundle/Contents/Info.plist", "{ CFBundleIdentifier = \"org.example.TickerServer\"; }")
        let server = try PluginBundle.linked(at: clients.tree("Server.bundle"), entry: Self.entry)
        try server.loadAndReturnError()
        defer { _ = server.unload() }
        let desk = clients.desk()
        let one = try #require(number(try desk.find(first, "org.example.ticker-versions", 1, released: [])))
        let two = try #require(number(try desk.find(second, "org.example.ticker-versions", 2, released: [])))
        #expect(one != two)
        // The same question has the same number.
        #expect(number(try desk.find(first, "org.example.ticker-versions", 1, released: [])) == one)
    }

    @Test func aFullTableIsTheReasonThatIsGiven() throws {
        var clients = Clients()
        let first = try clients.add("one", 1), second = try clients.add("two", 1)
        let services = ["one", "two"].map { name in
            HostEnvironment.provide(ExtensionPoint.ticker(name, 1), named: name) { OwnTicker(0) }
        }
        defer { for service in services { service.withdraw() } }
        let desk = clients.desk(most: 1)
        #expect(number(try desk.find(first, "org.example.ticker-one", 1, released: [])) == 1)
        guard case .failed(let sent) = try desk.find(second, "org.example.ticker-two", 1, released: []) else {
            Issue.record("the table has room for two")
            return
        }
        let finding = try #require(sent.findings.first)
        #expect(finding.code == .callRefused && !finding.remedy.isEmpty)
        #expect(finding.message.contains("has already been offered 1 services"), "\(finding.message)")
        #expect(number(try desk.find(first, "org.example.ticker-one", 1, released: [])) == 1)
    }
}

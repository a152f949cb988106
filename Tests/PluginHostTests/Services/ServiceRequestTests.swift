import PluginABI
import TestSupport
import Testing

@testable import PluginHost

/// Which service a plug-in gets if a catalogue uses it, and the error if there is none.
@Suite struct ServiceRequestTests {
    private static func offering(_ name: String, order: Int, _ more: String = "") -> String {
        """
        { CFBundleIdentifier = "org.example.\(name)"; \(more)
          PHFactories = ({ name = \(name); extensionPoint = "org.example.asked"; version = 2; order = \(order); }); }
        """
    }

    private let tree: TemporaryTree
    private let client: PluginBundle

    init() throws {
        tree = try TemporaryTree([
            "Client.bundle/Contents/Info.plist": "{ PHUses = { \"org.example.asked\" = 2; other = 1; old = 1; }; }",
            "Late.bundle/Contents/Info.plist": Self.offering("Late", order: 5),
            "Early.bundle/Contents/Info.plist": Self.offering("Early", order: 3),
            "Refused.bundle/Contents/Info.plist": Self.offering("Refused", order: 1, "PHCapabilities = (\"quantum\");"),
            "Newer.bundle/Contents/Info.plist": """
            { PHFactories = ({ name = newer; extensionPoint = old; version = 3; }); }
            """,
        ])
        client = try PluginBundle.open(path: tree("Client.bundle"))
        client.catalog = PluginCatalog(searchPaths: [tree.path], options: .init(index: .none))
    }

    private func request(_ point: String, _ version: UInt32) -> ServiceRequest {
        ServiceRequest(client: client, point: point, version: version, level: .swift)
    }

    @Test func theOfferOfTheLowestOrderIsTakenAndNothingIsLoaded() throws {
        guard case .plugin(let offer) = try request("org.example.asked", 2).firstSource() else {
            Issue.record("no plug-in was found")
            return
        }
        #expect(offer.name == "Early" && offer.order == 3)
        guard case .plugin(let owner) = offer.owner else {
            Issue.record("the offer is not the catalogue's")
            return
        }
        #expect(owner.identifier == "org.example.Early" && owner.state == .resolved)
        #expect(throws: PluginError.self) { try request("org.example.asked", 1).firstSource() }
        if case .some = try request("other", 1).firstSource() { Issue.record("a source that nobody offers") }
    }

    @Test func anInstalledButUnusableBundleIsNamedWithItsReason() throws {
        for name in ["Early", "Late"] { tree.remove("\(name).bundle") }
        client.catalog?.refresh()
        let error = request("org.example.asked", 2).missing
        #expect(error.code == .serviceMissing)
        let message = error.findings[0].message
        #expect(message.contains("“\(tree("Refused.bundle"))” declares it. "), "\(message)")
        #expect(message.contains("quantum"))
        #expect(error.findings[0].remedy == "Load or update that plug-in.")
        #expect(request("old", 1).missing.findings[0].message.hasSuffix("Newer.bundle” declares version 3."))
        let nobody = request("other", 1).missing.findings[0]
        #expect(nobody.message.hasSuffix("No known plug-in declares it."))
        #expect(nobody.remedy == "Install a plug-in that provides it.")
    }

    @Test func aDeclaredExtensionThatDoesNotLoadThrowsTheLoadsError() {
        let error = #expect(throws: PluginError.self) {
            _ = try client.service(ExtensionPoint<String>("org.example.asked", version: 2)) as String?
        }
        #expect(error?.code == .notCode)
        #expect(error?.bundlePath == tree("Early.bundle"))
    }
}

import Fixtures
import Foundation
import Testing

@Suite struct LoadCommandTests {
    @Test func showsWhatTheCodeRegisters() throws {
        let fixture = try BundleFixture("Registering", code: .c(PluginSource.good))
        let output = try PluginHostTool.run("load", fixture.path)
        #expect(output.status == 0)
        #expect(output.standardOutput.contains("Registering.bundle: loaded in "))
        #expect(output.standardOutput.contains("org.example.point 3"))
        #expect(output.standardOutput.contains("(int32) -> int32"))
    }

    @Test func thePluginsOutputStaysOutOfTheDocument() throws {
        let fixture = try BundleFixture("Printing", code: .c(PluginSource.good))
        let output = try PluginHostTool.run("load", "--json", fixture.path)
        #expect(output.standardOutput.hasPrefix("{"))
        #expect(!output.standardOutput.contains("the plug-in prints"))
        #expect(output.standardError.contains("the plug-in prints"))
    }

    @Test func theDocumentListsRegistrations() throws {
        let document = try PluginHostTool.document("load", BundleFixture("Listed", code: .c(PluginSource.good)).path)
        #expect(document.status == 0)
        let bundle = try #require(document.bundles.first)
        #expect(bundle["state"] as? String == "loaded")
        #expect(bundle["milliseconds"] is NSNumber)
        let registrations = try #require(bundle["registrations"] as? [[String: Any]])
        #expect(registrations.compactMap { $0["kind"] as? String } == ["factory", "function"])
        #expect(registrations.compactMap { $0["name"] as? String } == ["maker", "twice"])
        #expect(registrations[0]["extensionPoint"] as? String == "org.example.point")
        #expect(registrations[0]["version"] as? Int == 3)
        #expect(registrations[1]["signature"] as? String == "(int32) -> int32")
    }

    @Test func swiftClassesAndProvidersAreShown() throws {
        let typography = try Workspace.samplePlugins.get().appending(path: "Typography.bundle").path
        let bundle = try #require(try PluginHostTool.document("load", typography).bundles.first)
        let registrations = try #require(bundle["registrations"] as? [[String: Any]])
        let provider = try #require(registrations.first { $0["name"] as? String == "uppercase" })
        #expect(provider["kind"] as? String == "provider")
        #expect(provider["extensionPoint"] as? String == "org.example.text-filter")
        #expect(provider["version"] as? Int == 2)
        let classes = try #require(bundle["classes"] as? [String])
        let principal = try #require(bundle["principalClass"] as? String)
        #expect(classes.contains(principal))
    }

    @Test func aFailureIsToldInFull() throws {
        let source = """
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                h->set_error(h, PLUGIN_STRING("org.example"), 7, PLUGIN_STRING("The licence has expired"),
                    PLUGIN_STRING("Renew it"));
                return PLUGIN_FAILED;
            }
            """
        let fixture = try BundleFixture("Expired", code: .c(source))
        let output = try PluginHostTool.run("load", fixture.path)
        #expect(output.status == 1)
        #expect(output.standardOutput.contains("not loaded, 1 error"))
        #expect(output.standardOutput.contains("error entryFailed"))
        #expect(PluginHostTool.words(output.standardOutput).contains("The licence has expired."))
        #expect(output.standardOutput.contains("To do: Renew it."))
        let document = try PluginHostTool.document("load", fixture.path)
        #expect(document.status == 1)
        #expect(document.bundles.first?["state"] as? String == "failed")
        #expect(document.codes == ["entryFailed"])
    }

    @Test func anUnfulfilledDeclarationIsAWarningAndAProblemIfStrict() throws {
        let maker: [String: any Sendable] = ["name": "maker", "extensionPoint": "org.example.point", "version": 3]
        let fixture = try BundleFixture(
            "DeclaresMore", info: ["PHFactories": [maker, ["name": "x"]]], code: .c(PluginSource.good))
        let lenient = try PluginHostTool.document("load", fixture.path)
        #expect(lenient.status == 0)
        #expect(lenient.bundles.first?["state"] as? String == "loaded")
        #expect(lenient.codes == ["unfulfilledDeclaration"])
        let strict = try PluginHostTool.document("load", "--strict", fixture.path)
        #expect(strict.status == 1)
        #expect(strict.bundles.first?["state"] as? String == "failed")
        #expect(strict.codes == ["unfulfilledDeclaration"])
    }

    @Test func aBundleOfResourcesHasNothingToLoad() throws {
        let fixture = try BundleFixture("NoCode", info: ["NSExecutable": NSNull()], code: .none)
        let document = try PluginHostTool.document("load", fixture.path)
        #expect(document.status == 0)
        #expect(document.bundles.first?["state"] as? String == "noCode")
    }

    @Test func oneBundleGivenTwiceIsLoadedOnce() throws {
        let path = try BundleFixture("Twice", code: .c(PluginSource.good)).path
        let output = try PluginHostTool.run("load", path, path)
        #expect(output.status == 0)
        #expect(output.standardError.split(separator: "\n").count { $0 == "the plug-in prints" } == 1)
    }
}

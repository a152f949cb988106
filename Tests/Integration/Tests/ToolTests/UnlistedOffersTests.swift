import Fixtures
import Foundation
import Testing

/// Every command that can see it reports registrations that no catalogue lists, and plug-ins that offer nothing.
@Suite struct UnlistedOffersTests {
    /// A plug-in by an author who has not heard of PHFactories.
    private func undeclared(
        _ name: String = "Undeclared", info: [String: any Sendable] = [:]
    ) throws -> BundleFixture {
        let source = """
            import PluginABI
            protocol Greeting: Plugin {}
            final class Hello: Greeting { init(context: PluginContext) throws {} }
            @c(plugin_entry)
            public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                registerPlugin(with: host) { plugin in
                    let point = ExtensionPoint<any Greeting>("org.example.greeting", version: 2)
                    plugin.provide(point, named: "hello", Hello.init)
                }
            }
            """
        return try BundleFixture(name, info: info, code: .swift(source))
    }

    private func folder(of fixture: BundleFixture) -> String { fixture.url.deletingLastPathComponent().path }

    private static let maker: [String: any Sendable] = [
        "name": "maker", "extensionPoint": "org.example.point", "version": 3,
    ]

    @Test func loadReportsWhatNoCatalogueLists() throws {
        for fixture in try [undeclared(), BundleFixture("UndeclaredOfC", code: .c(PluginSource.good))] {
            let document = try PluginHostTool.document("load", fixture.path)
            #expect(document.status == 0 && document.codes == ["undeclaredRegistration"])
            let finding = try #require(document.findings.first)
            #expect(finding["severity"] as? String == "warning")
            #expect(finding["file"] as? String == fixture.infoList.path)
            let offered =
                fixture.name == "Undeclared"
                ? "“hello” at “org.example.greeting” 2" : "“maker” at “org.example.point” 3"
            #expect((finding["message"] as? String)?.contains(offered) == true)
            #expect((finding["remedy"] as? String)?.contains("PHFactories") == true)
            let registrations = try #require(document.bundles.first?["registrations"] as? [[String: Any]])
            #expect(registrations.contains { $0["listed"] as? Bool == false })
            #expect(try PluginHostTool.document("load", "--strict", fixture.path).status == 1)
            #expect(try PluginHostTool.run("load", fixture.path).standardOutput.contains("undeclaredRegistration"))
        }
    }

    @Test func loadIsSilentAboutDeclaredRegistrations() throws {
        let fixture = try BundleFixture("Declared", info: ["PHFactories": [Self.maker]], code: .c(PluginSource.good))
        let document = try PluginHostTool.document("load", fixture.path)
        #expect(document.codes.isEmpty)
        let registrations = try #require(document.bundles.first?["registrations"] as? [[String: Any]])
        #expect(registrations.map { $0["listed"] as? Bool } == [true, nil])
    }

    @Test func aMisspeltPointIsAnErrorThatNamesBothSpellings() throws {
        var maker = Self.maker
        maker["extensionPoint"] = "org.example.piont"
        let fixture = try BundleFixture("Misspelt", info: ["PHFactories": [maker]], code: .c(PluginSource.good))
        let document = try PluginHostTool.document("load", fixture.path)
        #expect(document.status == 1 && document.codes.first == "undeclaredRegistration")
        #expect(document.text.contains("“org.example.point”") && document.text.contains("“org.example.piont”"))
        // The code has the other spelling; none of it needs to run to see that.
        let check = try PluginHostTool.document("check", fixture.path)
        #expect(check.codes == ["unfulfilledDeclaration"])
        #expect(check.findings.first?["subject"] as? String == "org.example.piont")
        #expect(
            (check.findings.first?["message"] as? String)?.hasSuffix("that file has “org.example.point”.") == true)
    }

    @Test func aPointThatTheApplicationSpellsOtherwiseIsAWarning() throws {
        var maker = Self.maker
        maker["extensionPoint"] = "org.example.piont"
        let source = PluginSource.good.replacingOccurrences(of: "org.example.point", with: "org.example.piont")
        let fixture = try BundleFixture("MisspeltTwice", info: ["PHFactories": [maker]], code: .c(source))
        let program = try program(knowing: "org.example.point")
        let hosted = try PluginHostTool.document("check", "--host", program, fixture.path)
        #expect(hosted.codes == ["unfulfilledDeclaration"])
        #expect((hosted.findings.first?["message"] as? String)?.contains("is not in “\(program)”") == true)
        let right = try self.program(knowing: "org.example.piont")
        #expect(try PluginHostTool.document("check", "--host", right, fixture.path).codes.isEmpty)
    }

    @Test func aPointThatNoFileKnowsIsAWarning() throws {
        let hello: [String: any Sendable] = ["name": "hello", "extensionPoint": "org.example.an-earlier-name"]
        let fixture = try undeclared("Renamed", info: ["PHFactories": [hello]])
        let check = try PluginHostTool.document("check", fixture.path)
        #expect(check.status == 0 && check.codes == ["unfulfilledDeclaration"], "\(check.text)")
        #expect(check.findings.first?["subject"] as? String == "org.example.an-earlier-name")
        // The application may have it. (It has no Swift, so the plug-in lacks libraries there.)
        let program = try program(knowing: "org.example.an-earlier-name")
        let hosted = try PluginHostTool.document("check", "--host", program, fixture.path)
        #expect(!hosted.codes.contains("unfulfilledDeclaration"), "\(hosted.text)")
    }

    private func program(knowing point: String) throws -> String {
        let program = Workspace.temporary.appending(path: "host-\(UUID().uuidString)")
        let source = program.appendingPathExtension("c")
        try Data("#include <stdio.h>\nint main(void) { return puts(\"\(point)\"); }\n".utf8).write(to: source)
        try Tool.run(try Tool.find("clang"), [source.path, "-o", program.path])
        return program.path
    }

    @Test func checkReportsThatTheCodeOffersMoreThanItDeclares() throws {
        let fixture = try undeclared()
        let document = try PluginHostTool.document("check", fixture.path)
        #expect(document.status == 0 && document.codes == ["undeclaredRegistration"])
        #expect(document.findings.first?["file"] as? String == fixture.infoList.path)
        #expect(try PluginHostTool.run("check", fixture.path).standardOutput.contains("1 warning"))
    }

    @Test func listAndWhyStateThatNothingIsDeclared() throws {
        let fixture = try undeclared()
        let list = try PluginHostTool.document("list", folder(of: fixture))
        #expect(list.status == 0 && list.codes == ["nothingOffered"])
        let text = PluginHostTool.words(try PluginHostTool.run("list", folder(of: fixture)).standardOutput)
        #expect(text.contains("org.example.Undeclared: Its Info.plist declares nothing that an application could find"))
        let why = try PluginHostTool.run("why", "org.example.Undeclared", "--in", folder(of: fixture))
        #expect(why.status == 0)
        for code in ["nothingOffered", "undeclaredRegistration"] {
            #expect(why.standardOutput.contains("warning \(code)"))
        }
    }

    @Test func bundlesWithDeclarationsOrWithoutCodeGiveNoWarning() throws {
        let folder = try PluginFolder([
            "Resources": [:], "Principal": ["NSExecutable": "X", "NSPrincipalClass": "Thing"],
            "Functions": ["NSExecutable": "X", "PHFunctions": ["f": "() -> void"]],
        ])
        let document = try PluginHostTool.document("list", folder.path)
        #expect(document.bundles.count == 3)
        for bundle in document.bundles { #expect((bundle["findings"] as? [Any])?.isEmpty == true, "\(bundle)") }
    }

    @Test func listAndWhyStateAPointThatIsNearlyThatOfOthers() throws {
        let folder = try PluginFolder([
            "One": ["PHFactories": [PluginFolder.factory("one", at: "org.example.chart")]],
            "Two": ["PHFactories": [PluginFolder.factory("two", at: "org.example.chart")]],
            "Three": ["PHFactories": [PluginFolder.factory("three", at: "org.example.chatr")]],
            "Four": ["PHFactories": [PluginFolder.factory("four", at: "org.example.other")]],
        ])
        let document = try PluginHostTool.document("list", folder.path)
        let warned = document.bundles.filter { ($0["findings"] as? [Any])?.isEmpty == false }
        #expect(warned.map { $0["identifier"] as? String } == ["org.example.Three"])
        let text = PluginHostTool.words(try PluginHostTool.run("list", folder.path).standardOutput)
        #expect(
            text.contains(
                "anything at the extension point “org.example.chatr”; others do at “org.example.chart”, which is spelled"
            ))
        let why = try PluginHostTool.run("why", "org.example.Three", "--in", folder.path).standardOutput
        #expect(why.contains("warning extensionPointUnknown org.example.chatr"))
    }

    @Test func aPluginThatRegistersNothingIsAWarning() throws {
        let source = """
            static plugin_status activate(const plugin_host *h, void *d) { (void)h; (void)d; return PLUGIN_OK; }
            static const plugin_hooks hooks = {{sizeof(plugin_hooks), 1}, 0, activate, 0};
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                const plugin_lifecycle *lifecycle = h->get_extension(h, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
                return lifecycle->register_hooks(h, &hooks);
            }
            """
        let document = try PluginHostTool.document("load", BundleFixture("HooksOnly", code: .c(source)).path)
        #expect(document.status == 0 && document.codes == ["nothingOffered"])
    }
}

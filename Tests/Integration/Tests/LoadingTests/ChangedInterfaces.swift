import Fixtures
import Foundation
import PluginHost
import Testing

/// An application whose interface gained a requirement, under the same version of its extension point.
@Suite struct ChangedInterfaces {
    @Test(.fault(296)) func aPluginThatWasCompiledBeforeTheChangeIsRefusedWithBothSidesNamed() throws {
        let api = try GrownAPI.built.get()
        let fixture = try BundleFixture(
            "CompiledBefore",
            info: ["PHFactories": [["name": "upper", "extensionPoint": "org.example.grown-filter"]]],
            code: .swift(GrownAPI.plugin, flags: api.flags(api.folders[0])))
        let library = api.folders[1].appending(path: "libGrownAPI.so").path
        let message = """
            The type “CompiledBefore.Upper” was compiled when the protocol “GrownAPI.Filter” had 2 requirements; in \
            “\(library)” it has 3.
            """
        let error = try loadError(fixture)
        #expect(error.code == .interfaceMismatch)
        #expect(error.findings[0].message == message)
        #expect(error.filePath == fixture.executable.path)
        // The check before a load finds the same, for this process and for a program that has loaded nothing.
        let bundle = try PluginBundle.open(path: fixture.path)
        let checked = #expect(throws: PluginError.self) { try bundle.preflight() }
        #expect(checked?.findings.map(\.message) == [message])
        let program = try Compiler.executable(
            "GrownHost", source: "import GrownAPI\nimport PluginABI\nprint(ExtensionPoint.grownFilter.name)\n",
            flags: api.flags(api.folders[1]))
        #expect(bundle.findings(loadedBy: program.path).map(\.message) == [message])
    }

    @Test func aPluginThatWasCompiledAfterTheChangeIsLoaded() throws {
        let api = try GrownAPI.built.get()
        let fixture = try BundleFixture(
            "CompiledAfter", code: .swift(GrownAPI.plugin, flags: api.flags(api.folders[1])))
        let bundle = try PluginBundle.open(path: fixture.path)
        try bundle.preflight()
        try bundle.loadAndReturnError()
        #expect(bundle.registrations.map(\.name) == ["upper"])
    }
}

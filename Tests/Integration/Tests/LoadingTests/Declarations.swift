import Fixtures
import Foundation
import PluginHost
import Testing

/// The registrations of an entry are compared with PHFactories.
@Suite struct Declarations {
    private static let source =
        Source.factory + """
            FACTORY(plain, "plain"); FACTORY_AT(placed, NAME, "org.example.declared");
            static int calls;
            static unsigned entry_calls(void) { return calls; }
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) {
                calls++;
                plugin_function count = {{sizeof count, 1}, PLUGIN_STRING("entry_calls"), PLUGIN_STRING("() -> uint32"),
                    (plugin_code)entry_calls};
                h->register_function(h, &count);
                h->register_factory(h, &plain);
                return h->register_factory(h, &placed);
            }
            """

    /// Registers the factory “plain”, and one called as the bundle for version 1 of org.example.declared.
    private func fixture(_ name: String, _ factories: [[String: any Sendable]]?) throws -> BundleFixture {
        let info: [String: any Sendable] = factories.map { ["PHFactories": $0] } ?? [:]
        return try BundleFixture(name, info: info, code: .c("#define NAME \"\(name)\"\n" + Self.source))
    }

    private func declaring(
        _ name: String, version: Int? = nil, point: String? = "org.example.declared"
    ) -> [String: any Sendable] {
        var entry: [String: any Sendable] = ["name": name]
        entry["extensionPoint"] = point
        entry["version"] = version
        return entry
    }

    @Test func aBundleWithoutTheKeyDeclaresNothing() throws {
        let bundle = try PluginBundle.open(path: fixture("DeclaresNothing", nil).path)
        try bundle.loadAndReturnError()
        #expect(bundle.loadWarnings.isEmpty)
    }

    @Test func registrationsThatMatchTheDeclarationsGiveNoWarning() throws {
        let declared = [declaring("DeclaresAll"), declaring("plain", point: nil)]
        let bundle = try PluginBundle.open(path: fixture("DeclaresAll", declared).path)
        try bundle.loadAndReturnError()
        #expect(bundle.loadWarnings.isEmpty)
        #expect(bundle.registrations.count == 3)
    }

    @Test func anUndeclaredRegistrationIsAnErrorAndNothingIsRegistered() throws {
        let made = try fixture("DeclaresTooLittle", [])
        let error = try loadError(made)
        #expect(error.code == .undeclaredRegistration)
        #expect(error.subject == "DeclaresTooLittle")
        let message = """
            The bundle “\(made.path)”: The plug-in registered “DeclaresTooLittle” for version 1 of the extension point \
            “org.example.declared”, but PHFactories does not declare it. Declare it in PHFactories of Info.plist with this \
            name, extensionPoint and version, or correct them in the code if they are misspelt there.
            """
        #expect(error.description == message)
        #expect(error.filePath == made.infoList.path)
        // The name at the point is free, and a second try has the same outcome without a second entry.
        #expect(try loadError(made) == error)
        let source = "#define NAME \"DeclaresTooLittle\"\n/* other */" + Self.source
        try PluginBundle.open(path: BundleFixture("TakesItsPlace", code: .c(source)).path).loadAndReturnError()
    }

    @Test(
        arguments: [
            ("OtherVersion", 2, "org.example.declared", "declares it for version 2 of “org.example.declared”"),
            ("OtherPoint", 1, "org.example.elsewhere", "declares it for version 1 of “org.example.elsewhere”"),
            ("NoPoint", 1, nil, "declares it without an extension point"),
        ] as [(String, Int, String?, String)])
    func aDeclarationOfAnotherVersionOrPointIsToldSo(name: String, version: Int, point: String?, words: String) throws {
        let error = try loadError(fixture(name, [declaring(name, version: version, point: point)]))
        #expect(error.code == .undeclaredRegistration)
        #expect(error.findings[0].message.hasSuffix("PHFactories \(words)."))
    }

    @Test func somethingDeclaredAndNotRegisteredIsAWarningAndIsLogged() async throws {
        let declared = [declaring("DeclaresTooMuch"), declaring("sharpen", version: 3), declaring("Gone", point: nil)]
        let path = try fixture("DeclaresTooMuch", declared).path
        let bundle = try PluginBundle.open(path: path)
        try bundle.loadAndReturnError()
        let warnings = bundle.loadWarnings
        #expect(warnings.allSatisfy { $0.severity == .warning && $0.code == .unfulfilledDeclaration })
        #expect(warnings.map(\.subject) == ["sharpen", "Gone"])
        let message = """
            PHFactories declares “sharpen” for version 3 of the extension point “org.example.declared”, but the plug-in \
            did not register it.
            """
        #expect(warnings.first?.message == message)
        bundle.unload()
        #expect(bundle.loadWarnings.isEmpty)
        // The log and strictness belong to the process.
        await #expect(processExitsWith: .success) { [path = path as String] in try StrictLoad.run(path) }
    }

    @Test func aClassOfThatNameFulfilsADeclarationWithoutAPoint() throws {
        let info = ["PHFactories": [["name": "First"], ["name": "Hooked.Plain"], ["name": "Nobody"]]]
        let bundle = try PluginBundle.open(path: Hooks.swift("DeclaresClasses", info: info).path)
        try bundle.loadAndReturnError()
        #expect(bundle.loadWarnings.map(\.subject) == ["Nobody"])
    }

    @Test(arguments: ["Reporter", "Typography", "Charts", "Checksum", "Template"])
    func theSamplesRegisterExactlyWhatTheyDeclare(name: String) throws {
        let path = try Workspace.samplePlugins.get().appending(path: "\(name).bundle").path
        let bundle = try PluginBundle.open(path: path)
        try bundle.loadAndReturnError()
        #expect(bundle.loadWarnings.isEmpty)
        let points = Set(bundle.registrations.filter { $0.extensionPoint != nil }.map(\.name))
        let declared = Set(bundle.manifest.extensions.map(\.name))
        #expect(points.isSubset(of: declared))
        // A function has its signature instead of an interface.
        #expect(declared.subtracting(points).isSubset(of: bundle.manifest.functions.keys))
    }
}

/// A process that loads a bundle with two surplus declarations, leniently and then strictly.
enum StrictLoad {
    static func run(_ path: String) throws {
        let records = Locked<[String]>([])
        HostEnvironment.current.log = { record in
            records.withLock { $0.append("\(record.level) \(record.bundleIdentifier) \(record.message)") }
        }
        let bundle = try PluginBundle.open(path: path)
        try bundle.loadAndReturnError()
        let logged = records.withLock { $0 }
        let first = "warning org.example.DeclaresTooMuch PHFactories declares “sharpen”"
        guard logged.count == 2, logged[0].hasPrefix(first)
        else { throw Tool.Failure(description: "logged: \(logged)") }
        bundle.unload()
        HostEnvironment.current.requiresDeclaredRegistrations = true
        do {
            try bundle.loadAndReturnError()
            throw Tool.Failure(description: "a strict load succeeded")
        } catch let error as PluginError {
            let codes = error.findings.map(\.code)
            guard codes == [.unfulfilledDeclaration, .unfulfilledDeclaration] else { throw error }
        }
        guard bundle.registrations.isEmpty, case .failed = bundle.state else {
            throw Tool.Failure(description: "a strict load left \(bundle.registrations) and \(bundle.state)")
        }
        // What was refused is offered once the application is lenient, without a second call of the entry.
        HostEnvironment.current.requiresDeclaredRegistrations = false
        guard try bundle.function("entry_calls")().uint64 == 1 else {
            throw Tool.Failure(description: "the entry was called again")
        }
    }
}

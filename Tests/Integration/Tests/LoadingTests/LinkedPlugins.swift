import DemoAPI
import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// Plug-ins whose code is linked into the program: here into the tests.
@Suite struct LinkedPlugins {
    final class Linked: Plugin {
        static let calls = Locked<[String]>([])
        let text: String
        init(context: PluginContext) throws { text = context.bundleIdentifier }
        static func activate(context: PluginContext) throws { calls.withLock { $0.append("activate") } }
        static func deactivate(context: PluginContext) { calls.withLock { $0.append("deactivate") } }
    }

    static let point = ExtensionPoint<String>("org.example.linked")

    @Test func aLinkedPluginIsLoadedByItsEntryAndIsABundleAsAnyOther() throws {
        let offer: [String: any Sendable] = ["name": "linked", "extensionPoint": Self.point.name]
        let fixture = try BundleFixture("Linked", info: ["PHFactories": [offer]], code: .none)
        let bundle = try PluginBundle.linked(at: fixture.path) { host in
            Linked.calls.withLock { $0.append("entry") }
            return registerPlugin(with: host) { plugin in
                plugin.register(Linked.self)
                plugin.provide(LinkedPlugins.point, named: "linked") { "from \($0.bundleIdentifier)" }
            }
        }
        #expect(PluginBundle(path: fixture.path) === bundle)
        #expect(bundle.state == .discovered && bundle.findings().isEmpty)
        #expect(try bundle.providers(of: Self.point).map { try $0.make() } == ["from org.example.Linked"])
        #expect(bundle.state == .active && bundle.loadWarnings.isEmpty)
        let names = bundle.classNames
        #expect(names.count == 1 && names[0].hasSuffix("LinkedPlugins.Linked"))
        #expect(bundle.principalClass.map { $0 == Linked.self } == true)
        #expect(PluginBundle(for: Linked.self) === bundle)
        #expect(bundle.classNamed("Services") == nil)
        let object = try bundle.makePrincipal(as: Linked.self)
        #expect(object.text == "org.example.Linked")
        #expect(bundle.liveObjects.map(\.description) == ["1 of the class “Linked”"])
        bundle.unload()
        try bundle.loadAndReturnError()
        #expect(Linked.calls.withLock { $0 } == ["entry", "activate", "deactivate", "activate"])
    }

    @Test func aLinkedPluginIsAmongAllBundlesAndItsExecutableIsTheProgram() throws {
        // NSExecutable names a file that does not exist; this program does not need it.
        let fixture = try BundleFixture("LinkedShown", code: .none)
        #expect(try loadError(fixture).code == .executableMissing)
        let bundle = try PluginBundle.linked(at: fixture.path) { host in
            registerPlugin(with: host) { $0.provide(LinkedPlugins.point, named: "listed") { _ in "" } }
        }
        #expect(PluginBundle.allBundles.contains(bundle))
        #expect(PluginBundle(identifier: "org.example.LinkedShown") === bundle)
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
        #expect(bundle.executablePath == program)
        try bundle.preflight()
        #expect(bundle.findings(loadedBy: program).map(\.code) == [.executableMissing])
        try bundle.loadAndReturnError()
        #expect(bundle.state == .active && bundle.loadError == nil)
    }

    @Test func theFunctionsOfALinkedPluginAreThoseItRegisters() throws {
        let functions: [String: any Sendable] = ["exported": "() -> int32"]
        let fixture = try BundleFixture("LinkedFunctions", info: ["PHFunctions": functions], code: .none)
        let bundle = try PluginBundle.linked(at: fixture.path) { host in
            let successor: @convention(c) (Int32) -> Int32 = { $0 + 1 }
            return "successor".utf8CString.withUnsafeBufferPointer { name in
                "(int32) -> int32".utf8CString.withUnsafeBufferPointer { signature in
                    var function = plugin_function(
                        header: plugin_header(size: UInt32(MemoryLayout<plugin_function>.size), version: 1),
                        name: plugin_string(ptr: name.baseAddress, len: name.count - 1),
                        signature: plugin_string(ptr: signature.baseAddress, len: signature.count - 1),
                        code: unsafeBitCast(successor, to: plugin_code?.self))
                    return host.pointee.register_function(host, &function)
                }
            }
        }
        #expect(try bundle.function("successor", "(int32) -> int32")(.int(41)).int64 == 42)
        let error = #expect(throws: PluginError.self) { try bundle.function("exported") }
        let complaint = "is declared in PHFunctions but not registered by the linked plug-in."
        #expect(error?.code == .functionUnavailable)
        #expect(error?.findings[0].message == "The function “exported” \(complaint)")
    }

    @Test func aLinkedEntryThatFailsIsNotCalledAgain() throws {
        let fixture = try BundleFixture("LinkedFails", code: .none)
        _ = try PluginBundle.linked(at: fixture.path) { host in
            registerPlugin(with: host) { _ in throw PluginFailure("No database \(Failing.next()).", remedy: "Wait.") }
        }
        let error = try loadError(fixture)
        #expect(error.code == .entryFailed)
        #expect(error.description.hasSuffix("failed: No database 1. Wait."))
        #expect(try loadError(fixture) == error)
    }

    @Test func aLinkedPluginIsComparedWithItsDeclarations() throws {
        let fixture = try BundleFixture("LinkedUndeclared", info: ["PHFactories": [String]()], code: .none)
        _ = try PluginBundle.linked(at: fixture.path) { host in
            registerPlugin(with: host) { $0.provide(LinkedPlugins.point, named: "undeclared") { _ in "" } }
        }
        #expect(try loadError(fixture).code == .undeclaredRegistration)
    }

    @Test func oneEntryBelongsToOneBundleAndOneBundleHasOneEntry() throws {
        let entry: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status = { host in
            registerPlugin(with: host) { $0.provide(LinkedPlugins.point, named: "one") { _ in "one" } }
        }
        let other: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status = { host in
            registerPlugin(with: host) { $0.provide(LinkedPlugins.point, named: "other") { _ in "other" } }
        }
        let (first, second) = (
            try BundleFixture("LinkedOne", code: .none).path, try BundleFixture("LinkedTwo", code: .none).path
        )
        let bundle = try PluginBundle.linked(at: first, entry: entry)
        #expect(try PluginBundle.linked(at: first, entry: entry) === bundle)
        let taken = #expect(throws: PluginError.self) { try PluginBundle.linked(at: second, entry: entry) }
        #expect(taken?.code == .alreadyEntered && taken?.description.contains(first) == true)
        #expect(throws: PluginError.self) { try PluginBundle.linked(at: first, entry: other) }
        let file = try PluginBundle.open(path: BundleFixture("FromAFile", code: .c(Source.good + "/* linked */")).path)
        try file.loadAndReturnError()
        let third: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status = { _ in -3 }
        let late = #expect(throws: PluginError.self) { try PluginBundle.linked(at: file.bundlePath, entry: third) }
        #expect(late?.code == .alreadyEntered)
    }
}

private enum Failing {
    private static let count = Locked(0)

    static func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

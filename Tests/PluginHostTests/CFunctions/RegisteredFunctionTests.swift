import Foundation
import PluginABI
import TestSupport
import Testing

@testable import PluginHost

/// C functions that a Swift plug-in registers.
@Suite struct RegisteredFunctionTests {
    private func bundle(
        _ name: String, _ entry: @escaping @convention(c) (UnsafePointer<plugin_host>) -> plugin_status
    ) throws -> PluginBundle {
        let tree = try TemporaryTree([
            "\(name).bundle/Contents/Info.plist": "{ CFBundleIdentifier = \"org.example.\(name)\"; }"
        ])
        _ = Unmanaged.passRetained(tree)
        return try PluginBundle.linked(at: tree("\(name).bundle"), entry: entry)
    }

    @Test func aSwiftPluginRegistersACFunctionBySignature() throws {
        let bundle = try bundle("SwiftFunctions") { host in
            registerPlugin(with: host) { plugin in
                let add: @convention(c) (Int32, Int32) -> Int32 = { $0 &+ $1 }
                plugin.register(function: "add", "(int32, int32) -> int32", add)
            }
        }
        #expect(try bundle.function("add")(.int(40), .int(2)) == .int(42))
        #expect(try bundle.function("add", as: ((Int32, Int32) -> Int32).self)(1, 2) == 3)
        #expect(bundle.registrations.map(\.signature?.description) == ["(int32, int32) -> int32"])
    }

    @Test func aClosureThatIsNoCFunctionMakesTheLoadFail() throws {
        let bundle = try bundle("SwiftClosure") { host in
            registerPlugin(with: host) { plugin in
                plugin.register(function: "add", "(int32) -> int32", { (value: Int32) -> Int32 in value })
            }
        }
        let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
        #expect(error?.code == .registrationInvalid)
        #expect(error?.description.contains("“add”, which is not a @convention(c) function") == true)
    }

    @Test func aNumberIsNoCFunctionEither() throws {
        let bundle = try bundle("SwiftNumber") { host in
            registerPlugin(with: host) { $0.register(function: "add", "() -> int32", 0x1234) }
        }
        #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
        #expect(bundle.loadError?.code == .registrationInvalid)
    }

    @Test func twoFunctionsOfOneNameMakeTheLoadFail() throws {
        let bundle = try bundle("SwiftTwice") { host in
            registerPlugin(with: host) { plugin in
                let one: @convention(c) () -> Int32 = { 1 }
                plugin.register(function: "one", "() -> int32", one)
                plugin.register(function: "one", "() -> int32", one)
            }
        }
        #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
        #expect(bundle.loadError?.code == .duplicateFactory)
    }
}

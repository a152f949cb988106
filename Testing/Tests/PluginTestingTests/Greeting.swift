import PluginABI
import PluginHost
import PluginTesting
import Testing

/// The interfaces of the plug-in Greeter, as an application's API would declare them.
enum Greeting {
    static let point = ExtensionPoint<any CustomStringConvertible>("org.example.greeting")
    static let audience = ExtensionPoint<any CustomStringConvertible & Sendable>("org.example.audience")
    static let source = "Tests/Greeter"

    static func bundle() throws -> PluginBundle { try PluginBundle.underTest(source: source) }

    /// The plug-in's object for an audience.
    static func made(_ bundle: PluginBundle, for audience: String = "world") throws -> any CustomStringConvertible {
        TestHost.current?.provide(Self.audience) { audience }
        return try #require(try bundle.providers(of: point).first).make()
    }
}

/// A place in the application where plug-ins add something, and the type of what they add.
///
/// The application's API module declares its points once, so that host and plug-in write the same name:
/// ```swift
/// extension ExtensionPoint where Interface == any TextFilter {
///     public static var textFilter: Self { .init("org.example.text-filter", version: 2) }
/// }
/// ```
/// The plug-in then writes `plugin.provide(.textFilter, named: "uppercase", Uppercase.init)` and the host
/// `bundle.providers(of: .textFilter)`. No cast stands between the two: the conversion to `Interface` is compiled in
/// the plug-in.
///
/// Raise the version with each change of the interface. The host refuses a plug-in whose class lacks a requirement that the
/// interface has now, or was compiled for another number of them (`interfaceMismatch`), because calling it would end the
/// process. It cannot see that requirements changed places, or that one was replaced by another. docs/abi.md, "Changed
/// interfaces", states what it compares, and which changes an API with library evolution may make without a new version.
@frozen
public struct ExtensionPoint<Interface>: Sendable, Hashable {
    /// A reverse-DNS name, unique to the point.
    public let name: String
    /// The version of the interface. A provider of another version is not offered.
    public let version: UInt32

    /// - Parameters:
    ///   - name: a reverse-DNS name, unique to the point.
    ///   - version: the version of the interface; raised when old plug-ins can no longer serve.
    @inlinable
    public init(_ name: String, version: UInt32 = 1) {
        self.name = name
        self.version = version
    }
}

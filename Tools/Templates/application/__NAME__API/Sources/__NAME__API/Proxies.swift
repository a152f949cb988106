// Written by “pluginhost remote --module __NAME__API”. Do not change it: change the interfaces, and run the
// command again.
// swift-format-ignore-file
public import PluginABI

#if GENERATING_PROXIES
// The module without its proxies, for the symbol graph of which they are made.

public enum TextFilterProxy {
    public static var interface: RemoteInterface<any TextFilter>? { nil }
}
#else

/// Stands for an object of ``TextFilter`` in another process.
public final class TextFilterProxy: TextFilter {  // If the protocol has changed: swift package remote-interfaces
    private let remote: RemoteObject
    private init(_ remote: RemoteObject) { self.remote = remote }

    /// Always throws: a proxy cannot be created by itself.
    public init(context: PluginContext) throws { throw RemoteObject.isNoPlugin }

    /// Passes on `filter(_:)`.
    public func filter(_ text: String) throws -> String {
        try remote.call(0, text)
    }

    /// How another process uses an object of ``TextFilter``.
    public static let interface = RemoteInterface<any TextFilter>(
        proxy: { TextFilterProxy($0) },
        methods: [
            RemoteMethod("filter(_:)") { try $0.filter($1) },
        ])
}
#endif

// A plug-in, with explanations. It has three parts: this code, Info.plist, and Resources.

// The application's plug-in API: the protocols that a plug-in implements, and the extension points that it serves.
import __API_PRODUCT__
// `Plugin`, `PluginContext` and registration. `public`, because the signature of pluginEntry() below uses its types.
public import PluginABI

extension Setting where Value == Bool {
    /// Whether text after the last line end is a line too.
    //
    // Resources/Settings.bundle declares it for people. This default counts only where that lacks the key.
    static var countsRest: Self { .init("countsRest", default: true) }
}

/// Counts the lines of a text.
//
// `final`: nothing inherits from it. A class, because `Plugin` requires one: the host also finds classes by name. To
// serve an extension point of the application, conform to the protocol that the application's API declares for it.
// `public` only for the tests.
public final class LineCounter: Plugin {
    /// The plug-in's own bundle, its log, and information about the host.
    ///
    /// Keep it if you need it later; it costs nothing.
    private let context: PluginContext

    /// The host creates objects only through this initialiser.
    //
    // It may throw. A `PluginFailure` has a sentence for what happened and one for what to do; the user sees both.
    public init(context: PluginContext) throws {
        self.context = context
    }

    /// How many lines the text has, as a sentence in the user's language.
    public func report(on text: String) -> String {
        // Goes to the application's log under this bundle's identifier. Never use print(): the terminal belongs to the
        // host.
        context.logger.debug("Counting the lines of \(text.utf8.count) bytes.")
        // The user's choice; it is the same in the application's process and in a worker.
        let hasRest = context.settings[.countsRest] && !text.isEmpty && !text.hasSuffix("\n")
        let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + (hasRest ? 1 : 0)
        // From Resources/<language>.lproj/Localizable.strings, in the user's language; the key is the English text.
        return "\(context.localizedString("Lines in this text:")) \(lines)"
    }
}

__API_CLASS__
// The only symbol that the host looks up. `@c(plugin_entry)` gives the function its C name, `public` exports it.
/// Registers the plug-in's providers.
///
/// The host calls it once, after it has checked and loaded the file.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    // Compares toolchain and PluginABI with the host's, then runs the body. If the body throws, the load fails with
    // that error and nothing is registered; if it returns, everything that it registered becomes visible at once.
    registerPlugin(with: host) { plugin in
        // A class by its name. The first one is the principal class unless Info.plist has NSPrincipalClass.
        plugin.register(LineCounter.self)
        __API_PROVIDE__
    }
}

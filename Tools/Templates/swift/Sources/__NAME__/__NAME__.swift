// A plug-in, annotated. Its three parts are this code, Info.plist, and Resources.

// The application's plug-in API: the protocols that a plug-in conforms to, and the extension points it serves.
import __API_PRODUCT__
// `Plugin`, `PluginContext` and registration. `public`, because pluginEntry() below has types of it in its signature.
public import PluginABI

/// Counts the lines of a text.
//
// `final`: nothing inherits from it. A class, because `Plugin` wants one: the host finds classes by name, too. To serve
// an extension point of the application, conform to the protocol that the application's API declares for it. `public`
// for the tests alone.
public final class LineCounter: Plugin {
    /// The plug-in's own bundle, its log, and who the host is. Keep it if it is needed later; it costs nothing.
    private let context: PluginContext

    /// The host makes objects through this initialiser, and only through it.
    //
    // It may throw. A `PluginFailure` has a sentence for what happened and one for what to do; both reach the user.
    public init(context: PluginContext) throws {
        self.context = context
    }

    /// How many lines the text has, as a sentence in the user's language.
    public func report(on text: String) -> String {
        // Goes to the application's log under this bundle's identifier. Never print(): the terminal is the host's.
        context.logger.debug("Counting the lines of \(text.utf8.count) bytes.")
        let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + (text.isEmpty || text.hasSuffix("\n") ? 0 : 1)
        // From Resources/<language>.lproj/Localizable.strings, in the user's language; the key is the English text.
        return "\(context.localizedString("Lines in this text:")) \(lines)"
    }
}

// The one symbol that the host looks up. `@c(plugin_entry)` gives the function its C name, `public` exports it.
/// Registers what the plug-in provides. The host calls it once, after it has checked the file and loaded it.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    // Compares toolchain and PluginABI with the host's, then runs the body. If the body throws, the load fails with
    // that error and nothing is registered; if it returns, all that it registered becomes visible at once.
    registerPlugin(with: host) { plugin in
        // A class by its name. The first one is the principal class unless Info.plist has NSPrincipalClass.
        plugin.register(LineCounter.self)
    }
}

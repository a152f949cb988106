// A plug-in of the demo application, annotated: change filter(_:). Its three parts are this code, Info.plist, and
// Resources.

// The application's plug-in API: the protocols that a plug-in conforms to, and the extension points it serves.
import DemoAPI
// `Plugin`, `PluginContext` and registration. `public`, because pluginEntry() below has types of it in its signature.
public import PluginABI

/// Puts its number before each line.
//
// `final`: nothing inherits from it. A class, because `Plugin` wants one: the host finds classes by name, too.
// `TextFilter` refines `Plugin`; conforming to it is all that makes the class usable at `.textFilter`.
final class LineNumbers: TextFilter {
    /// The plug-in's own bundle, its log, and who the host is. Keep it if it is needed later; it costs nothing.
    private let context: PluginContext
    /// The host makes one object for each document, so state of a document can stand here.
    private var line = 0

    /// The host makes objects through this initialiser, and only through it.
    //
    // It may throw. A `PluginFailure` has a sentence for what happened and one for what to do; both reach the user.
    init(context: PluginContext) throws {
        self.context = context
    }

    /// Called once, before the text comes.
    func begin(_ document: Document) {
        // Goes to the application's log under this bundle's identifier. Never print(): the terminal is the host's.
        context.logger.debug("Numbering the lines of \(document.name).")
    }

    /// Called for each passage of the document, in order. Passages end with a line.
    func filter(_ passage: String) -> String {
        var text = ""
        // Memory is asked for once, not line by line: a passage has some hundred kilobytes.
        text.reserveCapacity(passage.utf8.count * 5 / 4)
        // Through UTF-8 views, which find line ends some ten times as fast as Characters.
        for content in passage.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            line += 1
            text += "\(line)\t\(Substring(content))\n"
        }
        // What follows the last line end is empty, unless the document's last line has none.
        if let rest = passage.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).last,
            !rest.isEmpty
        {
            line += 1
            text += "\(line)\t\(Substring(rest))"
        }
        return text
    }

    /// Called once, after the last passage. What it returns is put at the end of the text.
    func finish() -> String {
        // From Resources/<language>.lproj/Localizable.strings, in the user's language; the key is the English text.
        let remark = context.localizedString("Lines in this document:")
        return "\n\(remark) \(line)\n"
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
        plugin.register(LineNumbers.self)

        // What the plug-in provides at an extension point of the application. The compiler checks here that
        // LineNumbers is a TextFilter. `named` must stand in Info.plist under PHFactories, too: the host reads it
        // there to know what a bundle provides without running it. `displayName` is looked up in Providers.strings.
        plugin.provide(.textFilter, named: "line-numbers", displayName: "Line numbers", order: 80, LineNumbers.init)
    }
}

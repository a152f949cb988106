// A plug-in of the demo application, with explanations: change filter(_:). A plug-in has three parts: this code, Info.plist,
// and Resources.

// The application's plug-in API: the protocols that a plug-in implements, and the extension points that it serves.
import DemoAPI
// `Plugin`, `PluginContext` and registration. `public`, because the signature of pluginEntry() below uses its types.
public import PluginABI

/// Puts its number before each line.
//
// `final`: nothing inherits from it. A class, because `Plugin` requires one: the host also finds classes by name.
// `TextFilter` refines `Plugin`; conforming to it is enough to use the class at `.textFilter`.
// `NibObject`: it owns a nib, whose connections set the outlets that it declares.
final class LineNumbers: TextFilter, NibObject {
    /// The plug-in's own bundle, its log, and information about the host.
    ///
    /// Keep it if you need it later; it costs nothing.
    private let context: PluginContext
    /// The host creates one object for each document, so state of a document can be stored here.
    private var line = 0
    /// The line below the text, which the nib makes.
    private var rule: Rule?

    /// What nibs may connect: an outlet for a `Rule`.
    //
    // `required`: a nib that does not connect it is refused, with line and column.
    static let nibInterface = NibInterface(for: LineNumbers.self) { nib in
        nib.outlet("rule", required: true) { $0.rule = $1 }
    }

    /// The host creates objects only through this initialiser.
    //
    // It may throw. A `PluginFailure` has a sentence for what happened and one for what to do; the user sees both.
    init(context: PluginContext) throws {
        self.context = context
    }

    /// Called once, before the text.
    func begin(_ document: Document) {
        // Goes to the application's log under this bundle's identifier. Never use print(): the terminal belongs to the
        // host.
        context.logger.debug("Numbering the lines of \(document.name).")
    }

    /// Edits one passage of the document.
    ///
    /// The host calls this for each passage, in order. A passage always ends with a complete line.
    func filter(_ passage: String) -> String {
        var text = ""
        // Reserve memory once, not for each line: a passage has some hundred kilobytes.
        text.reserveCapacity(passage.utf8.count * 5 / 4)
        // UTF-8 views find line ends about ten times as fast as Characters.
        for content in passage.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            line += 1
            text += "\(line)\t\(Substring(content))\n"
        }
        // The part after the last line end is empty, unless the document's last line has none.
        if let rest = passage.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).last,
            !rest.isEmpty
        {
            line += 1
            text += "\(line)\t\(Substring(rest))"
        }
        return text
    }

    /// Ends the document.
    ///
    /// The host calls this once, after the last passage. The result is added at the end of the text.
    func finish() throws -> String {
        // Makes the objects of Resources/Ending.xib and sets `rule`. Keep a nib that you need often.
        try context.nib("Ending").instantiate(owner: self)
        // From Resources/<language>.lproj/Localizable.strings, in the user's language; the key is the English text.
        let remark = context.localizedString("Lines in this document:")
        return "\n\(rule?.text ?? "")\n\(remark) \(line)\n"
    }
}

/// A line of one character, as the nib describes it.
//
// Nibs make objects of classes that are a `Plugin` and a `NibObject`, and set the attributes that these declare.
final class Rule: Plugin, NibObject {
    private var mark = "-"
    private var width = 0

    /// What nibs may set.
    static let nibInterface = NibInterface(for: Rule.self) { nib in
        nib.attribute("mark") { $0.mark = $1 }
        nib.attribute("width") { $0.width = $1 }
    }

    /// Objects that a nib makes get their attributes afterwards.
    init(context: PluginContext) {}

    /// The whole line.
    var text: String { String(repeating: mark, count: max(width, 0)) }
}

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
        plugin.register(LineNumbers.self)
        plugin.register(Rule.self)

        // A provider for an extension point of the application. The compiler checks that LineNumbers is a TextFilter.
        // The name must also be in Info.plist under PHFactories: there the host sees what a bundle provides without
        // running it. `displayName` is looked up in Providers.strings.
        plugin.provide(.textFilter, named: "line-numbers", displayName: "Line numbers", order: 80, LineNumbers.init)
    }
}

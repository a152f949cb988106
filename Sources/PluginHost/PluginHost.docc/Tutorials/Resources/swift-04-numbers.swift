import DemoAPI
public import PluginABI

/// Puts its number before each line.
final class LineNumbers: TextFilter {
    private let context: PluginContext
    private var line = 0
    private var emptyLines = 0

    init(context: PluginContext) throws { self.context = context }

    /// Called for each passage of the document, in order; each ends with a complete line.
    func filter(_ passage: String) -> String {
        var lines = passage.split(separator: "\n", omittingEmptySubsequences: false)
        // Nothing follows the last line end, except in a document whose last line has none.
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        var text = ""
        for content in lines {
            line += 1
            if content.isEmpty { emptyLines += 1 }
            text += "\(line)\t\(content)\n"
        }
        return text
    }

    /// Returns what is added at the end of the text, after the last passage.
    func finish() -> String {
        """

        \(context.localizedString("Lines in this document:")) \(line)
        \(context.localizedString("Empty lines:")) \(emptyLines)

        """
    }
}

/// Registers what Info.plist declares.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in
        plugin.register(LineNumbers.self)
        plugin.provide(.textFilter, named: "line-numbers", displayName: "Line numbers", order: 80, LineNumbers.init)
    }
}

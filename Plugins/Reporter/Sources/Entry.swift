import DemoAPI
public import PluginABI

/// Registers the plug-in's providers; the host calls it once.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in
        plugin.register(Reporter.self)
        plugin.register(NotePad.self)
        plugin.register(QueryList.self)
        plugin.register(WordCount.self)
        plugin.register(HTMLExporter.self)

        plugin.provide(.textAnalyzer, named: "summary", displayName: "Summary", order: 0, Reporter.init)
        plugin.provide(.textAnalyzer, named: "outline", displayName: "Outline", order: 10, NotePad.init)
        plugin.provide(.textAnalyzer, named: "words", displayName: "Frequent words", order: 20, WordCount.init)
        plugin.provide(.textAnalyzer, named: "questions", displayName: "Questions", order: 30, QueryList.init)
        plugin.provide(.exporter, named: "html", displayName: "Web page", HTMLExporter.init)
    }
}
